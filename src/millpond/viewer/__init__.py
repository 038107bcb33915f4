"""The page that shows a running session: what the proxy keeps of it, the door to that, and the page's server.

Rule: the proxy's side (`record`, `watch`, `door`, `places`) imports no HTTP library and never waits for a page; the
page's side (`knock`, `guard`, `page`, `serve`) is another process and reaches a session only through its door.
"""
