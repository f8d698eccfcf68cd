"""Labels, milestones and issues in scenarios, and back."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import orjson
import pytest

from fakeplat import scenario
from fakeplat.core.operations.http_messages import Request
from fakeplat.domain.people.namespaces import full_path, project_path
from fakeplat.model.issues import Issue
from fakeplat.model.people import Group
from fakeplat.model.planning import Label
from fakeplat.model.setting_rules import declared_settings
from fakeplat.model.world import World
from fakeplat.platform import Platform
from fakeplat.scenario import ScenarioError
from fakeplat.scenario.settings import SETTINGS
from tests.scenario.answers import ANONYMOUS, collect_names, compare_values, replace_ids, token_of
from tests.scenario.rich_issues import RICH_ISSUES, VIEWERS
from tests.scenario.test_schema import build_validator
from tests.scenario.worlds import create_platform, create_world, get_user, project, reload_export, write

ORDERS = ("created_at", "updated_at", "due_date", "relative_position", "weight", "priority", "popularity")


def list_targets(seen: World) -> Iterator[str]:
    """Every GET that shows something of issues, labels and milestones."""
    places = [f"projects/{quote(project_path(seen, project), safe='')}" for project in seen.projects.all()]
    places += [
        f"groups/{quote(full_path(seen, group), safe='')}"
        for group in seen.namespaces.all()
        if isinstance(group, Group)
    ]
    for container in places:
        yield f"{container}/labels?with_counts=true"
        yield f"{container}/labels?include_ancestor_groups=true"
        yield f"{container}/milestones"
        yield f"{container}/issues_statistics"
        for order in ORDERS:
            yield f"{container}/issues?order_by={order}&with_labels_details=true"
        yield f"{container}/issues?my_reaction_emoji=tada"
    for order in ORDERS:
        yield f"issues?scope=all&order_by={order}&sort=asc"
    for issue_ in seen.issues.all():
        yield f"projects/{quote(project_path(seen, seen.projects[issue_.project_id]), safe='')}/issues/{issue_.iid}"
    for label in seen.labels.all():
        if label.source[0] == "project":
            path = quote(project_path(seen, seen.projects[label.source[1]]), safe="")
            yield f"projects/{path}/labels/{quote(label.title, safe='')}"


def collect_answers(platform: Platform, viewers: tuple[str, ...]) -> dict[tuple[str, str], tuple[int, Any]]:
    responses, names = {}, collect_names(platform.view)
    for viewer in viewers:
        token = token_of(platform.view, viewer) if viewer != ANONYMOUS else None
        for target in list_targets(platform.view):
            path, _, query = target.partition("?")
            headers = {"private-token": token} if token else {}
            response = platform.handle(Request("GET", f"/api/v4/{path}", f"per_page=100&{query}", headers))
            responses[viewer, target] = (response.status, replace_ids(orjson.loads(response.body), names))
    return responses


def list_changes(platform: Platform, viewers: tuple[str, ...] = VIEWERS) -> list[str]:
    """What answers otherwise after a round trip."""
    before = collect_answers(platform, viewers)
    assert all(status < 500 for status, _ in before.values())
    return list(compare_values(before, collect_answers(reload_export(platform), viewers)))


def get_issue(seen: World, path: str, iid: int) -> Issue:
    record = seen.issues.find("iid", (project(seen, path).id, iid))
    assert record is not None, (path, iid)
    return record


def list_titles(seen: World, table: str, kind: str, id_: int) -> list[str]:
    return [record.title for record in getattr(seen, table).where("source", (kind, id_))]


@pytest.mark.parametrize("tier", ["free", "premium", "ultimate"])
def test_issues_labels_and_milestones_answer_the_same_after_a_round_trip(tier: str) -> None:
    """Issues, labels and milestones with all their keys answer the same after a round trip."""
    assert [] == list_changes(create_platform({**RICH_ISSUES, "instance": {"tier": tier}}))


def test_what_came_through_the_api_answers_the_same_after_a_round_trip() -> None:
    """Issues that were created through the API in several projects keep their order after a round trip."""
    platform = create_platform(RICH_ISSUES)
    site, kit = (project(platform.view, path).id for path in ("acme/site", "acme/tools/kit"))
    for number, (project_id, created_at) in enumerate([(kit, "2018-01-01"), (site, "2017-01-01"), (kit, "2021-01-01")]):
        body = {"title": f"T{number}", "created_at": f"{created_at}T00:00:00Z", "due_date": "2020-12-01"}
        write(platform, "POST", f"projects/{project_id}/issues", "root-token", labels="bug,new", **body)
    write(platform, "PUT", f"projects/{site}/issues/7", "ada-token", state_event="close")
    write(platform, "POST", f"projects/{site}/labels", "ada-token", name="late", color="#123456", priority=9)
    write(platform, "POST", f"projects/{kit}/milestones", "ada-token", title="last", due_date="2020-12-02")

    assert [] == list_changes(platform)
    assert list_issue_numbers(platform.view) == list_issue_numbers(reload_export(platform).view)


def test_what_was_moved_answers_the_same_after_a_round_trip() -> None:
    """A project that leaves its group keeps labels, priorities and milestones of the same titles as its own."""
    platform = create_platform(RICH_ISSUES)
    before = platform.view
    write(platform, "PUT", "projects/acme%2Fsite/transfer", "root-token", namespace="ada")
    after, site = platform.view, project(platform.view, "ada/site")

    for iid in (1, 7):
        assert [label.title for label in list_labels(before, get_issue(before, "acme/site", iid))] == [
            label.title for label in list_labels(after, get_issue(after, "ada/site", iid))
        ]
    assert {("project", site.id)} == {label.source for label in list_labels(after, get_issue(after, "ada/site", 7))}
    assert [] == list_changes(platform)


def list_labels(seen: World, issue_: Issue) -> list[Label]:
    return [seen.labels[id_] for id_ in issue_.label_ids]


def list_issue_numbers(seen: World) -> list[tuple[str, int]]:
    return [(project_path(seen, seen.projects[issue.project_id]), issue.iid) for issue in seen.issues.all()]


def test_a_second_export_says_the_same() -> None:
    """The export of a world that was loaded from an export is equal to it."""
    first = scenario.export_world(create_platform(RICH_ISSUES))
    second = scenario.export_world(create_platform(first))

    assert [] == list(compare_values({**first, "chance": 0}, {**second, "chance": 0}))


def test_an_issue_needs_no_more_than_a_title() -> None:
    """An issue with only a title is open, written by the project's creator, with the next iid and position."""
    seen = create_world(RICH_ISSUES)
    plain = get_issue(seen, "acme/site", 1)

    assert ("Only a title", "opened", get_user(seen, "dev").id) == (plain.title, plain.state, plain.author_id)
    assert [1, 7, 8, 9, 10, 11] == [issue.iid for issue in seen.issues if issue.project_id == plain.project_id]
    assert 500 == plain.relative_position


