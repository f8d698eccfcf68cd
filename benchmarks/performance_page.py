"""The tables of docs/performance.md, which benchmarks write between the comments that name them."""

import os
import platform
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

_PAGE: Final = Path(__file__).parents[1] / "docs/performance.md"
_WIDEST: Final = 24
"""The characters of the longest bar."""


def write_table(name: str, heading: Sequence[str], rows: Sequence[Sequence[str]], *, bars: int | None = None) -> None:
    """Write a table with when and where it was measured; the column ``bars`` is drawn beside it, too."""
    if bars is not None:
        heading, rows = (*heading, ""), [(*row, bar) for row, bar in zip(rows, _draw_bars(rows, bars), strict=True)]
    machine = f"{os.cpu_count()} cores, Python {platform.python_version()}, {datetime.now(UTC):%Y-%m-%d}"
    lines = [_line(heading), _line(["---"] * len(heading)), *map(_line, rows), "", f"Measured on {machine}."]
    pattern = rf"(<!-- {name} -->\n).*?(<!-- end -->)"
    content = _PAGE.read_text("utf-8")
    if re.search(pattern, content, re.DOTALL) is None:
        raise LookupError(f"{_PAGE.name} has no table {name}")
    table = "\n".join(lines)
    _PAGE.write_text(
        re.sub(pattern, lambda match: f"{match[1]}\n{table}\n\n{match[2]}", content, flags=re.DOTALL), "utf-8"
    )
    print(table)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _draw_bars(rows: Sequence[Sequence[str]], column: int) -> list[str]:
    values = [float(row[column]) for row in rows]
    most = max(values)
    return ["█" * max(1, round(value / most * _WIDEST)) for value in values]
