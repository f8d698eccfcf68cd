"""Write the evidence: what the last complete runs of `make test` and `make clients` observed of each operation.

`python tools/evidence.py` writes fakeplat/workbench/evidence.json, `--check` fails if it is stale. The pages of
coverage and roles are generated from that file, with the documentation.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from fakeplat.core.operations.operation import OPERATIONS
from fakeplat.workbench import coverage

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tools.verified import add_tapes  # noqa: E402  # the root is not on a script's path

FILE = ROOT / "fakeplat/workbench" / coverage.EVIDENCE
OBSERVED = ROOT / ".cache/evidence"
ROLES = tuple("anonymous,external,signed in,no member,guest,reporter,developer,maintainer,owner,admin".split(","))
CLIENT = "client-"


class Incomplete(Exception):
    """A suite has not been observed from its beginning to its end."""


def merge_evidence(folder: Path) -> dict[str, Any]:
    """Return for each operation its statuses with error texts, the statuses of each role, and the clients that used it.

    Incomplete unless both suites and at least three clients were observed: the rest would mark tested behaviour as
    unproven.
    """
    files = sorted(folder.glob("*.jsonl"))
    for suite, pattern, least in (("make test", "test-*", 1), ("make clients", f"{CLIENT}*", 3)):
        if sum(file.match(pattern) and file.stat().st_size > 0 for file in files) < least:
            raise Incomplete(f"no complete run of `{suite}` was observed: run it first")
    evidence: dict[str, Any] = {}
    for file in files:
        client = file.stem.removeprefix(CLIENT) if file.name.startswith(CLIENT) else None
        for row in _read_rows(file):
            # The journal also names operations that are not implemented, and what a fault has caused proves nothing.
            if row.get("operation", "") in OPERATIONS and not row.get("fault"):
                _add_row(
                    evidence.setdefault(row["operation"], {"statuses": {}, "roles": {}, "clients": set()}), row, client
                )
    return {name: _as_json(evidence[name]) for name in sorted(evidence)}


def _read_rows(file: Path) -> Iterator[dict[str, Any]]:
    return (json.loads(line) for line in file.read_text("utf-8").splitlines())


def _add_row(evidence: dict[str, Any], row: dict[str, Any], client: str | None) -> None:
    status = str(row["status"])
    texts = evidence["statuses"].setdefault(status, set())
    if row.get("error"):
        texts.add(row["error"])
    if row.get("role"):
        evidence["roles"].setdefault(row["role"], set()).add(row["status"])
    if client:
        evidence["clients"].add(client)


def _as_json(evidence: dict[str, Any]) -> dict[str, Any]:
    return {
        "statuses": {status: sorted(texts) for status, texts in sorted(evidence["statuses"].items())},
        "roles": {role: sorted(evidence["roles"][role]) for role in ROLES if role in evidence["roles"]},
        "clients": sorted(evidence["clients"]),
    }


def find_stale(current: Mapping[str, Any], observed: Mapping[str, Any]) -> list[str]:
    """Return the operations whose evidence differs."""
    return sorted(name for name in current.keys() | observed.keys() if current.get(name) != observed.get(name))


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--check"]):
        print("usage: evidence.py [--check]", file=sys.stderr)
        return 2
    try:
        observed = add_tapes(merge_evidence(OBSERVED), ROOT / "tests/tapes")
    except Incomplete as error:
        print(error, file=sys.stderr)
        return 1
    stale = find_stale(coverage.evidence(), observed)
    if stale:
        print(f"{'stale' if arguments else 'written'}: the evidence of {len(stale)} operations", *stale, sep="\n  ")
    if not arguments:
        FILE.write_bytes(orjson.dumps(observed, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    return 1 if arguments and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
