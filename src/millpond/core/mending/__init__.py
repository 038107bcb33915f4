"""Mending: a statement that failed, changed in the one place that made it fail, as an agent may send it instead.

Rule: a mended statement is a proposal: pure functions make candidates, and only one that the engine has judged is printed. Imports
`core` only.
"""
