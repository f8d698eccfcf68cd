"""Every known operation, whether it is built, and what was observed of it.

The evidence is collected from the journal while the tests run and shipped as a generated file; nothing in
it is declared. Source: docs/contract.md ('Evidence').
"""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Final

import orjson

import fakeplat.api  # noqa: F401  # registers the lazy routes
from fakeplat.catalog import known
from fakeplat.core.operations.operation import OPERATIONS
from fakeplat.workbench.openapi import refusals

EVIDENCE: Final = "evidence.json"


@cache
def evidence() -> Mapping[str, Any]:
    """What was observed: per operation its statuses, refusals, roles and clients."""
    file = files("fakeplat.workbench").joinpath(EVIDENCE)
    found: Mapping[str, Any] = orjson.loads(file.read_bytes()) if file.is_file() else {}
    return found


def table(observed: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
    """One row per operation, known or ours, by path and method."""
    found = evidence() if observed is None else observed
    rows = {row["operation"]: row for row in [*_known_rows(), *_built_rows(found)]}
    return sorted(rows.values(), key=lambda row: (row["path"], row["method"]))


def _known_rows() -> list[dict[str, Any]]:
    return [
        {
            "operation": one.name,
            "method": one.method,
            "path": one.path,
            "section": one.section,
            "state": f"since {one.since}" if one.since not in ("", "newer") else one.since or "not built",
            "tier": one.tier or "free",
        }
        for one in known()
    ]


def _built_rows(found: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "operation": operation.name,
            "method": operation.method,
            "path": operation.path,
            "section": operation.area.name,
            "state": "ours" if operation.ours else "built",
            "tier": operation.tier or "free",
            **_observed(found.get(operation.name, {}), refusals(operation)),
        }
        for operation in OPERATIONS
    ]


def _observed(found: Mapping[str, Any], declared: set[int]) -> dict[str, Any]:
    statuses = sorted(int(status) for status in found.get("statuses", {}))
    return {
        "observed": statuses,
        "clients": found.get("clients", []),
        "verified": found.get("verified", []),
        "unproven": sorted(declared - set(statuses)),
    }


def as_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """The table for a terminal."""
    built = [row for row in rows if row["state"] in ("built", "ours")]
    lines = [_line(row) for row in rows]
    return "\n".join([*lines, "", f"{len(built)} of {len(rows)} operations are built"])


def _line(row: Mapping[str, Any]) -> str:
    observed = " ".join(map(str, row.get("observed", ())))
    clients = ", ".join(row.get("clients", ()))
    proof = f"  observed {observed or 'nothing'}" + (f"  by {clients}" if clients else "") if "observed" in row else ""
    tapes = f"  as taped of {' and '.join(row['verified'])}" if row.get("verified") else ""
    return f"{row['state']:<9} {row['method']:<6} {row['path']}  ({row['operation']}){proof}{tapes}"
