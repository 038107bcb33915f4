"""Printing: parse trees as the SQL that they stand for.

Rule: DuckDB writes them, so that it reads them back. Imports the engine's `database`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from millpond.engine.database import Connection


def printed(connection: Connection, statements: Sequence[dict[str, Any]]) -> list[str]:
    """Parse trees as SQL. Raises DuckDB's errors for what does not come back."""
    if not statements:
        return []
    calls = ", ".join("json_deserialize_sql(?::JSON)" for _ in statements)
    found = connection.execute(f"SELECT {calls}", [json.dumps(tree) for tree in statements]).fetchone()
    return [str(text) for text in found or ()]
