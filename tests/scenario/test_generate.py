"""Scenarios can ask for many things at once; the seed decides what they are."""

import subprocess
import sys
from hashlib import sha256
from typing import Any

import orjson
import pytest

from fakeplat import scenario
from fakeplat.domain.people.namespaces import full_path
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.scenario import ScenarioError
from tests.architecture.sources import ROOT
from tests.scenario.answers import compare_values
from tests.scenario.test_issue_sections import collect_answers, list_changes
from tests.scenario.worlds import create_platform, create_world, get_group, get_user, project

INTO: dict[str, Any] = {"into": "acme/site", "issues": 40, "labels": 10, "milestones": 5}
COMPANY = {"users": 12, "groups": 3, "projects": 7, "labels": 20, "milestones": 9, "issues": 50}
SMALL = {"extends": "starter", "generate": [INTO, COMPANY]}


def test_loading_many_issues_shows_progress() -> None:
    """Issues are generated in batches of 1,000, and each is shown to whoever waits for the world."""
    steps: list[str] = []
    many = {"extends": "starter", "generate": [{"into": "acme/site", "issues": 2_500}]}
    with scenario.showing_progress(steps.append):
        created = create_world(many)
    assert [f"{done} of 2,500 issues of site" for done in ("1,000", "2,000", "2,500")] == steps
    assert 2_500 <= len(created.issues)
    create_world({**many, "seed": 1})
    assert 3 == len(steps)


def count_records(seen: World) -> dict[str, int]:
    return {key: len(getattr(seen, key)) for key in ("users", "projects", "labels", "milestones", "issues")}


def export_generated(document: dict[str, Any], seed: int = 0) -> bytes:
    return orjson.dumps(scenario.export_world(create_platform(document, seed=seed)))


def list_owned(seen: World, table: str, owner: Project | Group) -> list[Any]:
    kind = "project" if isinstance(owner, Project) else "group"
    return list(getattr(seen, table).where("source", (kind, owner.id)))


def list_issues(seen: World, project: Project) -> list[Any]:
    return [issue for issue in seen.issues.all() if issue.project_id == project.id]


def list_groups(seen: World) -> list[Group]:
    return [space for space in seen.namespaces.all() if isinstance(space, Group)]


def count_new_records(before: World, after: World) -> dict[str, int]:
    """How many more things there are."""
    return {
        key: number - count_records(before)[key]
        for key, number in count_records(after).items()
        if number != count_records(before)[key]
    }


def test_as_many_are_made_as_are_asked_for() -> None:
    """`generate` creates the requested number of records of each kind, in a project and in the world."""
    before, after = create_world("starter"), create_world(SMALL)
    asked = {key: COMPANY.get(key, 0) + INTO.get(key, 0) for key in count_records(before)}

    assert asked == count_new_records(before, after)
    assert 3 == len(list_groups(after)) - len(list_groups(before))
    for table, number in (("labels", 10), ("milestones", 5)):
        site = [len(list_owned(seen, table, project(seen, "acme/site"))) for seen in (before, after)]
        assert number == site[1] - site[0]


def test_things_are_spread_evenly() -> None:
    """Generated projects are spread evenly over groups, and issues and labels evenly over projects."""
    seen = create_world({"generate": [COMPANY]})

    assert [3, 2, 2] == [len(seen.projects.ids("namespace", group.id)) for group in list_groups(seen)]
    assert [8, 7, 7, 7, 7, 7, 7] == [len(list_issues(seen, project)) for project in seen.projects.all()]
    assert [3, 3, 3, 3, 3, 3, 2] == [len(list_owned(seen, "labels", project)) for project in seen.projects.all()]


def test_people_are_members_of_the_groups() -> None:
    """Each generated group has an owner, who created its projects, and its members write the issues."""
    seen = create_world({"generate": [COMPANY]})

    for group_ in list_groups(seen):
        members = [member.user_id for member in seen.members.where("source", ("group", group_.id))]
        assert 4 == len(members)
        for project_ in seen.projects.where("namespace", group_.id):
            assert members[0] == project_.creator_id
            assert {issue.author_id for issue in list_issues(seen, project_)} <= {*members}


def test_people_can_log_in_and_are_plainly_fictional() -> None:
    """Generated users have a token and a password made of the username, and an address at example.test."""
    platform = create_platform({"generate": [{"users": 5}]})
    people = [user for user in platform.view.users.all() if user.username != "root"]

    assert 5 == len({person.email for person in people})
    for person in people:
        assert (f"{person.username}@example.test", f"{person.username}-password") == (person.email, person.password)
        assert platform.view.tokens.find("value", ("token", f"{person.username}-token"))


