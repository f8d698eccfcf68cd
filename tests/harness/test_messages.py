"""Messages say what to do: the closest name, the names that exist, the form that is expected."""

from collections.abc import Callable

import httpx
import pytest

import fakeplat as package
from fakeplat.harness.fake import Fakeplat
from tests.harness.test_plugin import run, session

__all__ = ["session"]

SITE = "projects/acme%2Fsite"


def restore_unknown(fakeplat: Fakeplat) -> None:
    fakeplat.snapshot("a")
    fakeplat.restore("zz")


def remove_unknown_fault(fakeplat: Fakeplat) -> None:
    fakeplat.faults.remove(33)


def load_list(fakeplat: Fakeplat) -> None:
    fakeplat.load([1])  # type: ignore[arg-type]


def start_with_a_wrong_merge_check(_: Fakeplat) -> None:
    package.start(merge_check="2s", listen=False)


def start_with_an_unknown_scenario(_: Fakeplat) -> None:
    package.start(scenario="zzz", listen=False)


def misspell_a_user(fakeplat: Fakeplat) -> None:
    fakeplat.token("adaa", scopes=["api"])


def pass_a_body_without_a_name(fakeplat: Fakeplat) -> None:
    fakeplat.as_user("ada").post(f"{SITE}/issues", {"title": "x"})


@pytest.mark.parametrize(
    ("mistake", "error", "message"),
    [
        (restore_unknown, KeyError, "there is no snapshot 'zz'; there are 'a'"),
        (remove_unknown_fault, KeyError, "there is no fault 33; there are none"),
        (load_list, ValueError, "a fragment is a map or a path, not [1]"),
        (
            start_with_a_wrong_merge_check,
            ValueError,
            "$.instance.merge_check: must be 'immediate' or a map with after or polls",
        ),
        (start_with_an_unknown_scenario, ValueError, "there is no scenario 'zzz'; there are empty, large, starter"),
        (misspell_a_user, ValueError, "there is no user 'adaa'; did you mean ada?"),
        (
            pass_a_body_without_a_name,
            TypeError,
            "post() takes the path only without a name: pass a body as json= or data=",
        ),
    ],
)
def test_a_mistake(
    fakeplat: Fakeplat, mistake: Callable[[Fakeplat], None], error: type[Exception], message: str
) -> None:
    """The message of each error says what is wrong and what to do."""
    with pytest.raises(error) as raised:
        mistake(fakeplat)
    assert message == str(raised.value)


def test_a_port_in_use_is_named() -> None:
    """The error for a port in use names the address and advises port 0."""
    with package.start() as world:
        address = world.url.removeprefix("http://")
        with pytest.raises(OSError, match="in use") as raised:
            package.start(port=int(address.rpartition(":")[2]))
    assert f"Address already in use: {address}; port 0 selects a free one" == raised.value.strerror


def add_hook(fakeplat: Fakeplat, **flags: bool) -> None:
    fakeplat.as_user("ada").post(f"{SITE}/hooks", json={"url": "https://bot.example.test", **flags})


def list_delivery_hints(fakeplat: Fakeplat, trigger: str | None = "issue") -> list[str]:
    with pytest.raises(AssertionError) as raised:
        fakeplat.hooks.wait_for(trigger, timeout=0.01)
    return str(raised.value).splitlines()[2:]


def test_a_delivery_that_does_not_come(fakeplat: Fakeplat) -> None:
    """The hints for a missing delivery name the existing hooks and their event flags."""
    assert ["this world has no webhooks"] == list_delivery_hints(fakeplat)
    add_hook(fakeplat)
    assert ["1 hook of acme/site exists, without issues_events"] == list_delivery_hints(fakeplat)
    add_hook(fakeplat, issues_events=True)
    add_hook(fakeplat, push_events=True)
    assert [
        "2 hooks of acme/site exist, without issues_events",
        "1 hook of acme/site exists, with issues_events",
    ] == list_delivery_hints(fakeplat)
    assert ["3 hooks of acme/site exist"] == list_delivery_hints(fakeplat, None)


def test_an_empty_log_equals_an_empty_list(fakeplat: Fakeplat) -> None:
    """A log of requests, deliveries or emails without entries is equal to an empty list."""
    assert [True] * 3 == [log == [] for log in (fakeplat.requests, fakeplat.hooks, fakeplat.mails)]
    fakeplat.as_user("ada").get("version")
    assert fakeplat.requests != []
    assert fakeplat.requests == fakeplat.requests


def test_statuses_have_the_name_of_other_clients(fakeplat: Fakeplat) -> None:
    """Replies, journal entries and their responses have the attribute `status_code`."""
    reply = fakeplat.as_user("ada").get("version")
    assert 200 == reply.status_code == fakeplat.requests[-1].status_code == fakeplat.requests[-1].response.status_code


def test_findings_of_a_kind_are_one_section(session: pytest.Pytester) -> None:
    """The report of a failing test has one section for all lints."""
    result = run(
        session,
        """
        import httpx
        def test_it(fakeplat):
            headers = {"PRIVATE-TOKEN": "ada-token"}
            for iid in (1, 2):
                httpx.get(f"{fakeplat.api_url}/issues/{iid}?private_token=ada-token", headers={"private_token": "x"})
            httpx.get(f"{fakeplat.api_url}/user?private_token=ada-token")
            assert 0
        """,
    )
    assert 1 == len([line for line in result.outlines if "fakeplat lint" in line])


def test_blocked_sockets(session: pytest.Pytester) -> None:
    """If pytest-socket blocks the world's port, the error is one line with two solutions."""
    result = run(session, "def test_it(fakeplat): pass", "--disable-socket")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["E *fakeplat: sockets are blocked: use listen=False * allow it: --allow-hosts=127.0.0.1"]
    )
    result.stdout.no_fnmatch_line("*selector_events*")
    run(session, "def test_it(fakeplat): pass", "--allow-hosts=127.0.0.1").assert_outcomes(passed=1)


def test_the_report_of_a_test_shows_what_the_fixture_is(fakeplat: Fakeplat) -> None:
    """The representation of the fixture has the URL and the scenario."""
    assert 200 == httpx.get(f"{fakeplat.api_url}/version", headers={"PRIVATE-TOKEN": "ada-token"}).status_code
    assert f"<Fakeplat {fakeplat.url} starter>" == repr(fakeplat)
