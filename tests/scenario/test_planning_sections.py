"""Links, histories, boards, activity, badges, requests and settings in scenarios, and back."""

from collections.abc import Iterator
from typing import Any

import orjson
import pytest

from fakeplat import scenario
from fakeplat.core.operations.http_messages import Request
from fakeplat.platform import Platform
from fakeplat.scenario import ScenarioError
from tests.scenario.answers import ANONYMOUS, collect_names, compare_values, replace_ids, token_of
from tests.scenario.rich_planning import RICH_PLANNING
from tests.scenario.test_schema import build_validator
from tests.scenario.worlds import create_platform, project, reload_export, write

VIEWERS = ("root", "ada", "dev", "gus", "eve", ANONYMOUS)
PLACES = ("projects/acme%2Fsite", "groups/acme")
OF_PLACES = ("boards", "access_requests", "badges", "notification_settings", "labels", "milestones")
OF_ISSUES = (
    "",
    "/links",
    "/participants",
    "/user_agent_detail",
    "/time_stats",
    *(f"/resource_{kind}_events" for kind in ("label", "milestone", "state", "weight")),
)


def list_targets(platform: Platform) -> Iterator[str]:
    """Every GET that shows something of planning."""
    yield from (f"{path}/{kind}" for path in PLACES for kind in OF_PLACES)
    yield from (
        "events",
        "events?scope=all",
        "projects/acme%2Fsite/events",
        "users/dev/events",
        "notification_settings",
    )
    yield from (f"search?scope={scope}&search=one" for scope in ("issues", "projects", "milestones", "users"))
    for issue in platform.view.issues.all():
        path = "docs" if platform.view.projects[issue.project_id].path == "docs" else "site"
        yield from (f"projects/acme%2F{path}/issues/{issue.iid}{part}" for part in OF_ISSUES)


def collect_answers(platform: Platform) -> dict[tuple[str, str], tuple[int, Any]]:
    responses, names = {}, collect_names(platform.view)
    for viewer in VIEWERS:
        token = token_of(platform.view, viewer) if viewer != ANONYMOUS else None
        for target in list_targets(platform):
            path, _, query = target.partition("?")
            headers = {"private-token": token} if token else {}
            response = platform.handle(Request("GET", f"/api/v4/{path}", f"per_page=100&{query}", headers))
            responses[viewer, target] = (response.status, replace_ids(orjson.loads(response.body), names))
    return responses


def list_changes(platform: Platform) -> list[str]:
    """What answers otherwise after a round trip."""
    before = collect_answers(platform)
    assert all(status < 500 for status, _ in before.values())
    return list(compare_values(before, collect_answers(reload_export(platform))))


@pytest.mark.parametrize("tier", ["free", "premium"])
def test_planning_answers_the_same_after_a_round_trip(tier: str) -> None:
    """Boards, links and the other planning records answer the same after a round trip."""
    platform = create_platform({**RICH_PLANNING, "instance": {"tier": tier}})
    before = collect_answers(platform)

    assert [] == list_changes(platform)
    assert ["is_blocked_by", "relates_to"] == [
        link["link_type"] for link in before["ada", "projects/acme%2Fsite/issues/1/links"][1]
    ]
    assert 6 == len(before["ada", "projects/acme%2Fsite/events"][1])
    assert (200, "browser/1.0") == (
        before["root", "projects/acme%2Fsite/issues/1/user_agent_detail"][0],
        before["root", "projects/acme%2Fsite/issues/1/user_agent_detail"][1]["user_agent"],
    )


