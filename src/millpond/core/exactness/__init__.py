"""Exactness: where an answer may hold less than the exact value, how to find out, and what to say.

Rule: a bound plan gives doubts, a parse tree gives the questions that settle them, the answers to those give notes; a note stands
only where a value is not exact. Nothing here runs SQL. Imports `core` and msgspec.
"""
