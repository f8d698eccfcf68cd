"""Traces: the HTML pages of failed tests, and of bundles."""

import re
from pathlib import Path
from urllib.request import url2pathname

import pytest

from tests.harness.test_plugin import run, run_command

TESTS = """
    import pytest

    @pytest.mark.fakeplat(tier="premium", pipelines=[{"job": "test", "outcome": "failed"}])
    def test_bot(fakeplat):
        fakeplat.faults.add(operation="create_issue", status=503, nth=2)
        ada, mia = fakeplat.as_user("ada"), fakeplat.as_user("mia")
        ada.post("projects/acme%2Fsite/hooks", json={"url": "http://bot.example.test/", "issues_events": True})
        dev = fakeplat.world.user("dev").id
        ada.post("projects/acme%2Fsite/issues", json={"title": "<b>Broken</b> link", "assignee_ids": [dev]})
        ada.post("projects/acme%2Fsite/issues", json={"title": "Second"})
        mia.post("projects/acme%2Fsite/pipeline?ref=master")
        fakeplat.clock.advance("1h")
        fakeplat.as_user("eve").get("projects/acme%2Fsite", headers={"User-Agent": "bot"})
        assert False

    def test_passes(fakeplat):
        fakeplat.as_user("ada").get("user")

    def test_without_a_world():
        assert False
"""


@pytest.fixture
def session(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makeini("[pytest]\nasyncio_mode = auto\nasyncio_default_fixture_loop_scope = function\n")
    return pytester


def list_names(session: pytest.Pytester) -> list[str]:
    return sorted(path.name.partition("py-")[2] for path in session.path.joinpath("traces").iterdir())


def read_trace(session: pytest.Pytester, name: str) -> str:
    (path,) = session.path.joinpath("traces").glob(f"*{name}.html")
    return path.read_text("utf-8")


def test_a_failed_test_leaves_a_page(session: pytest.Pytester) -> None:
    """Each failed test with a world writes one page, which its report links."""
    result = run(session, TESTS, "--fakeplat-trace=traces")
    result.assert_outcomes(failed=2, passed=1)
    assert ["test_bot.html"] == list_names(session)
    (address,) = re.findall(r"^file://(\S+)$", result.stdout.str(), re.MULTILINE)
    assert "test_bot" in Path(url2pathname(address)).read_text("utf-8")


def test_all_tests_with_worlds_leave_pages(session: pytest.Pytester) -> None:
    """With `all:`, tests that pass write a page, too."""
    run(session, TESTS, "--fakeplat-trace=all:traces")
    assert ["test_bot.html", "test_passes.html"] == list_names(session)


def test_no_test_leaves_a_page_without_the_option(session: pytest.Pytester) -> None:
    """Without the option nothing is written."""
    run(session, TESTS)
    assert not session.path.joinpath("traces").exists()


def test_the_page_shows_what_happened(session: pytest.Pytester) -> None:
    """The page has the requests with reasons, bodies and changes, deliveries, mails, the clock, and pipelines."""
    run(session, TESTS, "--fakeplat-trace=traces")
    page = read_trace(session, "test_bot")
    text = " ".join(re.sub(r"<[^>]+>", " ", page.partition("</style>")[2]).split())
    for part in (
        "ada: 3, eve: 1, mia: 1",
        "Refused or failed 2",
        "status 503 for operation create_issue: 1 of 2 requests",
        "POST /api/v4/projects/acme%2Fsite/issues create_issue",
        "503 ada POST",
        "created issues acme/site#",
        "project acme/site (5001) is private and hidden from eve",
        "webhook issue_hooks to http://bot.example.test/",
        "mail to dev@example.test:",
        "The clock moved by 0:59:",  # the mail about the pipeline came after a second
        "failed acme/site master",
        "failed test",
        "&lt;b&gt;Broken&lt;/b&gt; link",
    ):
        assert part in text, part
    assert "ada-token" not in page
    assert "<b>Broken" not in page


def test_the_page_stands_alone(session: pytest.Pytester) -> None:
    """The page loads nothing: no scripts, no pictures, no style sheets of others."""
    run(session, TESTS, "--fakeplat-trace=traces")
    page = read_trace(session, "test_bot")
    assert [] == re.findall(r"<script|<img|<iframe|@import|url\(|\bsrc=", page)
    assert ['<link rel="icon" href="data:,">'] == re.findall(r"<link[^>]*>", page)


def test_a_bundle_is_shown_as_a_page(session: pytest.Pytester) -> None:
    """`bundle show` prints the requests of a bundle, and writes the page of its replay."""
    run(session, TESTS, "--fakeplat-bundle=left")
    (bundle,) = session.path.joinpath("left").glob("*test_bot.json")
    result = run_command(session, "bundle", "show", bundle)
    assert 0 == result.ret
    result.stdout.fnmatch_lines(["*::test_bot", "503 POST */issues by ada*", "404 GET*by eve*"])
    page = session.path / "bundle.html"
    assert 0 == run_command(session, "bundle", "show", bundle, "--html", page).ret
    assert "created issues" in re.sub(r"<[^>]+>", "", page.read_text("utf-8"))
    missing = run_command(session, "bundle", "show", bundle, "--html", session.path / "missing" / "bundle.html")
    assert 2 == missing.ret
    missing.stderr.fnmatch_lines(["fakeplat: *bundle.html: No such file or directory"])
