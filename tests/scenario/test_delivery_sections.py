"""Pipelines and approval rules in scenarios, and back. Source: docs/contract.md ('Scenarios')."""

from typing import Any

import orjson
import pytest

from fakeplat import scenario
from fakeplat.core.operations.http_messages import Request
from fakeplat.platform import Platform
from fakeplat.scenario import ScenarioError
from tests.scenario.answers import collect_responses, compare_values
from tests.scenario.test_schema import build_validator
from tests.scenario.worlds import create_platform, project, reload_export, write

VIEWERS = ("root", "rep")
FULL: dict[str, Any] = {
    "iid": 7,
    "ref": "feature",
    "status": "failed",
    "source": "web",
    "user": "dev",
    "created_at": "2020-11-18T08:00:00.000Z",
    "updated_at": "2020-11-18T08:09:00.000Z",
    "started_at": "2020-11-18T08:01:00.000Z",
    "finished_at": "2020-11-18T08:09:00.000Z",
    "committed_at": "2020-11-18T07:59:00.000Z",
    "duration": 480,
    "coverage": 87.5,
    "yaml_errors": "No",
    "before_sha": "1" * 40,
    "sha": "2" * 40,
}
RULES: list[dict[str, Any]] = [
    {"name": "All", "approvals_required": 2},
    {"name": "Look", "approvals_required": 1, "users": ["mia"], "groups": ["acme"], "protected_branches": ["master"]},
]


def build_scenario(**keys: Any) -> dict[str, Any]:
    return {
        "extends": "starter",
        "instance": {"tier": "premium"},
        "projects": [{"path_with_namespace": "acme/site", **keys}],
    }


def export_key(platform: Platform, key: str) -> Any:
    (site,) = [
        project
        for project in scenario.export_world(platform)["projects"]
        if project["path_with_namespace"] == "acme/site"
    ]
    return site[key]


def list_changes(platform: Platform) -> list[str]:
    """What answers otherwise after a round trip."""
    before = collect_responses(platform, VIEWERS)
    assert all(status < 500 for status, _ in before.values())
    return list(compare_values(before, collect_responses(reload_export(platform), VIEWERS)))


def test_pipelines_are_exported_as_declared() -> None:
    """Pipelines of branches, tags and merge requests are exported with each declared key and load again."""
    platform = create_platform(
        build_scenario(
            pipelines=[
                FULL,
                {"ref": "feature", "status": "running", "started_at": "2020-11-19T08:00:00Z"},
                {"merge_request": "acme/site!2", "ref": "refs/merge-requests/2/head", "sha": "3" * 40},
                {"ref": "v1.0", "tag": True, "status": "success"},
                {},
            ]
        )
    )
    assert [] == list_changes(platform)
    first, second, third, tag, usual = export_key(platform, "pipelines")
    assert FULL == first
    assert ("running", 40) == (second["status"], len(second["sha"]))
    assert ("acme/site!2", "merge_request_event") == (third["merge_request"], third["source"])
    assert (True, "master", "created") == (tag["tag"], usual["ref"], usual["status"])
    assert [7, 8, 9, 10, 11] == [pipeline.iid for pipeline in platform.view.pipelines.all()]
    heads = {
        kind: get_commit_sha(platform, f"{kind}/{name}") for kind, name in (("tags", "v1.0"), ("branches", "master"))
    }
    assert heads == {"tags": tag["sha"], "branches": usual["sha"]}


def get_commit_sha(platform: Platform, ref: str) -> str:
    """The commit for which a branch or tag stands."""
    headers = {"private-token": "root-token"}
    response = platform.handle(Request("GET", f"/api/v4/projects/acme%2Fsite/repository/{ref}", headers=headers))
    return str(orjson.loads(response.body)["commit"]["id"])


