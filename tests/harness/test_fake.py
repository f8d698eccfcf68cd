from typing import Any

import pytest

from fakeplat import start
from fakeplat.workbench.inspection import NoSuchRecord


def test_the_world_shows_records_as_the_api_does(fakeplat: Any) -> None:
    """`fakeplat.world` shows records with the field names of the API, and collections of their parts."""
    project = fakeplat.world.project("acme/site")
    answer = fakeplat.as_user("root").get("projects/acme%2Fsite").json()
    assert answer["path_with_namespace"] == project.path_with_namespace == project["path_with_namespace"]
    assert ["ada", "mia", "dev", "rep", "gus"] == [member.username for member in fakeplat.world.group("acme").members]


def test_a_look_does_not_change(fakeplat: Any) -> None:
    """A world view shows the world as it was when the view was taken."""
    before = fakeplat.world
    fakeplat.as_user("ada").post("projects/acme%2Fsite/star")
    assert (0, 1) == (before.project("acme/site").star_count, fakeplat.world.project("acme/site").star_count)


def test_what_is_not_there_is_named_with_the_nearest(fakeplat: Any) -> None:
    """An unknown record and an unknown field raise errors that name the nearest one."""
    with pytest.raises(NoSuchRecord, match="did you mean 'acme/site'"):
        fakeplat.world.project("acme/sight")
    with pytest.raises(AttributeError, match="did you mean star_count"):
        _ = fakeplat.world.project("acme/site").starcount


def test_a_token_is_the_scenarios_unless_something_is_asked_of_it(fakeplat: Any) -> None:
    """`token` returns the scenario's token, or a new one when a kind, scopes or expiry are given."""
    assert "ada-token" == fakeplat.token("ada")
    narrow = fakeplat.token("ada", scopes=["read_user"])
    reply = fakeplat.as_user(None).get("projects", headers={"PRIVATE-TOKEN": narrow})
    assert 403 == reply.status


def test_an_address_in_a_query_leaves_the_path_as_it_is(fakeplat: Any) -> None:
    """A URL in the query does not make the path an absolute URL."""
    ada = fakeplat.as_user("ada")
    badge = "projects/acme%2Fsite/badges/render?link_url=http://a.test/l&image_url=http://a.test/i"

    assert "http://a.test/l" == ada.get(badge).json()["link_url"]
    assert 200 == ada.get(f"{fakeplat.url}/api/v4/{badge}").status


def test_a_fragment_is_loaded_whole_or_not_at_all(fakeplat: Any) -> None:
    """A fragment with a mistake in its second part changes nothing."""
    before = fakeplat.bench.platform.state
    with pytest.raises(ValueError, match="nobody"):
        fakeplat.load({"users": [{"username": "zed"}], "groups": [{"path": "zeds", "members": {"nobody": "owner"}}]})
    assert before is fakeplat.bench.platform.state
    fakeplat.load({"users": [{"username": "zed"}]})
    assert "zed@example.test" == fakeplat.world.user("zed").email


def test_snapshots_hold_the_time_too(fakeplat: Any) -> None:
    """Restoring a snapshot restores the records and the clock."""
    name = fakeplat.snapshot()
    fakeplat.clock.advance("1d")
    fakeplat.as_user("ada").post("projects", json={"name": "Later"})
    fakeplat.restore(name)
    assert "2020-11-20T09:00:00.000Z" == fakeplat.clock.now
    assert 404 == fakeplat.as_user("ada").get("projects/ada%2Flater").status


def test_how_jobs_are_played_is_a_step_of_the_script(fakeplat: Any) -> None:
    """Each change of the pipeline declarations is a step of the script with all current declarations."""
    fakeplat.pipelines.add(job="test", outcome="failed")
    fakeplat.pipelines.clear()

    steps = [(step.what, step.given) for step in fakeplat.script.steps]
    assert [("pipelines", [{"job": "test", "outcome": "failed"}]), ("pipelines", [])] == steps


def test_time_does_not_go_back(fakeplat: Any) -> None:
    """The clock refuses an earlier time and a negative duration."""
    with pytest.raises(ValueError, match="cannot go back"):
        fakeplat.clock.advance_to("2020-11-19")
    with pytest.raises(ValueError, match="not a duration"):
        fakeplat.clock.advance("-1h")


def test_equal_worlds_answer_equally(fakeplat_factory: Any) -> None:
    """Worlds with the same scenario, seed and requests give equal responses, apart from X-Runtime."""

    def session(fake: Any) -> list[Any]:
        replies = [
            fake.as_user("root").post("groups", json={"name": "G", "path": "g"}),
            fake.as_user("root").get("groups"),
            fake.as_user(None).get("projects"),
            fake.as_user("root").post("projects", json={}),
        ]
        return [(r.status, {**r.headers, "X-Runtime": ""}, r.text) for r in replies]

    options = {"scenario": "empty", "seed": 7, "clock": "virtual", "base_url": "http://code.example.test"}
    assert session(fakeplat_factory(**options)) == session(fakeplat_factory(**options))


@pytest.mark.parametrize("clock", ["virtual", "auto", "real"])
def test_a_reset_ends_answers_of_a_later_time(clock: str) -> None:
    """A reset world does not repeat cached responses from a later time."""
    messages = [{"message": "m", "starts_at": "2020-11-20T08:00:00Z", "ends_at": "2020-11-21T08:00:00Z"}]
    world = {"clock": {"start": "2020-11-20T09:00:00Z"}, "broadcast_messages": messages}
    with start(scenario=world, clock=clock, listen=False) as fake:
        root = fake.as_user("root")
        active = [root.get("broadcast_messages").json()[0]["active"]]
        fake.clock.advance("3d")
        active.append(root.get("broadcast_messages").json()[0]["active"])
        fake.reset()
        active.append(root.get("broadcast_messages").json()[0]["active"])
    assert [True, False, True] == active