def test_rights_are_not_asked() -> None:
    """A declared issue of a guest has labels, assignees and a weight, which a guest may not set."""
    record = get_issue(create_world(RICH_ISSUES), "acme/site", 7)

    assert (3, 2, 3, "at_risk") == (
        len(record.label_ids),
        len(record.assignee_ids),
        record.weight,
        record.health_status,
    )


def test_unknown_labels_of_an_issue_are_made_in_its_project() -> None:
    """An unknown label of an issue is created in its project with the default color."""
    seen = create_world(RICH_ISSUES)
    site = project(seen, "acme/site")
    made_up = seen.labels.find("place", (("project", site.id), "unheard of"))

    assert made_up is not None
    assert "#428BCA" == made_up.color
    assert ["bug", "docs / text", "plain", "unheard of"] == list_titles(seen, "labels", "project", site.id)


def test_a_closed_issue_was_closed_by_its_author_by_default() -> None:
    """A closed issue without further keys was closed by its author when it was created."""
    seen = create_world(RICH_ISSUES)
    done, long_ago, by_nobody = (get_issue(seen, "acme/site", iid) for iid in (8, 9, 10))

    assert (get_user(seen, "dev").id, done.created_at) == (done.closed_by_id, done.closed_at)
    assert (get_user(seen, "ada").id, "2020-05-05T00:00:00.000Z") == (long_ago.closed_by_id, long_ago.closed_at)
    assert (None, None) == (by_nobody.closed_by_id, by_nobody.closed_at)