@pytest.mark.parametrize(
    ("entry", "times"),
    [
        ({"status": "pending"}, (None, None, None)),
        ({"status": "running"}, ("08:00:00", None, None)),
        ({"status": "success", "updated_at": "2020-11-18T08:02:00Z"}, ("08:00:00", "08:02:00", 120)),
        ({"status": "failed", "started_at": None}, (None, "08:00:00", None)),
        ({"status": "success", "duration": 7, "finished_at": "2020-11-18T09:00:00Z"}, ("08:00:00", "09:00:00", 7)),
    ],
)
def test_what_ran_has_times(entry: dict[str, Any], times: tuple[str | None, str | None, int | None]) -> None:
    """A pipeline's times follow from its status unless they are declared, and survive a round trip."""
    platform = create_platform(build_scenario(pipelines=[{"created_at": "2020-11-18T08:00:00Z", **entry}]))
    for world in (platform.view, reload_export(platform).view):
        (pipeline,) = world.pipelines.all()
        assert times == (*(at and at[11:19] for at in (pipeline.started_at, pipeline.finished_at)), pipeline.duration)


def test_pipelines_are_known_by_their_number() -> None:
    """A later fragment with the iid of a pipeline changes that pipeline."""
    platform = create_platform(build_scenario(pipelines=[{"iid": 3, "status": "running"}]))
    fragment = {"projects": [{"path_with_namespace": "acme/site", "pipelines": [{"iid": 3, "status": "success"}]}]}
    scenario.load(platform, fragment)
    assert ["success"] == [pipeline.status for pipeline in platform.view.pipelines.all()]


def test_a_declared_status_has_its_effects() -> None:
    """A pipeline that a fragment declares successful merges the merge request that waits for it."""
    platform = create_platform(build_scenario(pipelines=[{"iid": 3, "ref": "feature", "status": "running"}]))
    path = "projects/acme%2Fsite/merge_requests/1/merge"
    write(platform, "PUT", path, "mia-token", merge_when_pipeline_succeeds=True)
    ended = {"iid": 3, "status": "success", "finished_at": "2020-11-21T00:00:00Z"}
    scenario.load(platform, {"projects": [{"path_with_namespace": "acme/site", "pipelines": [ended]}]})
    # Merging is a push to the target branch, which has a pipeline of its own.
    (pipeline, *_), (merged, *_) = platform.view.pipelines.all(), platform.view.merge_requests.all()
    assert ("success", "2020-11-21T00:00:00.000Z", "merged") == (pipeline.status, pipeline.finished_at, merged.state)


def test_several_projects_keep_the_order() -> None:
    """Pipelines of several projects keep their ids and order after a round trip."""
    entries = [
        {"path_with_namespace": path, "pipelines": [{"created_at": at} for at in times]}
        for path, times in (
            ("acme/site", ("2020-11-01T00:00:00Z", "2020-11-03T00:00:00Z")),
            ("acme/docs", ("2020-11-02T00:00:00Z", "2020-11-01T12:00:00Z")),
        )
    ]
    platform = create_platform({"extends": "starter", "projects": entries})
    loaded = reload_export(platform)
    assert [(pipeline.project_id, pipeline.iid, pipeline.created_at) for pipeline in platform.view.pipelines.all()] == [
        (pipeline.project_id, pipeline.iid, pipeline.created_at) for pipeline in loaded.view.pipelines.all()
    ]


def test_approval_rules_are_exported_as_declared() -> None:
    """Approval rules of projects and merge requests are exported with their source and the project's settings."""
    own = [{"name": "Look", "approvals_required": 3, "users": ["ada"], "source_rule": "Look"}]
    platform = create_platform(
        build_scenario(
            approval_rules=RULES,
            merge_requests=[{"iid": 1, "approval_rules": own}],
            reset_approvals_on_push=False,
            disable_overriding_approvers_per_merge_request=True,
            merge_requests_author_approval=True,
            merge_requests_disable_committers_approval=True,
            require_password_to_approve=True,
        )
    )
    assert [] == list_changes(platform)
    rules = export_key(platform, "approval_rules")
    assert ["any_approver", "regular"] == [rule.pop("rule_type") for rule in rules]
    assert RULES == [{name: value for name, value in rule.items() if name != "created_at"} for rule in rules]
    (rule,) = next(row for row in export_key(platform, "merge_requests") if row["iid"] == 1)["approval_rules"]
    assert own[0].items() <= rule.items()


