"""The view of a world: complete, with look-ups by number and name, and hints for names that do not exist."""

from collections.abc import Iterator, Mapping
from copy import copy, deepcopy
from typing import Any

import pytest

import fakeplat as package
from fakeplat.entities.issues.issuables import FROM_PROJECT
from fakeplat.entities.issues.issues import SINGLE
from fakeplat.entities.people.namespaces import STATISTICS
from fakeplat.entities.projects.projects import ADMINISTERED
from fakeplat.harness.fake import Fakeplat
from fakeplat.model.world import World
from fakeplat.workbench.inspected.instance import INSTANCE_PARTS
from fakeplat.workbench.inspected.kinds import RECORD_KINDS, list_parts
from fakeplat.workbench.inspected.look_up import singular
from fakeplat.workbench.inspection import NoSuchRecord, RecordView, WorldView
from tests.api.full_world import FULL
from tests.scenario.worlds import create_platform

SITE = "projects/acme%2Fsite"

NOT_LISTED = {
    "agent_activity_events": "only GraphQL shows them",
    "approval_settings": "one of each group",
    "authorization_grants": "no response shows them",
    "attestations": "of a newer release",
    "board_lists": "in the field lists of boards",
    "bulk_import_entities": "in a list of each direct transfer",
    "bulk_imports": "of a newer release",
    "source_users": "of a newer release",
    "ci_includes": "files that the scenario declares",
    "context_commits": "no response shows them",
    "visits": "only GraphQL lists what is visited most",
    "achievements": "only GraphQL shows them",
    "user_achievements": "only GraphQL shows them",
    "user_member_roles": "only GraphQL shows them",
    "namespace_commit_emails": "only GraphQL shows them",
    "project_subscriptions": "only GraphQL shows them",
    "target_branch_rules": "only GraphQL shows them",
    "custom_emoji": "only GraphQL shows them",
    "dashboard_stars": "no response lists them",
    "pipeline_creation_requests": "only GraphQL shows them",
    "dependency_list_exports": "files, once they are finished",
    "device_grants": "no response shows them",
    "deployment_approvals": "in a field of deployments",
    "epic_issues": "the issues of epics",
    "epic_board_lists": "in a field of epic boards",
    "exports": "no response shows more than their status",
    "files": "avatars and uploads, in fields and texts",
    "follows": "the followers of users",
    "granular_scopes": "of a newer release",
    "identities": "in a field of users",
    "image_blobs": "content of images",
    "image_manifests": "content of images",
    "imports": "no response shows more than their status",
    "iteration_cadences": "only GraphQL shows them",
    "job_artifacts": "in a field of jobs",
    "job_token_allowances": "of a newer release",
    "label_priorities": "in a field of labels",
    "dashboard_annotations": "no response shows them again",
    "lfs_locks": "locks of git clients",
    "path_locks": "only GraphQL shows them",
    "lfs_objects": "files of git clients",
    "timeline_event_tags": "only GraphQL shows them",
    "timeline_events": "only GraphQL shows them",
    "timelogs": "in the time statistics of issues and merge requests",
    "add_on_purchases": "of a newer release",
    "minutes_packs": "of a newer release",
    "storage_limit_exclusions": "of a newer release",
    "policy_settings": "one of the instance",
    "organizations": "one of the instance",
    "project_aliases": "names for git",
    "project_fetches": "statistics",
    "redirects": "old paths of projects",
    "board_epic_preferences": "only GraphQL shows them",
    "work_item_preferences": "only GraphQL shows them",
    "work_item_progresses": "only GraphQL shows them",
    "resource_links": "only GraphQL shows them",
    "relation_exports": "no response shows more than their status",
    "relation_imports": "of a newer release",
    "repositories": "the branches, tags, commits and files of projects",
    "crm_contacts": "only GraphQL shows them",
    "crm_organizations": "only GraphQL shows them",
    "issue_contacts": "only GraphQL shows them",
    "callouts": "only GraphQL shows them",
    "saved_replies": "only GraphQL shows them",
    "user_preferences": "only GraphQL shows them",
    "custom_fields": "only GraphQL shows them",
    "custom_field_values": "only GraphQL shows them",
    "runner_controller_scopes": "in a list of each controller",
    "runner_controller_tokens": "in a list of each controller",
    "runner_controllers": "of a newer release",
    "runner_managers": "in the jobs that they run",
    "runner_projects": "the runners of projects",
    "saml_providers": "no response shows them",
    "schema_migrations": "no response shows them",
    "scim_group_memberships": "members of groups in SCIM",
    "scheduled_tasks": "what is still to happen",
    "status_check_responses": "in a field of status checks",
    "subscriptions": "users see their own only",
    "terraform_state_versions": "responses are the files",
    "terraform_states": "responses are the files",
    "user_agent_details": "no part of an issue",
    "wiki_page_metas": "events and comments refer to them",
    "wikis": "their pages",
}
"""Tables without a list of their records in the view, and why."""