def test_what_came_through_the_api_answers_the_same_after_a_round_trip() -> None:
    """Links, moves, spent time, boards and notification settings from the API survive a round trip."""
    platform = create_platform(RICH_PLANNING)
    site = "projects/acme%2Fsite"
    docs = write(platform, "POST", "projects", "ada-token", name="docs", namespace_id=get_group_id(platform))["id"]
    write(
        platform,
        "POST",
        f"{site}/issues",
        "dev-token",
        title="Four",
        labels="bug,late",
        milestone_id=get_milestone_id(platform),
    )
    write(platform, "PUT", f"{site}/issues/4", "dev-token", labels="urgent", state_event="close", milestone_id=0)
    write(platform, "PUT", f"{site}/issues/4", "dev-token", state_event="reopen")
    write(platform, "POST", f"{site}/issues/4/notes", "gus-token", body="@dev look")
    there = write(platform, "POST", f"projects/{docs}/issues", "ada-token", title="There")["iid"]
    write(platform, "POST", f"{site}/issues/4/links", "ada-token", target_project_id=docs, target_issue_iid=there)
    write(platform, "POST", f"{site}/issues/4/add_spent_time", "dev-token", duration="1h")
    write(platform, "POST", f"{site}/issues/4/unsubscribe", "dev-token")
    write(platform, "POST", f"{site}/issues/4/move", "ada-token", to_project_id=docs)
    write(platform, "POST", f"{site}/boards", "dev-token", name="More")
    write(platform, "PUT", f"{site}/notification_settings", "ada-token", level="mention")
    write(platform, "DELETE", f"{site}/labels/late", "ada-token")

    assert [] == list_changes(platform)


def test_what_left_its_group_answers_the_same_after_a_round_trip() -> None:
    """A promoted milestone and the boards of a transferred project survive a round trip."""
    platform = create_platform(RICH_PLANNING)
    write(platform, "POST", f"projects/acme%2Fsite/milestones/{get_milestone_id(platform)}/promote", "ada-token")
    assert [] == list_changes(platform)
    write(platform, "PUT", "projects/acme%2Fsite/transfer", "root-token", namespace="ada")
    (work, _) = platform.view.boards.where("source", ("project", project(platform.view, "ada/site").id))

    lists = sorted(platform.view.board_lists.where("board", work.id), key=lambda board_list: board_list.position)
    assert ["late", "urgent", "bug"] == [platform.view.labels[board_list.thing_id].title for board_list in lists]
    own = ("project", work.source[1])
    assert {own} == {platform.view.labels[board_list.thing_id].source for board_list in lists}
    assert work.milestone_id is not None
    assert own == platform.view.milestones[work.milestone_id].source
    assert create_platform(scenario.export_world(platform)).view.boards.all()[0].name in ("All", "Work")


def get_group_id(platform: Platform) -> int:
    return int(project(platform.view, "acme/site").namespace_id)


def get_milestone_id(platform: Platform) -> int:
    return next(milestone.id for milestone in platform.view.milestones.all() if milestone.title == "v1")


@pytest.mark.parametrize(
    ("document", "text"),
    [
        ({"issue_links": [{"source": "acme/site#1", "target": "acme/site#9"}]}, "unknown issue 'acme/site#9'"),
        ({"issue_links": [{"source": "acme/site#1", "target": "acme/site#1"}]}, "cannot be linked to itself"),
        ({"issue_links": [{"source": "acme/site#1"}]}, "needs 'target'"),
        ({"events": [{"author": "ada", "action": "created"}]}, "needs a project or a group"),
        ({"events": [{"author": "ada", "action": "sang", "project": "acme/site"}]}, "must be one of created"),
        (
            {
                "events": [
                    {
                        "author": "ada",
                        "action": "closed",
                        "project": "acme/site",
                        "target_type": "milestone",
                        "target": "v7",
                    }
                ]
            },
            "unknown milestone 'v7'",
        ),
    ],
)
def test_mistakes_are_named(document: dict[str, Any], text: str) -> None:
    """A mistake in a planning section is refused with its reason."""
    with pytest.raises(ScenarioError) as wrong:
        create_platform({**RICH_PLANNING, **document})
    assert text in str(wrong.value)


def test_the_schema_knows_it_all() -> None:
    """The schema accepts a scenario with every planning key."""
    assert [] == list(build_validator().iter_errors(RICH_PLANNING))
