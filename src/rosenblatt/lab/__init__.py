"""The lab: watch the learners learn, in the browser.

``rosenblatt lab`` serves one page on this machine alone. What the page shows is computed by the library,
in a process for each tab (`worker`), and travels over a WebSocket (`tab`). `guard` decides who may ask;
`screens` has a file for each screen, and ``static`` the page itself.
"""
