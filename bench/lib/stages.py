"""Stages: of the engine's path, by name, for those that only read results. Imports nothing."""

STAGES = ("decode", "shape", "observe", "load", "keep", "handle")
"""Find the data; find the rows; look at all values and choose types; fill the table; keep the text; write the handle."""
WHOLE = "whole"
"""All of it as the engine does it."""
