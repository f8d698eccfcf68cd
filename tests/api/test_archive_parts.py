"""The parts of exported projects and groups exist after an import.

Source: lib/gitlab/import_export/{project,group}/import_export.yml of the platform.
"""

import io
import tarfile
from typing import Any

import orjson
import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.test_import_export import (
    ACME,
    SITE,
    archive_of,
    build_import_form,
    files_of,
    import_archive,
    pack,
    remove_differences,
)

TIME = "2020-11-01T09:00:00.000Z"
IMAGE = {"link_url": "https://x.test/%{project_path}", "image_url": "https://x.test/i.svg", "name": "Own"}
DIFF_NOTE: dict[str, Any] = {
    "author": "mia",
    "type": "DiffNote",
    "body": "```suggestion:-0+0\nTEN\n```",
    "position": {"new_path": "README.md", "new_line": 3},
    "suggestions": [{"from_content": "a\n", "to_content": "b\n", "applied": True}],
}
PROJECT: dict[str, Any] = {
    "path_with_namespace": "acme/site",
    "auto_devops_enabled": False,
    "auto_devops_deploy_strategy": "manual",
    "container_expiration_policy": {"cadence": "7d", "enabled": True, "keep_n": 5, "older_than": "14d"},
    "custom_attributes": {"team": "red"},
    "wiki_access_level": "private",
    "forking_access_level": "disabled",
    "protected_branches": [
        {"name": "stable", "push_access_levels": ["no one"], "merge_access_levels": ["developer"]},
    ],
    "labels": [{"name": "own", "color": "#FF0000"}],
    "milestones": [{"title": "Soon"}],
    "badges": [IMAGE],
    "boards": [{"name": "Work", "lists": ["urgent", "own"], "weight": 3}, {"name": "Empty"}],
    "push_rule": {"commit_message_regex": "^JIRA", "max_file_size": 5},
    "protected_environments": [{"name": "production", "deploy_access_levels": [30]}],
    "triggers": [{"owner": "dev", "description": "Deploy"}],
    "pipeline_schedules": [
        {"description": "Nightly", "ref": "master", "cron": "0 4 * * *", "owner": "dev", "active": False}
    ],
    "merge_requests": [
        {
            "title": "Everything",
            "iid": 9,
            "source_branch": "readme",
            "target_branch": "feature",
            "author": "dev",
            "notes": [DIFF_NOTE],
            "resource_label_events": [{"user": "dev", "label": "own", "action": "add"}],
        }
    ],
    "issues": [
        {
            "title": "Broken",
            "iid": 9,
            "author": "dev",
            "resource_label_events": [
                {"user": "dev", "label": "own", "action": "add"},
                {"user": "rep", "label": "urgent", "action": "remove"},
            ],
            "notes": [{"author": "gus", "body": "Indeed"}],
        }
    ],
    "pipelines": [
        {
            "iid": 1,
            "ref": "master",
            "user": "dev",
            "status": "failed",
            "coverage": 80.5,
            "created_at": TIME,
            "jobs": [
                {"name": "compile", "stage": "build", "status": "success", "user": "mia"},
                {"name": "unit", "stage": "test", "status": "failed", "failure_reason": "script_failure"},
                {"name": "lint", "stage": "test", "status": "failed", "allow_failure": True},
                {"name": "outside", "stage": "external", "kind": "external", "status": "success"},
            ],
        },
        {"iid": 2, "merge_request": "acme/site!9", "ref": "refs/merge-requests/9/head", "sha": "3" * 40},
        {"iid": 3, "ref": "feature", "status": "success", "source": "schedule", "tag": False},
    ],
    "snippets": [
        {
            "title": "One",
            "file_name": "a",
            "content": "a",
            "author": "dev",
            "award_emoji": [{"name": "tada", "user": "rep"}],
        }
    ],
}
GROUP: dict[str, Any] = {
    "full_path": "acme",
    "badges": [IMAGE],
    "milestones": [{"title": "Winter"}],
    "labels": [{"name": "ours", "color": "#FF0000"}],
    "boards": [
        {
            "name": "All",
            "lists": ["ours", {"assignee": "dev"}, {"milestone": "Winter"}],
            "milestone": "Winter",
            "assignee": "dev",
            "labels": ["ours"],
        }
    ],
    "epics": [
        {
            "title": "Fly",
            "iid": 1,
            "author": "dev",
            "issues": ["acme/site#9"],
            "award_emoji": [{"name": "thumbsup", "user": "rep"}],
            "notes": [{"author": "gus", "body": "Yes"}],
            "due_date_fixed": "2021-01-01",
            "due_date_is_fixed": True,
        },
        {"title": "Soar", "iid": 2, "author": "rep", "parent": "acme&1", "state": "closed"},
    ],
}
RICH: dict[str, Any] = {
    "extends": "starter",
    "instance": {"tier": "ultimate"},
    "groups": [GROUP, {"full_path": "acme/tools", "epics": [{"title": "Dig", "author": "dev", "parent": "acme&1"}]}],
    "projects": [PROJECT],
    "events": [
        {"author": "dev", "action": "created", "project": "acme/site", "target_type": "issue", "target": "acme/site#9"},
        {
            "author": "gus",
            "action": "commented",
            "project": "acme/site",
            "target_type": "note",
            "target": "acme/site#9!1",
        },
        {"author": "rep", "action": "closed", "project": "acme/site", "target_type": "milestone", "target": "Soon"},
        {
            "author": "dev",
            "action": "created",
            "project": "acme/site",
            "target_type": "merge_request",
            "target": "acme/site!9",
        },
        {"author": "dev", "action": "created", "group": "acme", "target_type": "epic", "target": "acme&1"},
        {"author": "rep", "action": "closed", "group": "acme", "target_type": "milestone", "target": "Winter"},
    ],
}
pytestmark = pytest.mark.fakeplat(scenario=RICH, clock="virtual", start="2020-12-01T09:00:00.000Z")
COPY = "projects/acme%2Fcopy"
PARTS = (
    "pipelines",
    "pipelines?ref=refs/merge-requests/9/head",
    "jobs",
    "jobs?scope[]=failed",
    "merge_requests/9/pipelines",
    "pipeline_schedules",
    "badges",
    "push_rule",
    "protected_environments",
    "custom_attributes",
    "issues/9",
    "issues/9/resource_label_events",
    "issues/9/notes",
    "merge_requests/9/notes",
    "merge_requests/9/discussions",
    "merge_requests/9/resource_label_events",
    "protected_branches",
)