def shown_records(view: WorldView) -> Iterator[Any]:
    """Yield the records that the view shows."""
    seen: set[tuple[str, Any]] = set()
    queue = [(part, None) for part in INSTANCE_PARTS.values()]
    while queue:
        part, owner = queue.pop()
        for record in part.find(view.world, owner):
            RecordView(view, record, part.view)
            key = (type(record).__name__, getattr(record, "id", id(record)))
            if key not in seen:
                seen.add(key)
                yield record
                queue += [(each, record) for each in list_parts(record).values()]


def test_the_view_shows_the_records_of_every_table() -> None:
    """The world view lists the records of every table that the API shows."""
    view = WorldView(create_platform(FULL))
    shown_types = {type(record).__name__ for record in shown_records(view)}
    records = {table.name: [*getattr(view.world, table.name).all()] for table in World.tables}
    kinds = {name: {type(record).__name__ for record in rows} for name, rows in records.items() if rows}
    assert NOT_LISTED.keys() == {name for name, names in kinds.items() if not names & shown_types}


def test_the_paths_of_kinds_and_parts_exist() -> None:
    """The lazily imported entities, functions and options of the world view exist."""
    kinds = [*RECORD_KINDS.values()]
    parts = [*INSTANCE_PARTS.values(), *(part for kind in kinds for part in kind.parts.values())]
    assert all(kind.view.fields for kind in kinds)
    assert all(part.view.fields for part in parts)
    names = {name for kind in kinds for name in kind.parts}
    assert set() == {*names, *map(singular, names)} & {*dir(Mapping)}
    options = {name: kind.options for name, kind in RECORD_KINDS.items() if kind.options}
    assert {"Project": (STATISTICS, ADMINISTERED), "Issue": (SINGLE,), "MergeRequest": (FROM_PROJECT,)} == options


def test_what_a_bot_creates_is_in_the_view(fakeplat: Fakeplat) -> None:
    """The world view has the branches, releases, hooks, files and wiki pages that a client created."""
    ada = fakeplat.as_user("ada")
    ada.post(f"{SITE}/repository/branches", params={"branch": "b1", "ref": "master"})
    ada.post(
        f"{SITE}/repository/files/notes.txt", json={"branch": "master", "content": "Hi", "commit_message": "Notes"}
    )
    ada.post(f"{SITE}/releases", json={"tag_name": "v2", "ref": "master", "name": "Two", "description": "x"})
    ada.put(f"{SITE}/packages/generic/tool/1.0.0/tool.bin", data=b"123")
    ada.post(f"{SITE}/hooks", json={"url": "https://bot.test/hook", "issues_events": True})
    ada.post(f"{SITE}/badges", json={"link_url": "https://x.test", "image_url": "https://x.test/i.svg"})
    ada.post(f"{SITE}/protected_branches", json={"name": "b1"})
    ada.post(f"{SITE}/wikis", json={"title": "Home", "content": "Welcome"})

    project = fakeplat.world.project("acme/site")
    assert project.branch("b1").protected
    assert ("Notes", "Hi", 2) == (
        project.commits[0].title,
        project.file("notes.txt").text,
        project.file("notes.txt").size,
    )
    assert "Two" == project.release("v2").name
    assert "v2" == project.tag("v2").name
    assert [3] == [file.size for file in project.package("tool").files]
    assert project.hook("https://bot.test/hook").issues_events
    assert "https://x.test" == project.badges[0].link_url
    assert ["b1"] == [branch.name for branch in project.protected_branches if branch.name == "b1"]
    assert "Welcome" == project.wiki("Home").content


