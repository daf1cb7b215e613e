"""The lab: watch the learners learn, in the browser.

``rosenblatt lab`` serves one page on this machine alone. What it shows is computed by the library,
in a process for each tab (`worker`), and travels over a WebSocket (`page_session`).
`access_key` decides who may ask, `serve` how long they may take to, and `open_browser` leads the
browser here. `screens` has what the page may call, a file for each screen. What these compute is in
folders: `plane` for the playground and Compare, `mark1`, `descent`, `truth`. ``static`` is the page
itself.
"""