def test_changes_through_the_api_are_exported() -> None:
    """Auto-merge, approval rules and board lists that were changed through the API survive a round trip."""
    platform = create_platform(build_scenario(pipelines=[{"ref": "feature", "status": "running"}]))
    site = "projects/acme%2Fsite"
    write(platform, "PUT", f"{site}/merge_requests/1/merge", "mia-token", merge_when_pipeline_succeeds=True)
    mia = next(user.id for user in platform.view.users.all() if user.username == "mia")
    rule = write(
        platform, "POST", f"{site}/approval_rules", "mia-token", name="A", approvals_required=1, user_ids=[mia]
    )
    path = f"{site}/merge_requests/1/approval_rules"
    write(platform, "POST", path, "dev-token", name="B", approvals_required=1, approval_project_rule_id=rule["id"])
    board = write(platform, "POST", f"{site}/boards", "dev-token", name="Work")
    v1 = next(
        milestone.id
        for milestone in platform.view.milestones.all()
        if milestone.source == ("project", get_project_id(platform))
    )
    for body in ({"assignee_id": mia}, {"milestone_id": v1}):
        write(platform, "POST", f"{site}/boards/{board['id']}/lists", "dev-token", **body)
    assert [] == list_changes(platform)
    (exported,) = export_key(platform, "boards")
    assert [{"assignee": "mia"}, "milestone"] == [exported["lists"][0], *exported["lists"][1]]


def get_project_id(platform: Platform) -> int:
    return project(platform.view, "acme/site").id


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ({"pipelines": [{"ref": "featur"}]}, "unknown branch 'featur'.*feature"),
        ({"pipelines": [{"ref": "v1", "tag": True}]}, "unknown tag 'v1'"),
        ({"pipelines": [{"status": "done"}]}, "unknown value 'done'|must be one of"),
        ({"pipelines": [{"user": "nobody"}]}, "unknown user 'nobody'"),
        ({"pipelines": [{"merge_request": "acme/site!99"}]}, "unknown merge request"),
        ({"pipelines": [{"iid": 0}]}, "must be at least 1"),
        ({"approval_rules": [{"approvals_required": 1}]}, "needs 'name'"),
        ({"approval_rules": [{"name": "A", "users": ["nobody"]}]}, "unknown user 'nobody'"),
        ({"approval_rules": [{"name": "A", "groups": ["nowhere"]}]}, "unknown group 'nowhere'"),
        ({"approval_rules": [{"name": "A", "protected_branches": ["x"]}]}, "unknown protected branch 'x'"),
        (
            {"merge_requests": [{"iid": 1, "approval_rules": [{"name": "A", "source_rule": "B"}]}]},
            "unknown approval rule",
        ),
        ({"approval_rules": [{"name": "A", "source_rule": "B"}]}, "only merge request rules"),
        (
            {"merge_requests": [{"iid": 1, "approval_rules": [{"name": "A", "protected_branches": ["master"]}]}]},
            "only project rules",
        ),
        ({"boards": [{"name": "A", "lists": [{"assignee": "nobody"}]}]}, "unknown user 'nobody'"),
        ({"boards": [{"name": "A", "lists": [{"milestone": "v9"}]}]}, "unknown milestone 'v9'"),
        ({"boards": [{"name": "A", "lists": [{"iteration": "Ten"}]}]}, "unknown iteration 'Ten'"),
        ({"boards": [{"name": "A", "lists": [{"label": "bug", "assignee": "dev"}]}]}, "exactly one of"),
    ],
)
def test_mistakes_are_reported(keys: dict[str, Any], text: str) -> None:
    """A mistake in pipelines, approval rules or boards is refused with its reason."""
    with pytest.raises(ScenarioError, match=text):
        create_platform(build_scenario(**keys))


def test_the_schema_takes_them() -> None:
    """The schema accepts pipelines, approval rules and boards, and refuses an unknown status."""
    good = build_scenario(
        pipelines=[FULL, {}], approval_rules=RULES, boards=[{"name": "A", "lists": ["bug", {"assignee": "dev"}]}]
    )
    assert [] == list(build_validator().iter_errors(good))
    assert [] != list(build_validator().iter_errors(build_scenario(pipelines=[{"status": "done"}])))