def test_what_is_named_again_is_changed() -> None:
    """A fragment changes labels by name, milestones by title, and issues by iid or else by title."""
    platform = create_platform(RICH_ISSUES)
    again_said = {
        "path_with_namespace": "acme/site",
        "labels": [{"name": "bug", "color": "#0000ff", "priority": None}],
        "milestones": [{"title": "v1", "state": "active"}],
        "issues": [{"iid": 7, "title": "Renamed", "state": "closed"}, {"title": "Done", "state": "opened"}, "New"],
    }
    before = platform.view
    scenario.load(platform, {"projects": [again_said]})
    seen = platform.view
    bug = seen.labels.find("place", (("project", project(seen, "acme/site").id), "bug"))

    assert (len(before.labels), len(before.milestones), len(before.issues) + 1) == (
        len(seen.labels),
        len(seen.milestones),
        len(seen.issues),
    )
    assert bug is not None
    assert ("#0000ff", "active") == (bug.color, get_milestone_state(seen, "v1"))
    assert ("Renamed", "closed") == (get_issue(seen, "acme/site", 7).title, get_issue(seen, "acme/site", 7).state)
    assert ("opened", None) == (get_issue(seen, "acme/site", 8).state, get_issue(seen, "acme/site", 8).closed_at)
    assert "New" == get_issue(seen, "acme/site", 12).title


def get_milestone_state(seen: World, title: str) -> str:
    (milestone,) = seen.milestones.where("title", title)
    return milestone.state


def test_every_setting_can_be_declared() -> None:
    """Every application setting is a key of `settings`, such as `issues_create_limit`."""
    keys = {setting.scenario_key for setting in declared_settings().values()}
    assert keys <= SETTINGS.schema()["properties"].keys()
    assert 2 == create_world({"settings": {"issues_create_limit": 2}}).settings.issues_create_limit


def test_the_schema_accepts_issues_with_all_keys() -> None:
    """The schema accepts a scenario with every issue key, and its export."""
    assert [] == list(build_validator().iter_errors(RICH_ISSUES))
    assert [] == list(
        build_validator().iter_errors(orjson.loads(orjson.dumps(scenario.export_world(create_platform(RICH_ISSUES)))))
    )


SITE = "$.projects[0]"
WRONG: list[tuple[dict[str, Any], str]] = [
    (
        {"issues": [{"title": "a", "milestone": "evrywhere"}]},
        ".issues[0].milestone: unknown milestone 'evrywhere', did you mean 'everywhere'?",
    ),
    ({"issues": [{"title": "a", "author": "dav"}]}, ".issues[0].author: unknown user 'dav', did you mean 'dev'?"),
    (
        {"issues": [{"title": "a", "assignees": ["dav"]}]},
        ".issues[0].assignees: unknown user 'dav', did you mean 'dev'?",
    ),
    ({"issues": [{"title": "a", "moved_to": "acme/site#99"}]}, ".issues[0].moved_to: unknown issue 'acme/site#99'"),
    ({"issues": [{"iid": 99}]}, ".issues[0]: needs 'title'"),
    ({"issues": [{"title": " "}]}, ".issues[0].title: can't be blank"),
    ({"issues": [{"title": "a", "weight": -1}]}, ".issues[0].weight: must be at least 0"),
    ({"issues": [{"title": "a", "wieght": 1}]}, ".issues[0].wieght: unknown key 'wieght', did you mean 'weight'?"),
    ({"issues": ["a", "a"]}, ".issues[1]: 'a' is listed twice"),
    ({"labels": [{"name": "a", "color": "#12"}]}, ".labels[0].color: must be a valid color code"),
    ({"labels": ["a", "a"]}, ".labels[1]: 'a' is listed twice"),
    ({"label_priorities": {"urgnt": 1}}, ".label_priorities.urgnt: unknown label 'urgnt', did you mean 'urgent'?"),
    (
        {"milestones": [{"title": "a", "start_date": "2020-02-02", "due_date": "2020-01-01"}]},
        '.milestones[0]: Failed to create milestone {:due_date=>["must be greater than start date"]}',
    ),
]


@pytest.mark.parametrize(("document", "text"), WRONG)
def test_a_mistake_says_where_and_what(document: dict[str, Any], text: str) -> None:
    """A mistake in issues is reported with its path, its reason and the nearest valid value."""
    with pytest.raises(ScenarioError) as error:
        scenario.load(create_platform(RICH_ISSUES), {"projects": [{"path_with_namespace": "acme/site", **document}]})

    assert [f"{SITE}{text}"] == [str(mistake) for mistake in error.value.mistakes]


def test_labels_of_groups_have_no_priority() -> None:
    """A group label with a priority is refused, because only project labels have one."""
    with pytest.raises(ScenarioError, match="only labels in projects have a priority"):
        create_platform({"groups": [{"path": "acme", "labels": [{"name": "a", "priority": 1}]}]})
