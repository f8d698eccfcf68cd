"""The fault sweep: `pytest --fakeplat-sweep` repeats each marked test, each time with one fault at one of its requests.

It shows which faults a client survives. The test itself passes or fails as without a sweep.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import pytest
from _pytest.runner import runtestprotocol

from fakeplat.harness.session import Session
from fakeplat.workbench.journal_entries import JournalEntry

MARK: Final = "fakeplat_sweep"
PROPERTY: Final = "fakeplat_sweep"
"""The name of the property with which reports carry the results, also from the workers of pytest-xdist."""

_TIMEOUT: Final = 3
_FAULTS: Final[Mapping[str, Mapping[str, Any]]] = {
    "lost reply": {"connection": "lost_reply"},
    "429": {"status": 429, "retry_after": 1},
    "500": {"status": 500},
    "cut body": {"connection": "truncated"},
    # A client without a time-out waits until the connection is closed.
    "timeout": {"latency": _TIMEOUT, "connection": "lost_reply"},
}
_NOT_MET: Final = "was not met"


class SweepPlugin:
    """The hooks of the option. ``session`` returns fakeplat's session."""

    def __init__(self, session: Callable[[], Session]) -> None:
        self._session = session

    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
        """Sweep a marked test; run any other one as usual."""
        if item.get_closest_marker(MARK) is None:
            return None
        _sweep(item, nextitem, self._session())
        return True

    def pytest_terminal_summary(self, terminalreporter: "pytest.TerminalReporter") -> None:
        """Show the results of all swept tests."""
        swept = list(_read_results(terminalreporter))
        if swept:
            terminalreporter.section("fakeplat sweep")
        for nodeid, results in swept:
            terminalreporter.write_line(nodeid)
            for line in _describe(results):
                terminalreporter.write_line(line)


def _read_results(reporter: "pytest.TerminalReporter") -> Iterator[tuple[str, Sequence[Sequence[str]]]]:
    for reports in reporter.stats.values():
        for report in reports:
            for name, value in getattr(report, "user_properties", ()):
                if name == PROPERTY:
                    yield report.nodeid, value


def _sweep(item: pytest.Item, nextitem: pytest.Item | None, session: Session) -> None:
    """Run a test as it is, then once for each request and fault, and report the results with it."""
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    reports = _run(item)
    if all(report.passed for report in reports):
        results = [_run_with_fault(item, session, *case) for case in list(_list_cases(_list_requests(session)))]
        reports[1].user_properties.append((PROPERTY, results))
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    _tear_down(item, nextitem)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)


def _run(item: pytest.Item) -> list[pytest.TestReport]:
    """Run a test, and finish its own fixtures; those of its class and module stay for the next run."""
    parent: Any = item.parent
    return runtestprotocol(item, log=False, nextitem=parent)


def _tear_down(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Finish the fixtures that the next test does not use."""
    item.session._setupstate.teardown_exact(nextitem)  # there is no public way to repeat a test


def _list_requests(session: Session) -> Sequence[JournalEntry]:
    return next((world.entries for world in session.tracked if world.entries), [])


def _list_cases(entries: Sequence[JournalEntry]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Yield each request of a client with each fault. What the test requests itself, by ``as_user``, is not swept."""
    for number, entry in enumerate(entries, 1):
        if entry.is_by_client:
            for name, fault in _FAULTS.items():
                yield f"{number}. {entry.method} {entry.path}", name, {**fault, "nth": number}


def _run_with_fault(
    item: pytest.Item, session: Session, request: str, name: str, fault: Mapping[str, object]
) -> tuple[str, str, str]:
    """Return the request, the name of the fault, and what became of the test: empty if it passed."""
    session.end()
    session.begin(item)
    with session.sweeping(fault):
        reports = _run(item)
    failure = next((report for report in reports if report.failed), None)
    if failure is not None:
        return request, name, _summarize(failure)
    is_met = any(entry.fault for world in session.tracked for entry in world.entries)
    return request, name, "" if is_met else _NOT_MET


def _summarize(report: pytest.TestReport) -> str:
    """Return the last line of a failure: the exception."""
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash is not None else report.longreprtext
    return next(iter(text.strip().splitlines()), "failed")


def _describe(results: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the lines about a test for the summary: what it did not survive, and how much it did."""
    if not results:
        yield "  nothing to sweep: no client of the test sent a request (those of as_user are not swept)"
        return
    survived = [row for row in results if not row[2]]
    unmet = [row for row in results if row[2] == _NOT_MET]
    yield f"  survived {len(survived)} of {len(results) - len(unmet)} faults"
    if unmet:
        yield f"  {len(unmet)} faults were not met: the test made fewer requests than before, or reset its world"
    for request, fault, outcome in results:
        if outcome and outcome != _NOT_MET:
            yield f"  {fault} at {request}: {outcome}"
