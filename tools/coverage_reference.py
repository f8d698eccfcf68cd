"""The pages of what the tests observed: all operations, and who may do what."""

from collections.abc import Mapping
from typing import Any

from fakeplat.catalog.unbuilt import unbuilt_fields, unbuilt_graphql, unbuilt_parameters
from fakeplat.core.operations.operation import OPERATIONS
from fakeplat.workbench.coverage import coverage_rows, evidence
from tools.evidence import ROLES


def coverage_page() -> str:
    """All known operations, with what the tests observed of them."""
    rows = coverage_rows()
    implemented = [row for row in rows if row["state"] in ("built", "ours")]
    lines = [
        "# Coverage",
        "",
        "Generated from what was observed while the tests ran; nothing here is declared but what stands under",
        "*unproven*: refusals that an operation's declaration implies and no test met. *verified* says of what those",
        "tapes were recorded that play without drift ([Fidelity](fidelity.md)): a *server*, or only *fakeplat* itself.",
        "",
        f"{len(implemented)} operations are built, of {len(rows)} that are known. Of those that are built,",
        f"{len(unbuilt_parameters())} parameters and {len(unbuilt_fields())} fields are known, too, and not built;",
        f"so are {len(unbuilt_graphql())} names of GraphQL.",
        "",
        "An operation without *releases* is in every one from 13.5 to the latest; [Releases](releases.md) counts them.",
        "",
        "| operation | method | path | state | releases | observed | unproven | real clients | verified |",
        "|---|---|---|---|---|---|---|---|---|",
        *(_coverage_line(row) for row in rows),
    ]
    return "\n".join(lines) + "\n"


def _coverage_line(row: Mapping[str, Any]) -> str:
    observed = " ".join(map(str, row.get("observed", ())))
    unproven = " ".join(map(str, row.get("unproven", ())))
    state = row["state"] if row["tier"] == "free" else f"{row['state']} ({row['tier']})"
    clients = ", ".join(row.get("clients", ()))
    verified = ", ".join(row.get("verified", ()))
    place = (row["operation"], row["method"], f"`{row['path']}`", state, row["releases"])
    cells = (*place, observed, unproven, clients, verified)
    return f"| {' | '.join(cells)} |"


def roles_page() -> str:
    """The statuses that each role met, by operation."""
    observed = evidence()
    lines = [
        "# Who may do what",
        "",
        "Generated from what was observed while the tests ran: the statuses that each role met. An empty cell was met",
        "by no test.",
        "",
        f"| operation | {' | '.join(ROLES)} |",
        f"|---|{'---|' * len(ROLES)}",
        *(_roles_line(operation.name, observed) for operation in OPERATIONS if not operation.ours),
    ]
    return "\n".join(lines) + "\n"


def _roles_line(name: str, observed: Mapping[str, Any]) -> str:
    roles = observed.get(name, {}).get("roles", {})
    cells = (" ".join(map(str, roles.get(role, ()))) for role in ROLES)
    return f"| {name} | {' | '.join(cells)} |"