def import_copy(fake: Fakeplat) -> None:
    """Import an export of acme/site as acme/copy."""
    status = import_archive(fake, archive_of(fake, by="root"), namespace="acme")
    assert ("finished", []) == (status["import_status"], status["failed_relations"])


def normalize(value: Any) -> Any:
    """Return an answer about the project or its copy without ids, addresses and random values."""
    text = orjson.dumps(remove_differences(value, "acme/copy")).decode()
    return orjson.loads(text.replace("acme/copy", "acme/site"))


@pytest.mark.parametrize("path", PARTS)
def test_a_part_of_a_project_is_imported(fakeplat: Fakeplat, path: str) -> None:
    """Each part of an imported project answers as in the original, ids apart."""
    import_copy(fakeplat)
    root = fakeplat.as_user("root")
    before, after = (root.get(f"{project}/{path}") for project in (SITE, COPY))

    assert (200, 200) == (before.status, after.status)
    assert before.json()
    assert normalize(before.json()) == normalize(after.json())


def test_rows_of_an_archive_are_those_of_the_platform(fakeplat: Fakeplat) -> None:
    """Rows have the columns of the platform's tables, and beside the ids of others what finds them elsewhere."""
    archive = archive_of(fakeplat, by="root")
    files = files_of(archive)

    def rows_of(relation: str) -> list[dict[str, Any]]:
        return [orjson.loads(line) for line in files[f"./tree/project/{relation}.ndjson"].splitlines()]

    dev = fakeplat.world.user("dev")
    (feature,) = rows_of("project_feature")
    (member,) = [row for row in rows_of("project_members") if row["user"]["username"] == "dev"]
    work = next(row for row in rows_of("boards") if row["name"] == "Work")

    assert (10, 0, 20) == tuple(feature[f"{name}_access_level"] for name in ("wiki", "forking", "builds"))
    assert {"user_id": dev.id, "access_level": 30, "source_type": "Namespace", "expires_at": None}.items() <= (
        member.items()
    )
    assert {"id": dev.id, "username": "dev", "public_email": ""}.items() <= member["user"].items()
    assert [("label", 0, "urgent"), ("label", 1, "own")] == [
        (row["list_type"], row["position"], row["label"]["title"]) for row in work["lists"]
    ]
    assert [("master", [40], [40]), ("stable", [0], [30])] == [
        (
            row["name"],
            [access["access_level"] for access in row["push_access_levels"]],
            [access["access_level"] for access in row["merge_access_levels"]],
        )
        for row in rows_of("protected_branches")
    ]