@pytest.mark.parametrize(
    ("asked", "into", "expected"),
    [
        ({"labels": 3, "milestones": 2}, "acme", {"labels": 3, "milestones": 2}),
        ({"projects": 3, "issues": 6}, "acme/tools", {"projects": 3, "issues": 6}),
        ({"projects": 2}, "ada", {"projects": 2}),
        ({"users": 3}, "acme/docs", {"users": 3}),
        ({"groups": 2, "projects": 4}, "acme", {"projects": 4}),
        ({"issues": 0}, "acme/docs", {}),
        ({}, "acme", {}),
    ],
)
def test_things_go_into_groups_users_and_projects(asked: dict[str, int], into: str, expected: dict[str, int]) -> None:
    """`generate` adds to a group, user or project exactly the requested kinds of records."""
    assert expected == count_new_records(
        create_world("starter"), create_world({"extends": "starter", "generate": [{"into": into, **asked}]})
    )


def test_what_goes_into_a_group_is_in_it() -> None:
    """Generated subgroups are at most as visible as their group, and generated users are members of the group."""
    generation = {"into": "acme/tools", "users": 2, "groups": 2, "projects": 4}
    seen = create_world({"extends": "starter", "generate": [{"into": "acme/tools", "users": 2}, generation]})
    tools = get_group(seen, "acme/tools")

    assert 2 == len(list_owned(seen, "members", tools))
    assert 2 == len([group for group in list_groups(seen) if group.parent_id == tools.id])
    assert {"private", "internal"} >= {group.visibility for group in list_groups(seen) if group.parent_id == tools.id}


def test_visibility_can_be_chosen() -> None:
    """Generated groups and projects have the requested visibility; without one the visibility varies."""
    seen = create_world({"generate": [{**COMPANY, "visibility": "public"}]})

    places: list[Project | Group] = [*seen.projects.all(), *list_groups(seen)]
    assert {"public"} == {container.visibility for container in places}
    assert 1 < len(
        {project.visibility for project in create_world({"generate": [{**COMPANY, "groups": 9}]}).projects.all()}
    )


def test_issues_vary() -> None:
    """Generated issues vary in state, confidentiality, due date, assignees, labels, milestone, weight and type."""
    seen = create_world({"extends": "starter", "generate": [{**INTO, "issues": 200}]}, instance={"tier": "ultimate"})
    issues = list_issues(seen, project(seen, "acme/site"))[5:]

    for name in ("state", "confidential", "due_date", "assignee_ids", "label_ids", "milestone_id", "weight", "kind"):
        assert 1 < len({getattr(issue, name) for issue in issues}), name
    assert all((issue.state == "closed") == (issue.closed_at is not None) for issue in issues)


def test_free_tiers_have_no_weights_and_single_assignees() -> None:
    """On the free tier generated issues have no weight, no health status and at most one assignee."""
    issues = create_world({**SMALL, "instance": {"tier": "free"}}).issues.all()

    assert {None} == {issue.weight for issue in issues}
    assert {None} == {issue.health_status for issue in issues}
    assert {0, 1} == {len(issue.assignee_ids) for issue in issues}


def test_times_lie_before_the_start_of_the_world() -> None:
    """Generated issues are created after their project, in the order of their iids, and before the world starts."""
    seen = create_world({"generate": [COMPANY]})
    start = "2020-11-20T09:00:00.000Z"

    for project_ in seen.projects.all():
        issues = list_issues(seen, project_)
        times = [project_.created_at, *(issue.created_at for issue in issues), start]
        assert sorted(times) == times
        assert all(issue.created_at <= issue.updated_at <= start for issue in issues)


def test_names_are_unique_however_many_there_are() -> None:
    """Generated names are unique even for more labels than words and more groups than company names."""
    seen = create_world({"generate": [{"groups": 300, "users": 300}, {"groups": 1, "projects": 300, "labels": 1}]})
    crowded = create_world({"extends": "starter", "generate": [{"into": "acme/site", "labels": 500}]})

    assert 301 == len({full_path(seen, group) for group in list_groups(seen)})
    assert 503 == len({label.title for label in list_owned(crowded, "labels", project(crowded, "acme/site"))})


def test_the_seed_decides() -> None:
    """The same seed generates the same bytes, and another seed generates others."""
    assert export_generated(SMALL) == export_generated(SMALL)
    assert export_generated(SMALL) != export_generated(SMALL, seed=1)


