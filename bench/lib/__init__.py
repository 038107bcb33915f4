"""What the benches share: payloads, a server, a client, the ways between them, processes, and what is written down.

Rule: each bench answers one question and compares within one run; nothing here judges. Imports `millpond` only where a module says so.
"""
