"""No record refers to a deleted one. Ids of different kinds start apart, so an id that is gone may stand nowhere.

Source: the platform deletes what belongs to a project, group or user with it, and clears or moves what only names it.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from attrs import fields, has

from fakeplat.domain.alerts import alert_integrations
from fakeplat.domain.ci import job_outcomes, job_token_log
from fakeplat.domain.registry import image_blobs
from fakeplat.model.people import Group
from fakeplat.model.registry import ProxiedBlob, ProxiedManifest
from fakeplat.model.world import World
from fakeplat.platform import Platform
from tests.api.full_world import FULL
from tests.scenario.worlds import create_platform, write

PEOPLE = {
    "assignee_id",
    "assignee_ids",
    "author_id",
    "closed_by_id",
    "creator_id",
    "marked_for_deletion_by",
    "merge_user_id",
    "merged_by_id",
    "mirror_user_id",
    "owner_id",
    "resolved_by_id",
    "user_id",
    "user_ids",
}
"""The fields that name users, whose ids are small numbers; a tuple that begins with "user" does too."""

STAYS = {
    **{
        f"audit_events.{name}": "an audit event outlives what it is about"
        for name in ("author_id", "entity_id", "target_id")
    },
    "notes.source": "what a system note mentions only decides who sees the note: nobody, once it is gone",
    "label_events.label_id": "a label that is gone is shown as null",
    "label_events.user_id": "a user who is gone is shown as null",
    "milestone_events.user_id": "a user who is gone is shown as null",
    "state_events.user_id": "a user who is gone is shown as null",
    "weight_events.user_id": "a user who is gone is shown as null",
    "iteration_events.user_id": "a user who is gone is shown as null",
    "iteration_events.iteration_id": "an iteration that is gone is shown as null",
}
"""What may name what is gone: a table's field, and why."""

DELETIONS = [
    ("project", "DELETE", "projects/acme%2Fsite"),
    ("group", "DELETE", "groups/acme"),
    ("subgroup", "DELETE", "groups/acme%2Ftools"),
    ("sharing group", "DELETE", "groups/kept"),
    ("fork", "DELETE", "projects/kept%2Ffork"),
    ("user", "DELETE", "users/{dev}"),
    ("user with contributions", "DELETE", "users/{dev}?hard_delete"),
    ("issue", "DELETE", "projects/acme%2Fsite/issues/9"),
    ("linked issue", "DELETE", "projects/kept%2Ffork/issues/1"),
    ("merge request", "DELETE", "projects/acme%2Fsite/merge_requests/9"),
    ("note with a suggestion", "DELETE", "projects/acme%2Fsite/merge_requests/9/notes/{suggesting}"),
    ("pipeline", "DELETE", "projects/acme%2Fsite/pipelines/{pipeline}"),
    ("canceling pipeline", "DELETE", "projects/acme%2Fsite/pipelines/{canceling}"),
    ("downstream pipeline", "DELETE", "projects/kept%2Ffork/pipelines/{downstream}"),
    ("snippet", "DELETE", "projects/acme%2Fsite/snippets/{snippet}"),
    ("project label", "DELETE", "projects/acme%2Fsite/labels/bug"),
    ("group label", "DELETE", "groups/acme/labels/urgent"),
    ("project milestone", "DELETE", "projects/acme%2Fsite/milestones/{project_milestone}"),
    ("group milestone", "DELETE", "groups/acme/milestones/{group_milestone}"),
    ("note", "DELETE", "projects/acme%2Fsite/issues/9/notes/{note}"),
    ("protected branch", "DELETE", "projects/acme%2Fsite/protected_branches/feature"),
    ("member", "DELETE", "projects/acme%2Fsite/members/{eve}"),
    ("board", "DELETE", "projects/acme%2Fsite/boards/{board}"),
    ("approval rule", "DELETE", "projects/acme%2Fsite/approval_rules/{rule}"),
    ("promoted label", "PUT", "projects/acme%2Fsite/labels/bug/promote"),
    ("promoted milestone", "POST", "projects/acme%2Fsite/milestones/{project_milestone}/promote"),
    ("share", "DELETE", "projects/acme%2Fsite/share/{kept}"),
    ("pipeline schedule", "DELETE", "projects/acme%2Fsite/pipeline_schedules/{schedule}"),
    ("runner", "DELETE", "runners/{runner}"),
]


