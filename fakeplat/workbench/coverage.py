"""The coverage table: every known operation, whether it is implemented, and what the tests observed of it.

The evidence is collected from the journal while the tests run and shipped as a generated file; nothing in
it is written by hand. Source: docs/contract.md ('Evidence').
"""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Final

import orjson

import fakeplat.api  # noqa: F401  # registers the lazy routes
from fakeplat.catalog.unbuilt import unbuilt_operations
from fakeplat.core.operations.operation import OPERATIONS
from fakeplat.workbench.openapi import error_statuses

EVIDENCE: Final = "evidence.json"


@cache
def evidence() -> Mapping[str, Any]:
    """Return the evidence by operation: its statuses, refusals, roles and clients."""
    file = files("fakeplat.workbench").joinpath(EVIDENCE)
    by_operation: Mapping[str, Any] = orjson.loads(file.read_bytes()) if file.is_file() else {}
    return by_operation


def coverage_rows(observed: Mapping[str, object] | None = None) -> list[dict[str, Any]]:
    """Return one row per operation, the platform's and our own, sorted by path and method."""
    by_operation = evidence() if observed is None else observed
    return sorted([*_unbuilt_rows(), *_built_rows(by_operation)], key=lambda row: (row["path"], row["method"]))


def _unbuilt_rows() -> list[dict[str, Any]]:
    return [
        {
            "operation": operation.name,
            "method": operation.method,
            "path": operation.path,
            "section": operation.section,
            "state": "left out" if operation.left_out else "not built",
            "tier": operation.tier or "free",
            "releases": str(operation.lifetime),
        }
        for operation in unbuilt_operations()
    ]


def _built_rows(by_operation: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "operation": operation.name,
            "method": operation.method,
            "path": operation.path,
            "section": operation.area.name,
            "state": "ours" if operation.ours else "built",
            "tier": operation.tier or "free",
            "releases": str(operation.lifetime),
            **_evidence_columns(by_operation.get(operation.name, {}), error_statuses(operation)),
        }
        for operation in OPERATIONS
    ]


def _evidence_columns(evidence_of_operation: Mapping[str, Any], declared: set[int]) -> dict[str, Any]:
    statuses = sorted(int(status) for status in evidence_of_operation.get("statuses", {}))
    return {
        "observed": statuses,
        "clients": evidence_of_operation.get("clients", []),
        "verified": evidence_of_operation.get("verified", []),
        "unproven": sorted(declared - set(statuses)),
    }


def format_coverage(rows: Sequence[Mapping[str, object]]) -> str:
    """Format the table for a terminal."""
    built = [row for row in rows if row["state"] in ("built", "ours")]
    lines = [_format_row(row) for row in rows]
    return "\n".join([*lines, "", f"{len(built)} of {len(rows)} operations are implemented"])


def _format_row(row: Mapping[str, Any]) -> str:
    observed = " ".join(map(str, row.get("observed", ())))
    clients = ", ".join(row.get("clients", ()))
    observed_text = (
        f"  observed {observed or 'nothing'}" + (f"  by {clients}" if clients else "") if "observed" in row else ""
    )
    tapes_text = f"  confirmed by tapes of {' and '.join(row['verified'])}" if row.get("verified") else ""
    releases = f"  {row['releases']}" if row.get("releases") else ""
    name = f"{row['method']:<6} {row['path']}  ({row['operation']})"
    return f"{row['state']:<9} {name}{releases}{observed_text}{tapes_text}"
