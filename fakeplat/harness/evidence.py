"""Evidence for the user's suite: `pytest --fakeplat-evidence=FILE` tells what the tests have exercised, and what not.

FILE is JSON, or HTML if it ends in ``.html``; the terminal shows a summary.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Final, TypedDict

import orjson
import pytest

from fakeplat.core.operations.operation import OPERATIONS
from fakeplat.core.params.params import binder_of
from fakeplat.harness.report_files import write_file
from fakeplat.harness.session import Session
from fakeplat.model.people import Level, Namespace, UserNamespace
from fakeplat.model.projects import Project, Routable
from fakeplat.model.world import World
from fakeplat.pipeline.handler import RequestHandler
from fakeplat.platform import HandledRequest, Observer, Platform, response_key
from fakeplat.policy.levels import group_level, project_level
from fakeplat.workbench.deprecations import read_params
from fakeplat.workbench.journal_entries import JournalEntry
from fakeplat.workbench.openapi import error_statuses

_WORKER_OUTPUT: Final = "fakeplat_evidence"
_PAGING: Final = frozenset({"page", "per_page"})
_MAX_LISTED: Final = 8

Observation = tuple[str, int, str, str, str, str]
"""Operation, status, role, reason of a refusal, names of parameters with commas, version of the world."""


class Refusal(TypedDict):
    """How often an operation refused a role for a reason."""

    status: int
    role: str
    reason: str
    release: str
    count: int


class Unexercised(TypedDict):
    """What was never exercised of an operation."""

    statuses: list[int]
    parameters: list[str]


class Summary(TypedDict):
    """What was observed of an operation."""

    calls: int
    releases: dict[str, int]
    statuses: dict[str, int]
    roles: dict[str, int]
    refusals: list[Refusal]
    parameters: list[str]
    never: Unexercised


class EvidencePlugin:
    """The hooks of the option. ``session`` returns fakeplat's session."""

    def __init__(self, config: pytest.Config, session: Callable[[], Session], file: Path) -> None:
        self._config = config
        self._file = file
        self._observed: Counter[Observation] = Counter()
        self._problem = ""
        session().observer_factories.append(self._create_observer)

    def _create_observer(self, platform: Platform) -> Observer:
        """Return the observer of one world."""
        version = platform.view.instance.version
        roles: dict[tuple[object, ...], str | None] = {}

        def observe(handled: HandledRequest, handler: RequestHandler | None) -> None:
            # A response that is reused comes without a handler; it was made for an equal request with the same role.
            key = response_key(handled.request)
            if handler is not None:
                roles[key] = role_of(handler)
            self._note(handled, roles.get(key), version)

        return observe

    def _note(self, handled: HandledRequest, role: str | None, version: str) -> None:
        entry = JournalEntry(handled)
        operation = entry.operation
        # What a fault has caused is not evidence of the platform, and what a test requests itself is none of a client.
        if operation is None or operation not in OPERATIONS or entry.fault or not entry.is_by_client:
            return
        role = role or ("anonymous" if entry.user is None else "signed in")
        reason = (entry.reason or "") if entry.status >= 400 else ""
        # An `HTTPStatus` could not be sent to the controller.
        parameters = ",".join(sorted(read_params(handled.request)))
        self._observed[operation, int(entry.status), role, reason, parameters, version] += 1

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: object) -> None:
        """Take over what a worker of pytest-xdist has observed."""
        for row, count in getattr(node, "workeroutput", {}).get(_WORKER_OUTPUT, ()):
            operation, status, role, reason, parameters, version = row
            self._observed[operation, status, role, reason, parameters, version] += count

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """Write the file, or hand the observations of a worker to the controller."""
        output = getattr(self._config, "workeroutput", None)
        if output is not None:
            output[_WORKER_OUTPUT] = [(list(row), count) for row, count in self._observed.items()]
            return
        rows = summarize(self._observed)
        is_page = self._file.suffix in (".html", ".htm")
        content = _render_page(rows).encode() if is_page else orjson.dumps(rows, option=orjson.OPT_INDENT_2)
        self._problem = write_file(self._file, content)

    def pytest_terminal_summary(self, terminalreporter: "pytest.TerminalReporter") -> None:
        """Show a line for each operation in use."""
        rows = summarize(self._observed)
        terminalreporter.section("fakeplat evidence")
        for name, row in rows.items():
            terminalreporter.write_line(_describe(name, row))
        noun = "operation" if len(rows) == 1 else "operations"
        terminalreporter.write_line(f"{len(rows)} {noun} in use; {self._problem or f'details: {self._file}'}")