def test_the_files_of_an_archive_may_be_read_by_all(fakeplat: Fakeplat) -> None:
    """Files that are extracted from an archive can be read by everybody and written by their owner."""
    archive = archive_of(fakeplat, by="root")
    with tarfile.open(fileobj=io.BytesIO(archive), mode="r:gz") as file:
        assert {0o644} == {member.mode for member in file}


def test_boards_are_imported(fakeplat: Fakeplat) -> None:
    """Boards are imported with their weight and ordered lists, also without lists."""
    import_copy(fakeplat)
    boards = fakeplat.as_user("root").get(f"{COPY}/boards").json()

    assert [("Empty", None, []), ("Work", 3, ["urgent", "own"])] == [
        (board["name"], board["weight"], [column["label"]["name"] for column in board["lists"]]) for board in boards
    ]


def test_the_jobs_of_a_pipeline_are_imported(fakeplat: Fakeplat) -> None:
    """Jobs are imported in their stages and kinds, without logs, and do not run again."""
    import_copy(fakeplat)
    root = fakeplat.as_user("root")
    pipeline = root.get(f"{COPY}/pipelines?status=failed").json()[0]
    jobs = root.get(f"{COPY}/pipelines/{pipeline['id']}/jobs").json()

    assert [("build", "compile", "success"), ("test", "lint", "failed"), ("test", "unit", "failed")] == sorted(
        (job["stage"], job["name"], job["status"]) for job in jobs
    )
    assert "80.50" == str(root.get(f"{COPY}/pipelines/{pipeline['id']}").json()["coverage"])
    assert "" == root.get(f"{COPY}/jobs/{jobs[0]['id']}/trace").text


def test_the_next_pipeline_has_a_new_number(fakeplat: Fakeplat) -> None:
    """Numbers continue after those that were imported."""
    import_copy(fakeplat)
    reply = fakeplat.as_user("root").post(f"{COPY}/pipeline?ref=master")
    assert 201 == reply.status, reply
    project = fakeplat.world.project("acme/copy").id
    iids = [pipeline.iid for pipeline in fakeplat.bench.platform.view.pipelines.where("project", project)]
    assert [1, 2, 3, 4] == iids


def test_triggers_get_new_tokens(fakeplat: Fakeplat) -> None:
    """Imported triggers keep owner and description and get new tokens."""
    archive = archive_of(fakeplat, by="root")
    import_archive(fakeplat, archive, namespace="acme")
    (old,), (new,) = (
        fakeplat.bench.platform.view.triggers.where("project", fakeplat.world.project(path).id)
        for path in ("acme/site", "acme/copy")
    )

    assert (old.owner_id, old.description) == (new.owner_id, new.description)
    assert old.token != new.token
    assert old.token.encode() not in b"".join(files_of(archive).values())


