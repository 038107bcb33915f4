"""Millpond: a passthrough MCP proxy that turns large tool results into tables an agent can query."""

__version__ = "0.1.0"
