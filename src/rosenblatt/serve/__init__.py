"""Learning online as a service: models that predict and learn over HTTP, and lose nothing.

`log` is what is on disk, `model` what is in memory, `writer` the one thread that learns, `app` what
answers requests. The only folder beside `lab` that imports Starlette (extra ``serve``).
"""