def test_every_process_makes_the_same() -> None:
    """Generation does not depend on the hash seed of the process or on other uses of Faker."""
    code = (
        "import hashlib, orjson, faker; faker.Faker().name(); faker.Faker.seed(3); from fakeplat import scenario;"
        f"made = scenario.create_platform(scenario.get_scenario({SMALL!r}));"
        "print(hashlib.sha256(orjson.dumps(scenario.export_world(made))).hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }

    assert {sha256(export_generated(SMALL)).hexdigest()} == digests


def test_each_entry_makes_its_own() -> None:
    """Equal entries of `generate` create different issues, in one scenario and in a later fragment."""
    platform = create_platform({"extends": "starter", "generate": [{"into": "acme/site", "issues": 5}] * 2})
    scenario.load(platform, {"generate": [{"into": "acme/site", "issues": 5}]})
    seen = platform.view
    titles = [issue.title for issue in list_issues(seen, project(seen, "acme/site"))]

    assert 20 == len(titles)
    assert not {*titles[5:10]} & {*titles[10:15]} & {*titles[15:]}


def test_a_generated_world_answers_the_same_after_a_round_trip() -> None:
    """The export of a generated world lists its records instead of `generate` and answers the same when loaded."""
    platform = create_platform(SMALL)

    assert "generate" not in scenario.export_world(platform)
    assert [] == list_changes(platform, ("root", "ada", "nobody"))


def test_loading_the_tale_of_a_generated_world_is_like_making_it() -> None:
    """Loading the export of a generated world creates equal issues and labels, with the same ids."""
    first = create_platform({"generate": [COMPANY]})
    second = create_platform(scenario.export_world(first))

    assert [*first.view.issues.all()] == [*second.view.issues.all()]
    assert [*first.view.labels.all()] == [*second.view.labels.all()]
    assert [] == list(compare_values(collect_answers(first, ("root",)), collect_answers(second, ("root",))))


def test_large_is_what_its_name_says() -> None:
    """`large` adds 200 users, 100 projects and 10,000 issues to the records of `starter`."""
    before, after = create_world("starter"), create_world("large")
    lists = [count_issues(after)[project.id] for project in [*after.projects.all()][4:]]

    assert {"users": 200, "projects": 100, "issues": 10_000} == {
        key: number for key, number in count_new_records(before, after).items() if key not in ("labels", "milestones")
    }
    assert [100] * 100 == lists
    assert get_user(after, "ada").id == get_user(before, "ada").id


def count_issues(seen: World) -> dict[int, int]:
    numbers: dict[int, int] = {}
    for issue in seen.issues.all():
        numbers[issue.project_id] = numbers.get(issue.project_id, 0) + 1
    return numbers


def test_large_is_made_once_a_process() -> None:
    """Two platforms of `large` share their records until one of them is changed."""
    first, second = create_platform("large"), create_platform("large")

    assert first.view.issues[10_001] is second.view.issues[10_001]
    assert (ROOT / "scenarios/large.json").stat().st_size < 1000


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"into": "acme/sit", "issues": 1}, ".into: unknown group, project or user 'acme/sit', did you mean 'acme/site'?"),
    ({"into": "ad", "projects": 1}, ".into: unknown group, project or user 'ad', did you mean 'ada'?"),
    ({"issues": -1}, ".issues: must be at least 0"),
    ({"isues": 1}, ".isues: unknown key 'isues', did you mean 'issues'?"),
    ({"issues": "many"}, ".issues: must be a whole number, not text"),
    ({"issues": 1}, ".issues: issues need projects, or 'into' with a project"),
    ({"into": "bob", "issues": 1}, ".issues: issues need projects, or 'into' with a project"),
    ({"into": "ada", "labels": 1}, ".labels: labels need projects, or 'into' with a project or a group"),
    ({"into": "ada", "groups": 1}, ".groups: groups can only be generated at the top level or in a group"),
    ({"projects": 1}, ".projects: projects need groups, or 'into' with a group or user"),
    ({"into": "acme/site", "projects": 1}, ".projects: projects need groups, or 'into' with a group or user"),
    ({"groups": 1, "visibility": "secret"}, ".visibility: must be one of private, internal, public"),
    (
        {"into": "acme/tools", "projects": 1, "visibility": "public"},
        ".visibility: public is not allowed in a internal group.",
    ),
]


@pytest.mark.parametrize(("asked", "text"), WRONG)
def test_a_mistake_says_where_and_what(asked: dict[str, Any], text: str) -> None:
    """A mistake in `generate` is reported with its path, its reason and the nearest valid value."""
    with pytest.raises(ScenarioError) as error:
        create_platform({"extends": "starter", "generate": [asked]})

    assert [f"$.generate[0]{text}"] == [str(mistake) for mistake in error.value.mistakes]


def test_a_name_is_no_entry() -> None:
    """An entry of `generate` that is a text instead of a map is refused."""
    with pytest.raises(ScenarioError, match=r"^\$\.generate\[0\]: must be a map, not text$"):
        create_platform({"generate": ["users"]})


def test_contents_are_spread_over_the_projects_of_a_group() -> None:
    """Issues generated into a group or user are spread over all its projects, with those of subgroups."""
    entries = [{"into": "acme", "issues": 6}, {"into": "ada", "issues": 2}]
    before, after = create_world("starter"), create_platform({"extends": "starter", "generate": entries}).view
    old, new = count_issues(before), count_issues(after)
    assert [2, 2, 2, 2] == [new[project.id] - old.get(project.id, 0) for project in after.projects.all()]
