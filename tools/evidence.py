"""Merge the observations of the tests, and render them as the pages coverage.md and roles.md."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fakeplat.core.operations.operation import OPERATIONS

ROLES = tuple("anonymous,external,signed in,no member,guest,reporter,developer,maintainer,owner,admin".split(","))
CLIENT = "client-"


def merge_evidence(folder: Path) -> dict[str, Any]:
    """Return for each operation its statuses with error texts, the statuses of each role, and the clients that used it.

    Empty unless both suites and at least three clients were observed: incomplete evidence would mark tested behaviour
    as unproven.
    """
    files = sorted(folder.glob("*.jsonl"))
    clients = [file for file in files if file.name.startswith(CLIENT) and file.stat().st_size]
    if len(clients) < 3 or not any(file.name.startswith("test-") for file in files):
        return {}
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


def coverage_page(rows: Sequence[Mapping[str, Any]]) -> str:
    implemented = [row for row in rows if row["state"] in ("built", "ours")]
    lines = [
        "# Coverage",
        "",
        "Generated from what was observed while the tests ran; nothing here is declared but what stands under",
        "*unproven*: refusals that an operation's declaration implies and no test met. *verified* says of what those",
        "tapes were recorded that play without drift ([Fidelity](fidelity.md)): a *server*, or only *fakeplat* itself.",
        "",
        f"{len(implemented)} operations are built, of {len(rows)} that are known.",
        "",
        "| operation | method | path | state | observed | unproven | real clients | verified |",
        "|---|---|---|---|---|---|---|---|",
        *(_coverage_line(row) for row in rows),
    ]
    return "\n".join(lines) + "\n"


def _coverage_line(row: Mapping[str, Any]) -> str:
    observed = " ".join(map(str, row.get("observed", ())))
    unproven = " ".join(map(str, row.get("unproven", ())))
    state = row["state"] if row["tier"] == "free" else f"{row['state']} ({row['tier']})"
    clients = ", ".join(row.get("clients", ()))
    verified = ", ".join(row.get("verified", ()))
    cells = (row["operation"], row["method"], f"`{row['path']}`", state, observed, unproven, clients, verified)
    return f"| {' | '.join(cells)} |"


def roles_page(evidence: Mapping[str, Any]) -> str:
    lines = [
        "# Who may do what",
        "",
        "Generated from what was observed while the tests ran: the statuses that each role met. An empty cell was met",
        "by no test.",
        "",
        f"| operation | {' | '.join(ROLES)} |",
        f"|---|{'---|' * len(ROLES)}",
        *(_roles_line(operation.name, evidence) for operation in OPERATIONS if not operation.ours),
    ]
    return "\n".join(lines) + "\n"


def _roles_line(name: str, evidence: Mapping[str, Any]) -> str:
    roles = evidence.get(name, {}).get("roles", {})
    cells = (" ".join(map(str, roles.get(role, ()))) for role in ROLES)
    return f"| {name} | {' | '.join(cells)} |"
