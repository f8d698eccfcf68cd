"""Cleanup policies of the container registry."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.images import REPOSITORIES, SITE, START, tags, world
from tests.api.requests import invalid_record, refusal

pytestmark = pytest.mark.fakeplat(scenario=world(), clock="virtual", start=START)


def get_policy(fake: Fakeplat) -> dict[str, Any]:
    return dict(fake.as_user("root").get(SITE).json()["container_expiration_policy"])


def update_policy(fake: Fakeplat, **changes: Any) -> dict[str, Any]:
    body = {"container_expiration_policy_attributes": changes}
    return dict(fake.as_user("mia").put(SITE, json=body).json()["container_expiration_policy"])


def test_a_new_project_has_a_policy(fakeplat: Fakeplat) -> None:
    """The cleanup policy of a new project is due one day after its creation."""
    expected = {
        "cadence": "1d",
        "enabled": True,
        "keep_n": 10,
        "older_than": "90d",
        "name_regex": ".*",
        "name_regex_keep": None,
        "next_run_at": "2020-11-21T09:00:00.000Z",
    }
    assert expected == get_policy(fakeplat)


def test_a_change_starts_a_new_period(fakeplat: Fakeplat) -> None:
    """``name_regex_delete`` is another name of ``name_regex``."""
    fakeplat.clock.advance("2h")
    changed = update_policy(fakeplat, cadence="7d", name_regex_delete="v.*")
    assert ("v.*", "2020-11-27T11:00") == (changed["name_regex"], changed["next_run_at"][:16])
    assert "name_regex_delete" not in changed
    fakeplat.clock.advance("2h")
    assert changed == update_policy(fakeplat, cadence="7d")


@pytest.mark.parametrize(
    ("changes", "field", "texts"),
    [
        ({"cadence": "2d"}, "cadence", ["is not included in the list"]),
        ({"cadence": None}, "cadence", ["can't be blank", "is not included in the list"]),
        ({"keep_n": 3}, "keep_n", ["is not included in the list"]),
        ({"older_than": "60d"}, "older_than", ["is not included in the list"]),
        ({"enabled": None}, "enabled", ["is not included in the list"]),
    ],
)
def test_a_policy_has_few_values(fakeplat: Fakeplat, changes: dict[str, Any], field: str, texts: list[str]) -> None:
    """The field names the policy and its attribute."""
    body = {"container_expiration_policy_attributes": changes}
    expected = invalid_record(**{f"container_expiration_policy.{field}": texts})
    assert expected == refusal(fakeplat, "mia", "PUT", SITE, json=body)


def test_expressions_are_checked_while_the_policy_is_enabled(fakeplat: Fakeplat) -> None:
    """A disabled policy takes any, and cannot be enabled with them."""
    assert "*" == update_policy(fakeplat, enabled=False, name_regex="*")["name_regex"]
    body = {"container_expiration_policy_attributes": {"enabled": True}}
    status, refused = refusal(fakeplat, "mia", "PUT", SITE, json=body)
    assert (400, ["container_expiration_policy.name_regex"]) == (status, [*refused["message"]])


def test_a_policy_deletes_tags_when_it_is_due(fakeplat: Fakeplat) -> None:
    """A due policy runs 50 minutes past the hour and is next due one period later."""
    update_policy(fakeplat, keep_n=None, older_than="7d", cadence="1d")
    fakeplat.clock.advance("24h45m")
    assert 5 == len(tags(fakeplat))
    fakeplat.clock.advance("10m")
    assert ["latest", "unknown"] == tags(fakeplat)
    assert "2020-11-22T09:50:00.000Z" == get_policy(fakeplat)["next_run_at"]


@pytest.mark.parametrize(
    ("cadence", "expected"),
    [
        ("1d", "2020-11-21T09:00"),
        ("7d", "2020-11-27T09:00"),
        ("14d", "2020-12-04T09:00"),
        ("1month", "2020-12-20T09:00"),
        ("3month", "2021-02-18T09:00"),
    ],
)
def test_a_policy_is_due_after_its_cadence(fakeplat: Fakeplat, cadence: str, expected: str) -> None:
    """The next run is one period after a change, in which a month has 30 days."""
    update_policy(fakeplat, enabled=False)
    changed = update_policy(fakeplat, enabled=True, cadence=cadence)
    assert expected == changed["next_run_at"][:16]


@pytest.mark.parametrize(("created_at", "is_kept"), [("09:50:00.999", False), ("09:50:01.000", True)])
def test_a_policy_keeps_tags_that_are_as_old_as_its_limit(fakeplat: Fakeplat, created_at: str, is_kept: bool) -> None:
    """A policy deletes tags that are older than its limit, and not those of that age. Here it works for a second."""
    tag = {"name": "edge", "created_at": f"2020-11-14T{created_at}Z"}
    images = [{"name": "edges", "tags": [tag]}]
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "container_repositories": images}]})
    update_policy(fakeplat, keep_n=None, older_than="7d", cadence="1d")
    fakeplat.clock.advance("24h50m")
    fakeplat.settle()
    assert ["edge"] * is_kept == tags(fakeplat, "edges")


def test_a_run_is_shown_while_it_lasts(fakeplat: Fakeplat) -> None:
    """``cleanup_policy_started_at`` is null again after it."""
    fakeplat.clock.advance("24h50m")
    started = [row["cleanup_policy_started_at"] for row in fakeplat.as_user("rep").get(REPOSITORIES).json()]
    assert ["2020-11-21T09:50:00.000Z", "2020-11-21T09:50:00.000Z"] == started
    fakeplat.settle()
    started = [row["cleanup_policy_started_at"] for row in fakeplat.as_user("rep").get(REPOSITORIES).json()]
    assert [None, None] == started


def test_a_run_does_not_count_as_a_request(fakeplat: Fakeplat) -> None:
    """The hour that users have to wait is not started by it."""
    fakeplat.clock.advance("25h")
    path = f"{REPOSITORIES}/{fakeplat.as_user('rep').get(REPOSITORIES).json()[1]['id']}/tags"
    assert 202 == fakeplat.as_user("mia").request("DELETE", path, json={"name_regex": "x"}).status


def test_a_disabled_policy_does_nothing(fakeplat: Fakeplat) -> None:
    """The time of its next run does not move."""
    before = update_policy(fakeplat, enabled=False, older_than=None, keep_n=None)
    fakeplat.clock.advance("72h")
    assert (before, 5) == (get_policy(fakeplat), len(tags(fakeplat)))


def test_a_policy_without_an_expression_deletes_nothing(fakeplat: Fakeplat) -> None:
    """An empty expression of a policy matches only empty names, so nothing is deleted."""
    update_policy(fakeplat, name_regex=None, older_than=None, keep_n=None)
    fakeplat.clock.advance("72h")
    assert 5 == len(tags(fakeplat))


@pytest.mark.fakeplat(scenario=world(container_expiration_policy={"cadence": "1d", "keep_n": 1, "older_than": None}))
def test_an_invalid_policy_is_disabled_when_it_is_due(fakeplat: Fakeplat) -> None:
    """An invalid policy is disabled when it is due, and keeps its next run."""
    with fakeplat.bench.platform.acting() as ctx:
        project = next(row for row in ctx.world.projects.all() if row.path == "site")
        invalid = {**(project.container_expiration_policy or {}), "cadence": "2d"}
        ctx.world.projects.change(project, container_expiration_policy=invalid)
    fakeplat.clock.advance("72h")
    assert (False, 5) == (get_policy(fakeplat)["enabled"], len(tags(fakeplat)))


@pytest.mark.fakeplat(scenario="starter")
def test_the_time_of_the_next_run_moves_without_images_too(fakeplat: Fakeplat) -> None:
    """The next run of a policy moves by a period even without images."""
    fakeplat.clock.advance("24h45m")
    assert "2020-11-21T09:00:00.000Z" == get_policy(fakeplat)["next_run_at"]
    fakeplat.clock.advance("10m")
    assert "2020-11-22T09:50:00.000Z" == get_policy(fakeplat)["next_run_at"]
    fakeplat.clock.advance("240h")
    assert "2020-12-02T09:50:00.000Z" == get_policy(fakeplat)["next_run_at"]