def test_records_are_looked_up_by_number_and_name(fakeplat: Fakeplat) -> None:
    """Records are looked up by iid before id, by name, title or username, and by fields."""
    world = fakeplat.world
    project = world.project(5001)
    assert ("acme/site", "ada", "acme") == (
        project.path_with_namespace,
        world.user(world.user("ada").id).username,
        world.group(world.group("acme").id).full_path,
    )
    issue = project.issue(1)
    assert [issue.title] * 3 == [project.issue(given).title for given in (issue.iid, issue.id, issue.title)]
    assert 1 == project.merge_request(1).iid
    assert "bug" == project.label("bug").name == project.label(color=project.label("bug").color).name
    assert "ada" == world.group("acme").member("ada").username


@pytest.mark.parametrize(
    ("look_up", "message"),
    [
        (
            lambda world: world.project("acme/sit"),
            "there is no project 'acme/sit' in this world; did you mean 'acme/site'?",
        ),
        (lambda world: world.project(7), "there is no project 7 in this world"),
        (lambda world: world.user(99), "there is no user 99 in this world"),
        (lambda world: world.project(5001).issue(99), "Project acme/site has no issue 99; there are 1, 2, 3, 4, 5"),
        (lambda world: world.project(5001).label("bgu"), "Project acme/site has no label 'bgu'; did you mean 'bug'?"),
        (lambda world: world.project(5001).release("v1"), "Project acme/site has no release 'v1'; there are none"),
        (
            lambda world: world.project(5001).issue(state="opened"),
            "Project acme/site has 4 records issue state='opened'; name more of their fields",
        ),
    ],
)
def test_a_record_that_does_not_exist(fakeplat: Fakeplat, look_up: Any, message: str) -> None:
    """Looking up a missing record raises an error that names the closest or the existing ones."""
    with pytest.raises(NoSuchRecord) as error:
        look_up(fakeplat.world)
    assert message == str(error.value)


@pytest.mark.parametrize(
    ("read", "message"),
    [
        (lambda world: world.grup, "a world has no field 'grup'; did you mean group?"),
        (
            lambda world: world.issues,
            "a world has no field 'issues'; there is world.project(…).issues and world.group(…).issues",
        ),
        (lambda world: world.project(5001).isues, "Project has no field 'isues'; did you mean issues?"),
        (lambda world: world.user("ada").releases, "User has no field 'releases'; there is world.project(…).releases"),
    ],
)
def test_a_misspelt_name(fakeplat: Fakeplat, read: Any, message: str) -> None:
    """Reading a misspelt attribute raises an error that names the closest attribute or its owner."""
    with pytest.raises(AttributeError) as error:
        read(fakeplat.world)
    assert message == str(error.value)


def test_names_can_be_completed(fakeplat: Fakeplat) -> None:
    """`dir` lists the fields, collections and look-ups of a view."""
    world = fakeplat.world
    assert {"projects", "project", "users", "topics", "topic"} <= {*dir(world)}
    assert {"star_count", "issues", "issue", "branches", "branch", "hooks", "items"} <= {*dir(world.project(5001))}
    assert {"title", "notes", "note"} <= {*dir(world.project(5001).issue(1))}


def test_a_view_can_be_copied(fakeplat: Fakeplat) -> None:
    """Copies of a world view show the same world."""
    assert "Site" == copy(fakeplat.world).project(5001).name == deepcopy(fakeplat.world.project(5001)).name


def test_objects_say_what_they_are() -> None:
    """The representations of a world, its clock and its view show URL, scenario, time and counts."""
    with package.start(port=0) as platform:
        assert f"<Fakeplat {platform.url} starter>" == repr(platform)
        assert "<WorldClock auto 2020-11-20T09:00:00.000Z>" == repr(platform.clock)
        counts = "4 projects, 2 groups, 9 users"
        assert f"<WorldView {platform.url} at 2020-11-20T09:00:00.000Z: {counts}>" == repr(platform.world)
