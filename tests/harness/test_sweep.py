"""The fault sweep: which faults the clients of a test survive."""

import pytest

from tests.harness.test_plugin import run, session

__all__ = ["session"]

SUITE = """
    import json
    from urllib.error import HTTPError
    from urllib.request import Request, urlopen

    import pytest

    def read(fakeplat, path):
        request = Request(f"{fakeplat.api_url}/{path}", headers={"PRIVATE-TOKEN": "ada-token"})
        with urlopen(request, timeout=1) as response:
            return json.loads(response.read())

    def retry(read, *arguments):
        for _ in range(3):
            try:
                return read(*arguments)
            except (OSError, ValueError, HTTPError):
                continue
        raise AssertionError("gave up")

    @pytest.mark.fakeplat_sweep
    def test_fragile(fakeplat):
        fakeplat.as_user("ada").get("version")
        assert read(fakeplat, "user")["username"] == "ada"

    @pytest.mark.fakeplat_sweep
    def test_robust(fakeplat):
        assert retry(read, fakeplat, "user")["username"] == "ada"
        assert len(retry(read, fakeplat, "projects")) > 1

    @pytest.mark.fakeplat_sweep
    def test_broken(fakeplat):
        assert 0

    def test_plain(fakeplat):
        read(fakeplat, "user")
"""


def test_each_request_gets_each_fault(session: pytest.Pytester) -> None:
    """A sweep applies each fault to each request and reports the results in the summary."""
    result = run(session, SUITE, "--fakeplat-sweep")
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(
        [
            "*= fakeplat sweep =*",
            "*::test_fragile",
            "  survived 0 of 5 faults",
            "  lost reply at 2. GET /api/v4/user: *RemoteDisconnected*",
            "  429 at 2. GET /api/v4/user: *HTTP Error 429*",
            "  500 at 2. GET /api/v4/user: *HTTP Error 500*",
            "  cut body at 2. GET /api/v4/user: *IncompleteRead*",
            "  timeout at 2. GET /api/v4/user: *TimeoutError*",
            "*::test_robust",
            "  survived 8 of 10 faults",
            "  cut body at*",
        ]
    )
    result.stdout.no_fnmatch_line("*at 1. GET /api/v4/version*")


def test_results_come_from_workers_too(session: pytest.Pytester) -> None:
    """Under pytest-xdist the controller's summary has the sweep results of the workers."""
    result = run(session, SUITE, "--fakeplat-sweep", "-n1", "-k", "fragile or plain")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["*::test_fragile", "  survived 0 of 5 faults"])


def test_without_the_option_nothing_is_repeated(session: pytest.Pytester) -> None:
    """The marker fakeplat_sweep repeats nothing without the option."""
    result = run(session, SUITE, "-k", "robust")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*fakeplat sweep*")


def test_a_shared_world_is_swept(session: pytest.Pytester) -> None:
    """A sweep of a shared world removes its faults after each run and explains faults that were not met."""
    source = """
    @pytest.fixture(scope="module")
    def shared(fakeplat_factory):
        with fakeplat_factory() as world:
            yield world

    @pytest.mark.fakeplat_sweep
    def test_fragile(shared):
        assert read(shared, "user")["username"] == "ada"

    @pytest.mark.fakeplat_sweep
    def test_reset(shared):
        shared.reset()
        assert read(shared, "user")["username"] == "ada"

    def test_plain(shared):
        assert not shared.faults.list()
    """
    result = run(session, SUITE.partition("    @pytest.mark")[0] + source, "--fakeplat-sweep")
    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(["*::test_fragile", "  survived 0 of 5 faults"])
    result.stdout.fnmatch_lines(
        [
            "*::test_reset",
            "  survived 0 of 0 faults",
            "  5 faults were not met: the test made fewer requests than before, or reset its world",
        ]
    )
