"""A server on the Python SDK with one tool that answers with any number of rows."""

from mcp.server import MCPServer

server = MCPServer("rows", instructions="Theirs.")


@server.tool()
def list_rows(count: int) -> list[dict[str, int]]:
    """As many rows as are asked for."""
    return [{"id": number, "twice": 2 * number} for number in range(count)]


server.run()