@pytest.fixture
def full() -> Platform:
    """The full world; a table that it leaves empty fails the test by name."""
    platform = create_platform(FULL)
    with platform.acting() as ctx:
        job_outcomes.add_outcomes(ctx, [{"job": "test"}])
        group = next(group for group in ctx.world.namespaces.all() if isinstance(group, Group))
        now = ctx.now_iso
        blobs, manifests = ctx.world.proxied_blobs, ctx.world.proxied_manifests
        blobs.add(ProxiedBlob(blobs.next_id(), group.id, "0.gz", b"", now, now))
        manifests.add(ProxiedManifest(manifests.next_id(), group.id, "alpine:3.json", "", "", b"", now, now))
        image_blobs.start_upload(ctx, next(iter(ctx.world.container_repositories.all())))
        site, other, *_ = ctx.world.projects.all()
        alert_integrations.create_prometheus(ctx, site, None, active=True)
        job_token_log.record_access(ctx, site, other)
    assert [] == [table.name for table in World.tables if not list(getattr(platform.view, table.name).all())]
    return platform


def list_ids(world: World) -> dict[str, int]:
    """The ids that the paths of deletions name."""
    site = next(project for project in world.projects.all() if project.path == "site")
    users = {user.username: user.id for user in world.users.all()}
    milestones = {milestone.title: milestone.id for milestone in world.milestones.all()}
    return {
        "dev": users["dev"],
        "eve": users["eve"],
        "snippet": next(snippet.id for snippet in world.snippets.all() if snippet.project_id == site.id),
        "project_milestone": milestones["v1.1"],
        "group_milestone": milestones["Winter"],
        "note": next(note.id for note in world.notes.all() if note.body == "Hm"),
        "suggesting": next(suggestion.note_id for suggestion in world.suggestions.all()),
        "pipeline": next(pipeline.id for pipeline in world.pipelines.all() if pipeline.auto_canceled_by_id),
        "canceling": next(pipeline.id for pipeline in world.pipelines.where("ref", (site.id, "feature"))),
        "downstream": next(pipeline.id for pipeline in world.pipelines.all() if pipeline.source_job_id),
        "board": next(board.id for board in world.boards.all() if board.name == "Work"),
        "kept": next(group.id for group in world.namespaces.all() if group.path == "kept"),
        "schedule": next(schedule.id for schedule in world.pipeline_schedules.all()),
        "runner": next(runner.id for runner in world.runners.all() if runner.runner_type == "project_type"),
        "rule": next(rule.id for rule in world.approval_rules.all() if rule.name == "All"),
    }


def collect_records(world: World) -> dict[str, dict[int, Any]]:
    """All records by table and id."""
    return {table.name: {record.id: record for record in getattr(world, table.name).all()} for table in World.tables}


def list_numbers(value: Any, name: str, kind: str = "") -> Iterator[tuple[str, str, int]]:
    """Every number inside a value: the field that it stands in, the kind that a tuple names, and the number."""
    if isinstance(value, int) and not isinstance(value, bool):
        yield name, kind, value
    elif has(type(value)):
        for field in fields(type(value)):
            yield from list_numbers(getattr(value, field.name), field.name)
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from list_numbers(inner, str(key))
    elif isinstance(value, tuple | list | set | frozenset):
        word = next((item for item in value if isinstance(item, str)), "")
        for inner in value:
            yield from list_numbers(inner, name, word)


def list_orphans(before: World, after: World) -> list[str]:
    """The fields, by table, that name a record which is gone."""
    old, new = collect_records(before), collect_records(after)
    gone = {table: old[table].keys() - new[table].keys() for table in old}
    others = set().union(*(ids for table, ids in gone.items() if table not in ("users", "scheduled_tasks")))
    orphaned_fields = set()
    for table, rows in new.items():
        for record in rows.values():
            for name, kind, number in list_numbers(record, ""):
                user = name in PEOPLE or kind in ("user", "users")
                if number in (gone["users"] if user else others):
                    orphaned_fields.add(f"{table}.{name}")
    return sorted(orphaned_fields - STAYS.keys())


@pytest.mark.parametrize(("what", "method", "path"), DELETIONS, ids=[row[0] for row in DELETIONS])
def test_nothing_names_what_is_deleted(full: Platform, what: str, method: str, path: str) -> None:
    """After a deletion no record names the deleted one."""
    del what
    before = full.view
    path_only, _, option = path.format(**list_ids(before)).partition("?")
    write(full, method, path_only, "root-token", **({option: True} if option else {}))
    assert [] == list_orphans(before, full.view)


def test_branches_lead_to_open_merge_requests_alone(full: Platform) -> None:
    """Closed and merged ones are not looked at when a branch moves or goes."""
    merge_requests = full.view.merge_requests
    expected = {
        (merge_request.project_id, merge_request.target_branch, merge_request.id)
        for merge_request in merge_requests.all()
        if merge_request.state in ("opened", "locked")
    }
    assert {"Closed", "Merged"} <= {merge_request.title for merge_request in merge_requests.all()}
    assert expected == {
        (*key, merge_request.id)
        for key in {(merge_request.project_id, merge_request.target_branch) for merge_request in merge_requests.all()}
        for merge_request in merge_requests.where("open_to", key)
    }
