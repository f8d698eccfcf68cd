"""Worlds outside pytest's fixtures: `fakeplat.start`."""

import os
import unittest
from contextlib import closing
from copy import deepcopy
from http.client import HTTPConnection
from signal import alarm
from typing import Any
from urllib.request import Request, urlopen

import pytest
from typing_extensions import override

import fakeplat
from fakeplat.harness.keywords import FixtureKeywords, WorldKeywords
from fakeplat.harness.session import OPTIONS
from fakeplat.workbench.keywords import InvalidOption

PROJECT = "/api/v4/projects/acme%2Fsite"


def get_status(url: str) -> int:
    with urlopen(Request(url, headers={"PRIVATE-TOKEN": "ada-token"})) as response:
        return int(response.status)


def test_a_block_has_a_world_of_its_own() -> None:
    """Each `with` block has a world with its own port, which is closed at the end."""
    with fakeplat.start() as fake, fakeplat.start(scenario="empty") as other:
        assert 200 == get_status(fake.url + PROJECT)
        assert fake.url != other.url
        assert 404 == other.as_user("root").get("projects/acme%2Fsite").status
    with pytest.raises(OSError, match="refused"):
        get_status(fake.url)


async def test_an_asynchronous_block() -> None:
    """An `async with` block has a world whose port is closed at the end."""
    async with fakeplat.start(scenario="starter") as platform:
        assert 200 == platform.as_user("ada").get("projects/acme%2Fsite").status
        url = platform.url
    with pytest.raises(OSError, match="refused"):
        get_status(url)


def test_stop_and_reset() -> None:
    """A world can be reset and keeps its options, and stopping it twice is allowed."""
    platform = fakeplat.start(tier="premium", seed=7)
    platform.as_user("ada").delete("projects/acme%2Fsite")
    platform.reset()
    assert 200 == get_status(platform.url + PROJECT)
    assert "premium" == platform.options.instance["tier"]
    platform.stop()
    platform.stop()


def test_a_port_can_be_chosen() -> None:
    """A world can be started on a given port."""
    with fakeplat.start() as first:
        port = first.listen_url.rpartition(":")[2]
    with fakeplat.start(port=int(port)) as second:
        assert f"http://127.0.0.1:{port}" == second.url


@pytest.mark.parametrize(
    ("keywords", "text"),
    [
        ({"scenaro": "x"}, "scenario"),
        ({"clock": "sundial"}, "sundial"),
        ({"base_url": "foo"}, "not an origin"),
        ({"base_url": "foo", "listen": False}, "not an origin"),
        ({"scenario": 3}, "^fakeplat: scenario must be a name, a file or a map, not 3$"),
        ({"scenario": None}, "^fakeplat: scenario must be a name, a file or a map, not None$"),
        ({"start": "soon"}, "^clock: 'soon' is not a time; write 2020-11-20T09:00:00Z$"),
        ({"seed": 2**64}, "^seed: the number has more than 64 bits$"),
        ({"tier": "gold"}, "^instance: tier must be one of free, premium, ultimate, not 'gold'$"),
        ({"newer": "no"}, "^instance: newer must be true or false, not 'no'$"),
        ({"listen": "no"}, "^fakeplat: listen must be true or false, not 'no'$"),
        ({"explain": 1}, "^fakeplat: explain must be true or false, not 1$"),
        ({"allow_egress": "maybe"}, "^fakeplat: allow_egress must be true or false, not 'maybe'$"),
        ({"port": -1}, "^fakeplat: port must be a number from 0 to 65535, not -1$"),
        ({"port": "8080"}, "^fakeplat: port must be a number from 0 to 65535, not '8080'$"),
        ({"port": 8080, "listen": False}, "^fakeplat: port cannot be combined with listen=False$"),
        ({"strict": True}, "^fakeplat.start: 'strict' is an option of the fixtures only$"),
    ],
    ids=str,
)
def test_invalid_options_are_refused(keywords: dict[str, Any], text: str) -> None:
    """`fakeplat.start` refuses invalid options with the same messages as the marker."""
    with pytest.raises(InvalidOption, match=text):
        fakeplat.start(**keywords)


def test_a_child_process_starts_its_own() -> None:
    """A forked child process can start a world with its own event loop thread."""
    with fakeplat.start():
        child = os.fork()
        if child == 0:
            with fakeplat.start(scenario="empty") as platform:
                os._exit(0 if platform.as_user("root").get("user").status == 200 else 1)
        assert (child, 0) == os.waitpid(child, 0)


def test_a_child_process_can_stop_the_world_of_its_parent() -> None:
    """Stopping the parent's world in a forked child returns at once and does not stop it for the parent."""
    with fakeplat.start() as platform:
        child = os.fork()
        if child == 0:
            alarm(20)
            platform.stop()
            os._exit(0)
        assert (child, 0) == os.waitpid(child, 0)
        assert 200 == get_status(platform.url + PROJECT)


def test_it_has_the_options_of_the_marker() -> None:
    """`fakeplat.start` has the options of the marker, except those that concern a test."""
    assert {*OPTIONS} == {*FixtureKeywords.__annotations__}
    assert {"strict", "lint", "replay", "bundle"} == {*OPTIONS} - {*WorldKeywords.__annotations__}


def test_a_world_that_nothing_refers_to_is_closed() -> None:
    """A world without references is closed together with its connections."""
    platform = fakeplat.start()
    connection = HTTPConnection("127.0.0.1", int(platform.listen_url.rpartition(":")[2]), timeout=10)
    with closing(connection):
        connection.request("HEAD", "/_fakeplat/health")
        connection.getresponse().read()
        del platform
        assert b"" == connection.sock.recv(1)
        connection.close()
        with pytest.raises(ConnectionRefusedError):
            connection.connect()


def test_a_world_that_was_stopped_can_be_dropped() -> None:
    """A world stays open while another name refers to it, and can be dropped after it is stopped."""
    platform = fakeplat.start()
    other = platform
    del platform
    assert 200 == get_status(other.url + PROJECT)
    other.stop()
    del other


def test_a_copy_is_the_same_world() -> None:
    """A deep copy of a world is the world itself, as Django's `setUpTestData` requires."""
    with fakeplat.start() as platform:
        assert deepcopy({"platform": platform})["platform"] is platform


def test_a_unittest_case() -> None:
    """A unittest case can enter a world with `enterContext` in `setUp`."""

    class Case(unittest.TestCase):
        @override
        def setUp(self) -> None:
            self.platform = self.enterContext(fakeplat.start())

        def test_star(self) -> None:
            """A test method can send requests to the world of its case."""
            assert 201 == self.platform.as_user("dev").post("projects/acme%2Fsite/star").status

    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(Case).run(result)
    assert result.wasSuccessful(), result.errors + result.failures
    assert 1 == result.testsRun
