"""How much a journal keeps."""

import pytest

from fakeplat.core.operations.http_messages import Request
from fakeplat.platform import Platform
from fakeplat.workbench.bench import Workbench
from fakeplat.workbench.journal import BODIES, Bodies, Journal, JournalLimits
from fakeplat.workbench.options import Options

ISSUES = "/api/v4/projects/acme%2Fsite/issues"


@pytest.fixture
def bench() -> Workbench:
    return Options(scenario="starter").bench()


def post(platform: Platform, body: bytes, **headers: str) -> int:
    sent = {"content-type": "application/json", **{name.replace("_", "-"): value for name, value in headers.items()}}
    return platform.handle(Request("POST", ISSUES, headers=sent, body=body)).status


def list_body_sizes(journal: Journal) -> list[tuple[int, bool]]:
    return [(len(entry.request.body), bool(entry.response.body)) for entry in journal.entries]


def test_oldest_requests_are_dropped_over_the_limit(bench: Workbench) -> None:
    """With a limit of 500 kB the journal keeps the last four of twenty requests of 100 kB and counts the others."""
    bench.journal.limits = JournalLimits(size=500_000)
    for _ in range(20):
        assert 401 == post(bench.platform, b'{"title": "%b"}' % (b"x" * 100_000))
    assert [17, 18, 19, 20] == [entry.number for entry in bench.journal]
    assert 16 == bench.journal.dropped


def test_a_request_over_the_limit_is_kept_without_its_body(bench: Workbench) -> None:
    """A request over the size limit is kept with its operation and status, but without its body."""
    bench.journal.limits = JournalLimits(size=50_000)
    post(bench.platform, b'{"title": "%b"}' % (b"x" * 100_000))
    (entry,) = bench.journal
    assert ("create_issue", 401, [(0, False)]) == (entry.operation, entry.status, list_body_sizes(bench.journal))


@pytest.mark.parametrize(("bodies", "expected"), [("all", (14, True)), ("requests", (14, False)), ("none", (0, False))])
def test_bodies_are_kept_as_far_as_asked_for(bench: Workbench, bodies: Bodies, expected: tuple[int, bool]) -> None:
    """The journal keeps all bodies, only those of requests, or none, as `bodies` says."""
    bench.journal.limits = JournalLimits(bodies=bodies)
    assert 201 == post(bench.platform, b'{"title": "x"}', private_token="dev-token")
    assert [expected] == list_body_sizes(bench.journal)
    assert [("create_issue", "dev", 201)] == [(row.operation, row.user, row.status) for row in bench.journal]


def test_every_choice_of_bodies_is_tested() -> None:
    """The parametrized test above covers every choice of `bodies`."""
    assert ("all", "requests", "none") == BODIES


def test_reasons_of_large_requests_are_kept_as_text(bench: Workbench) -> None:
    """The reason of a large request is stored as text, so that its parsed body is not kept."""
    post(bench.platform, b'{"titel": "%b"}' % (b"x" * 20_000), private_token="dev-token")
    (entry,) = bench.journal.entries
    assert entry.answer.refusal is None
    assert "title is missing" in str(entry.answer.reason)
    assert "did you mean title?" in str(entry.answer.reason)


def test_a_cleared_journal_has_its_whole_limit_again(bench: Workbench) -> None:
    """Clearing the journal frees its whole size limit."""
    bench.journal.limits = JournalLimits(size=250_000)
    for _ in range(2):
        post(bench.platform, b'{"title": "%b"}' % (b"x" * 100_000))
    bench.journal.clear()
    post(bench.platform, b'{"title": "%b"}' % (b"x" * 200_000))
    assert ([3], 0) == ([entry.number for entry in bench.journal], bench.journal.dropped)