def test_the_settings_of_a_project_are_imported(fakeplat: Fakeplat) -> None:
    """Settings that an archive stores as relations are imported."""
    import_copy(fakeplat)
    original, project = (fakeplat.as_user("root").get(path).json() for path in (SITE, COPY))

    assert ("private", "disabled") == (project["wiki_access_level"], project["forking_access_level"])
    assert {name: level for name, level in original.items() if name.endswith("_access_level")} == {
        name: level for name, level in project.items() if name.endswith("_access_level")
    }
    assert (False, "manual") == (project["auto_devops_enabled"], project["auto_devops_deploy_strategy"])
    assert {"cadence": "7d", "enabled": True, "keep_n": 5, "older_than": "14d"}.items() <= project[
        "container_expiration_policy"
    ].items()


def test_the_emoji_of_snippets_are_imported(fakeplat: Fakeplat) -> None:
    """Emoji of snippets are imported with the users who awarded them."""
    import_copy(fakeplat)
    root = fakeplat.as_user("root")
    (snippet,) = root.get(f"{COPY}/snippets").json()
    (award,) = root.get(f"{COPY}/snippets/{snippet['id']}/award_emoji").json()
    assert ("tada", "rep") == (award["name"], award["user"]["username"])


def test_applied_suggestions_are_imported(fakeplat: Fakeplat) -> None:
    """Applied suggestions are imported unchanged instead of being parsed from their note."""
    import_copy(fakeplat)
    copy = fakeplat.bench.platform.view.suggestions.all()
    assert [("a\n", "b\n", True)] * 2 == [
        (suggestion.from_content, suggestion.to_content, suggestion.applied) for suggestion in copy
    ]


def test_events_are_imported(fakeplat: Fakeplat) -> None:
    """Events about issues, notes, merge requests and milestones; pushes are not in archives."""
    import_copy(fakeplat)
    root = fakeplat.as_user("root")
    before, after = (
        sorted(
            (event["author_username"], event["action_name"], event["target_type"], event["target_title"])
            for event in root.get(f"{project}/events").json()
            if event["target_type"]
        )
        for project in (SITE, COPY)
    )

    assert 4 == len(before)
    assert before == after


def test_issues_keep_their_epics(fakeplat: Fakeplat) -> None:
    """Imported issues join the epic of the same title in the group, which is created if missing."""
    archive = archive_of(fakeplat, by="root")
    root = fakeplat.as_user("root")
    import_archive(fakeplat, archive, namespace="acme")
    import_archive(fakeplat, archive, namespace="acme/tools")

    assert "acme" == root.get(f"{COPY}/issues/9").json()["epic"]["url"].split("/")[2]
    epic = root.get("projects/acme%2Ftools%2Fcopy/issues/9").json()["epic"]
    assert ("Fly", "/groups/acme/tools/-/epics/2") == (epic["title"], epic["url"])


def test_an_import_by_others_makes_everything_theirs(fakeplat: Fakeplat) -> None:
    """Pipelines, schedules, triggers and events imported by a user belong to the importer."""
    archive = archive_of(fakeplat, by="root")
    assert [] == import_archive(fakeplat, archive, by="eve")["failed_relations"]
    eve = fakeplat.as_user("eve")
    site = "projects/eve%2Fcopy"
    usernames = {
        *(job["user"]["username"] for job in eve.get(f"{site}/jobs").json()),
        *(schedule["owner"]["username"] for schedule in eve.get(f"{site}/pipeline_schedules").json()),
        *(trigger["owner"]["username"] for trigger in eve.get(f"{site}/triggers").json()),
        *(event["author_username"] for event in eve.get(f"{site}/events").json()),
    }
    assert {"eve"} == usernames


def import_group(fake: Fakeplat) -> None:
    """Import an export of acme as the group again."""
    archive = archive_of(fake, ACME, "root")
    assert (
        202
        == fake.as_user("root").post("groups/import", **build_import_form(archive, path="again", name="Again")).status
    )
    fake.clock.advance("1s")


@pytest.mark.parametrize("path", ["badges", "milestones", "labels", "boards"])
def test_a_part_of_a_group_is_imported(fakeplat: Fakeplat, path: str) -> None:
    """Each part of an imported group answers as in the original, ids apart."""
    import_group(fakeplat)
    root = fakeplat.as_user("root")
    before, after = (root.get(f"groups/{group}/{path}").json() for group in ("acme", "again"))
    titles = {"ours", "Winter", "All", "Own"}

    def own(rows: list[Any]) -> list[Any]:
        return [normalize(row) for row in rows if {row.get("title"), row.get("name")} & titles]

    for row in [*before, *after]:
        row.pop("group", None)
    assert own(before)
    assert own(before) == own(after)


