"""Features of the platform in later releases: percentages, and actors who are opted out.

Source: docs/platform/version-and-metadata.md.
"""

from typing import Any

import pytest

from fakeplat.domain.instance.features import is_enabled
from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import FEATURE_PERCENTAGES_ARE_DECIMAL, FEATURE_VALUES_ARE_CHECKED
from fakeplat.scenario.documents import get_scenario
from fakeplat.scenario.export import export_world
from fakeplat.scenario.worlds import create_platform
from tests.api.marks import STARTER_AT_NINE
from tests.api.requests import Outcome, invalid, refusal
from tests.by_release import by_release

pytestmark = [STARTER_AT_NINE, pytest.mark.fakeplat(version="latest")]
NOT_BOOLEAN = {"key": "boolean", "value": False}


def switch(fake: Fakeplat, value: object, **others: object) -> dict[str, Any]:
    reply = fake.as_user("root").post("features/menu", json={"value": value, **others})
    assert 201 == reply.status, reply
    return dict(reply.json())


def refused(text: str) -> Outcome:
    return 400, {"message": f"400 Bad request - {text}"}


def is_on_for(fake: Fakeplat, username: str) -> bool:
    world = fake.bench.platform.view
    return is_enabled(world, "menu", world.users.find("username", username))


@by_release(FEATURE_PERCENTAGES_ARE_DECIMAL, "expected", {"14.10": [], "15.4": [0.01]})
@pytest.mark.parametrize("key", ["percentage_of_time", "percentage_of_actors"])
def test_percentages_may_be_fractions(fakeplat: Fakeplat, key: str, expected: list[float]) -> None:
    """Earlier releases read the digits before the point."""
    gates = switch(fakeplat, "0.01", key=key)["gates"]
    assert [NOT_BOOLEAN, *({"key": key, "value": value} for value in expected)] == gates


@by_release(
    FEATURE_VALUES_ARE_CHECKED, "expected", {"18.5": (201, "off"), "18.6": refused("Cannot set 'menu' to \"some\"")}
)
def test_the_release_that_checks_values(fakeplat: Fakeplat, expected: Outcome) -> None:
    """What is neither a truth value nor a number counted as 0."""
    reply = fakeplat.as_user("root").post("features/menu", json={"value": "some"})
    assert expected == (reply.status, reply.json().get("state", reply.json()))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"value": "some", "key": "percentage_of_actors"}, refused("Not a percentage")),
        ({"value": "some", "key": "unknown"}, refused('Cannot set \'menu\' ("unknown") to "some"')),
        ({"value": "opt_out"}, refused("Cannot set 'menu' to \"opt_out\"")),
        ({"value": "remove_opt_out"}, refused("Cannot set 'menu' to \"remove_opt_out\"")),
        ({"value": "50", "user": "dev"}, refused("Cannot set 'menu' to \"50\" for @dev")),
        ({"value": "remove_opt_out", "user": "dev"}, refused("No opt-out exists for @dev")),
        ({"value": "opt_out", "user": "dev,nobody"}, refused("nobody is not found!")),
        ({"value": "101"}, invalid("value is invalid")),
    ],
)
def test_values_that_are_refused(fakeplat: Fakeplat, body: dict[str, object], expected: Outcome) -> None:
    """A refused value changes no gate."""
    assert expected == refusal(fakeplat, "root", "POST", "features/menu", json=body)
    assert [] == fakeplat.as_user("root").get("features").json()


@pytest.mark.parametrize("value", ["100", "100.0", 100])
def test_all_of_hundred_is_everybody(fakeplat: Fakeplat, value: object) -> None:
    """A percentage of 100 switches a feature on, one of 0 switches it off and closes all gates."""
    assert [{"key": "boolean", "value": True}] == switch(fakeplat, value)["gates"]
    assert [NOT_BOOLEAN] == switch(fakeplat, "0.0", key="percentage_of_actors")["gates"]


def test_a_percentage_needs_a_feature_that_is_not_on(fakeplat: Fakeplat) -> None:
    """A feature that is on for everybody has to be switched off before it gets a percentage."""
    switch(fakeplat, "true")
    for key in ("actors", "time"):
        expected = refused(f"Cannot enable percentage of {key} for a fully-enabled flag")
        body = {"value": "50", "key": f"percentage_of_{key}"}
        assert expected == refusal(fakeplat, "root", "POST", "features/menu", json=body)

    switch(fakeplat, "false")
    assert [NOT_BOOLEAN, {"key": "percentage_of_time", "value": 50.0}] == switch(fakeplat, "50")["gates"]


def test_actors_are_opted_out(fakeplat: Fakeplat) -> None:
    """A feature is off for those who are opted out, who cannot be switched on before their opt-out is removed."""
    dev, site = fakeplat.world.user("dev").id, fakeplat.world.project("acme/site").id
    switch(fakeplat, "true")
    opted_out = switch(fakeplat, "opt_out", user="dev", project="acme/site", feature_group="perf_team")

    assert "on" == opted_out["state"]
    assert [
        {"key": "boolean", "value": True},
        {"key": "actors", "value": [f"User:{dev}:opt_out", f"Project:{site}:opt_out"]},
    ] == opted_out["gates"]
    assert [False, True] == [is_on_for(fakeplat, name) for name in ("dev", "rep")]
    expected = refused("Opt-out exists for @dev - remove opt-out before enabling")
    assert expected == refusal(fakeplat, "root", "POST", "features/menu", json={"value": "true", "user": "rep,dev"})

    removed = switch(fakeplat, "remove_opt_out", user="dev")
    assert {"key": "actors", "value": [f"Project:{site}:opt_out"]} == removed["gates"][1]
    assert is_on_for(fakeplat, "dev")


def test_opt_outs_survive_an_export(fakeplat: Fakeplat) -> None:
    """Without another gate, a feature with somebody who is opted out is conditional."""
    shown = switch(fakeplat, "opt_out", user="dev", group="acme", project="acme/site", namespace="dev")
    twin = create_platform(get_scenario(export_world(fakeplat.bench.platform))).view

    assert "conditional" == shown["state"]
    (feature,) = twin.features.all()
    named = (feature.opted_out_user_ids, feature.opted_out_group_ids, feature.opted_out_project_ids)
    assert [1, 1, 1, 1] == [len(ids) for ids in (*named, feature.opted_out_namespace_ids)]


def test_the_namespace_of_a_group_is_the_group(fakeplat: Fakeplat) -> None:
    """A feature that is switched on for the namespace of a group is switched off for the group."""
    acme = fakeplat.world.group("acme").id

    assert {"key": "actors", "value": [f"Group:{acme}"]} == switch(fakeplat, "true", namespace="acme")["gates"][1]
    assert "off" == switch(fakeplat, "false", group="acme")["state"]


def test_an_empty_list_names_nobody(fakeplat: Fakeplat) -> None:
    """A list of actors without names switches a feature for none, not for everybody."""
    assert "off" == switch(fakeplat, "true", user="")["state"]