def role_of(handler: RequestHandler) -> str | None:
    """Return the caller's role in the request's project or group, else whether they are signed in."""
    user = handler.caller.user
    if user is None:
        return "anonymous"
    if user.admin:
        return "admin"
    container = next((record for record in handler.records if isinstance(record, Project | Namespace)), None)
    if container is None:
        return "signed in"
    level = _level_before(handler.world, container, user.id)
    return Level(level).name.lower() if level else ("external" if user.external else "no member")


def _level_before(world: World, container: Routable, user_id: int) -> int:
    """Return the level before the request."""
    if isinstance(container, Project):
        return project_level(world, container, user_id)
    if isinstance(container, UserNamespace):
        return Level.OWNER if container.owner_id == user_id else Level.NONE
    return group_level(world, container, user_id)


def summarize(observed: Mapping[Observation, int]) -> dict[str, Summary]:
    """Return what was observed of each operation, and what of it was never exercised."""
    names = sorted({operation for operation, *_ in observed})
    return {name: _summarize(name, {key: count for key, count in observed.items() if key[0] == name}) for name in names}


def _summarize(name: str, observed: Mapping[Observation, int]) -> Summary:
    statuses: Counter[str] = Counter()
    roles: Counter[str] = Counter()
    sent: set[str] = set()
    refusals: list[Refusal] = []
    releases: Counter[str] = Counter()
    for (_, status, role, reason, parameters, version), count in sorted(observed.items()):
        releases[version] += count
        statuses[str(status)] += count
        roles[role] += count
        sent |= {*filter(None, parameters.split(","))}
        if status >= 400:
            refusals.append({"status": status, "role": role, "reason": reason, "release": version, "count": count})
    never: Unexercised = {"statuses": _unmet_statuses(name, statuses), "parameters": _unsent_parameters(name, sent)}
    return {
        "calls": statuses.total(),
        "releases": dict(releases),
        "statuses": dict(statuses),
        "roles": dict(roles),
        "refusals": refusals,
        "parameters": sorted(sent),
        "never": never,
    }


def _unmet_statuses(name: str, met: Mapping[str, int]) -> list[int]:
    return sorted(status for status in error_statuses(OPERATIONS[name]) if str(status) not in met)


def _unsent_parameters(name: str, sent: set[str]) -> list[str]:
    fields = binder_of(OPERATIONS[name].params).fields
    return sorted(field.name for field in fields if not sent.intersection(field.names) and field.name not in _PAGING)


def _describe(name: str, row: Summary) -> str:
    statuses = ", ".join(row["statuses"])
    unmet, unsent = row["never"]["statuses"], row["never"]["parameters"]
    parts = [f"{name}: {row['calls']} × ({statuses}) by {', '.join(row['roles'])}"]
    if unmet:
        parts.append(f"never met {', '.join(map(str, unmet))}")
    if unsent:
        parts.append(f"never sent {_shorten(unsent)}")
    return "; ".join(parts)


def _shorten(names: Sequence[str]) -> str:
    rest = len(names) - _MAX_LISTED
    return ", ".join(names[:_MAX_LISTED]) + (f" and {rest} more" if rest > 0 else "")


def _render_page(rows: Mapping[str, Summary]) -> str:
    body = "".join(_render_row(name, row) for name, row in rows.items())
    head = "".join(f"<th>{title}</th>" for title in _TITLES)
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>What the tests exercised</title>'
        f"<style>{_STYLE}</style></head><body><h1>What the tests exercised</h1>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></body></html>\n"
    )


def _render_row(name: str, row: Summary) -> str:
    refusals = [f"{refusal['status']} {refusal['role']}: {refusal['reason']}" for refusal in row["refusals"]]
    cells: Iterator[object] = iter(
        (
            name,
            row["calls"],
            ", ".join(f"{status} ({count})" for status, count in row["statuses"].items()),
            ", ".join(row["roles"]),
            ", ".join(row["releases"]),
            "\n".join(refusals),
            ", ".join(map(str, row["never"]["statuses"])),
            ", ".join(row["never"]["parameters"]),
        )
    )
    return f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in cells)}</tr>"


_TITLES: Final = (
    "Operation",
    "Calls",
    "Statuses",
    "Roles",
    "Releases",
    "Refusals",
    "Errors never met",
    "Parameters never sent",
)
_STYLE: Final = (
    ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;margin:2rem}table{border-collapse:collapse}"
    "th,td{text-align:left;vertical-align:top;padding:.4rem .8rem;border-bottom:1px solid #8884;white-space:pre-line}"
)
