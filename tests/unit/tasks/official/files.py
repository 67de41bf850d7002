"""Files of published rows, as JSON and as lines of it."""

import json
from pathlib import Path
from typing import Any

Rows = list[dict[str, Any]]


def write_json(path: Path, rows: Rows) -> Path:
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


def write_jsonl(path: Path, rows: Rows) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path