def test_epics_are_imported(fakeplat: Fakeplat) -> None:
    """Epics are imported with their parents, notes, emoji and events; milestones with their events."""
    import_group(fakeplat)
    root = fakeplat.as_user("root")
    fly, soar, dig = sorted(
        root.get("groups/again/epics").json(), key=lambda epic: ("Fly", "Soar", "Dig").index(epic["title"])
    )

    assert ("dev", 1, "2021-01-01", None) == (
        fly["author"]["username"],
        fly["upvotes"],
        fly["due_date"],
        fly["parent_id"],
    )
    assert ("rep", "closed", fly["id"]) == (soar["author"]["username"], soar["state"], soar["parent_id"])
    assert fly["id"] == dig["parent_id"]
    assert ["Yes"] == [note["body"] for note in root.get(f"groups/again/epics/{fly['id']}/notes").json()]
    group = fakeplat.world.group("again").id
    events = [event for event in fakeplat.bench.platform.view.events.all() if event.group_id == group]
    (winter,) = (row["id"] for row in root.get("groups/again/milestones").json() if row["title"] == "Winter")
    assert [("closed", "milestone", winter), ("created", "epic", fly["id"])] == [
        (event.action, event.kind, event.target_id) for event in events if event.kind
    ]


@pytest.mark.parametrize(
    ("relation", "row"),
    [
        ("ci_pipelines", {"ref": "master"}),
        ("ci_pipelines", {"ref": "master", "sha": "1" * 40, "stages": [{"statuses": [{"status": "best"}]}]}),
        ("triggers", {"owner_id": 1, "description": 7}),
        ("pipeline_schedules", {"description": "x", "ref": "master", "cron": "never"}),
        ("boards", {"name": " "}),
        ("project_badges", {"link_url": "x", "image_url": "y"}),
        ("container_expiration_policy", {"cadence": "2d"}),
        ("container_expiration_policy", {"next_run_at": "soon"}),
        ("push_rule", {"commit_message_regex": "("}),
        ("protected_environments", {}),
        ("custom_attributes", {"key": "x"}),
        ("auto_devops", {"enabled": "maybe"}),
        ("issues", {"title": "x", "epic_issue": {"epic": {}}}),
        ("issues", {"title": "x", "events": [{"action": "created"}]}),
    ],
)
def test_wrong_rows_are_left_out(fakeplat: Fakeplat, relation: str, row: dict[str, Any]) -> None:
    """Invalid rows are left out and reported by their relation while the import goes on."""
    files = {"VERSION": b"0.2.4", "tree/project.json": b"{}", f"tree/project/{relation}.ndjson": orjson.dumps(row)}
    status = import_archive(fakeplat, pack(files), namespace="acme")

    assert ("finished", [relation]) == (
        status["import_status"],
        [failure["relation_name"] for failure in status["failed_relations"]],
    )


@pytest.mark.fakeplat(scenario={"extends": "starter", "instance": {"tier": "free"}})
def test_paid_parts_are_ignored_on_the_free_tier(fakeplat: Fakeplat) -> None:
    """Push rules, protected environments and epics."""
    rows = {
        "push_rule": {"max_file_size": 1},
        "protected_environments": {"name": "production", "deploy_access_levels": []},
        "issues": {"title": "x", "iid": 1, "epic_issue": {"epic": {"title": "Fly"}}},
    }
    files = {f"tree/project/{relation}.ndjson": orjson.dumps(row) for relation, row in rows.items()}
    status = import_archive(
        fakeplat, pack({"VERSION": b"0.2.4", "tree/project.json": b"{}", **files}), namespace="acme"
    )
    world = fakeplat.bench.platform.view

    assert [] == status["failed_relations"]
    assert ([], [], []) == tuple(
        [*table.all()] for table in (world.push_rules, world.protected_environments, world.epics)
    )
