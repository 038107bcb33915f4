"""`export` as a client of the proxy sees it, and the start that it needs."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from relay_client import SECONDS, SERVERS, Client

GIVING = (sys.executable, str(SERVERS / "giving_server.py"))
ROWS: dict[str, Any] = {
    "content": [],
    "structuredContent": {"items": [{"id": at, "price": at / 4} for at in range(400)]},
}


def command(tmp_path: Path, folder: str) -> list[str]:
    config = tmp_path / "millpond.toml"
    config.write_text(f"[export]\ndirectory = {json.dumps(folder)}\n")
    return [sys.executable, "-m", "millpond", "--config", str(config), "--", *GIVING]


def test_a_result_is_taken_away_as_a_file(tmp_path: Path) -> None:
    """EXPORT-02, EXPORT-03"""
    folder = tmp_path / "out"
    folder.mkdir()
    with Client(command(tmp_path, str(folder))) as client:
        client.open()
        client.call("give", 1, raw=json.dumps(ROWS))
        table = json.loads(client.line())["result"]["_meta"]["millpond/handle"]["tables"][0]["name"]
        for name in ("all.csv", "all.parquet"):
            client.call("query", 2, sql=f"FROM {table}", export=name)
            answer = json.loads(client.line())["result"]
            assert answer["_meta"]["millpond/result"]["exported"]["path"] == str(folder / name)
            assert answer["content"][0]["text"].startswith("Exported 400 rows (")
    assert (folder / "all.csv").read_text().splitlines()[:3] == ["id,price", "0,0.00", "1,0.25"]
    assert sorted(path.name for path in folder.iterdir()) == ["all.csv", "all.parquet"]


@pytest.mark.parametrize("folder", ["out", "/not/there"])
def test_a_folder_that_is_none_is_an_error_at_the_start(tmp_path: Path, folder: str) -> None:
    """EXPORT-13"""
    ended = subprocess.run(
        command(tmp_path, folder), check=False, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS
    )
    assert ended.returncode != 0
    assert (
        f'[export] directory: expected the absolute path of a folder that is there and can be written to, got "{folder}"'
        in (ended.stderr.decode())
    )
