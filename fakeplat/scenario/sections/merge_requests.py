"""Merge requests into projects.

Their commits are those of the branches; nobody looks at them before somebody asks. Where branches moved since, an
export says the commits themselves.
"""

from collections.abc import Iterable
from typing import Any, Final

from fakeplat.core.schema.mistakes import nearest_name
from fakeplat.core.schema.records import fields as fields_of
from fakeplat.core.schema.shapes import (
    COUNT,
    DATE_TIME,
    NULLABLE_TEXT,
    TEXT,
    Alias,
    Choice,
    Integer,
    ListOf,
    Nullable,
    Object,
    Union,
)
from fakeplat.domain.merge_requests import approvals, diff_versions, merge_requests
from fakeplat.domain.merge_requests import closing_issues as closing
from fakeplat.domain.people.namespaces import project_path
from fakeplat.domain.repository import repositories
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import Approval, DiffRefs, MergeRequest, MergeStatus
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext
from fakeplat.scenario import creation_order
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import MERGE_REQUESTS, Section, Told
from fakeplat.scenario.sections import issues
from fakeplat.scenario.sections import serialization as telling
from fakeplat.scenario.sections.issuables import default_author, find_by_reference, resolve_references

_REFERENCES: Final = (
    "project_id",
    "source_project_id",
    "author_id",
    "assignee_ids",
    "label_ids",
    "milestone_id",
    "merged_by_id",
    "closed_by_id",
    "merge_user_id",
    "closes_ids",
    "rebase_in_progress",
)
_STATUSES: Final = (
    "unchecked",
    "checking",
    "can_be_merged",
    "cannot_be_merged",
    "cannot_be_merged_recheck",
    "cannot_be_merged_rechecking",
)
_OWN: Final = fields_of(
    MergeRequest,
    without=("id", *_REFERENCES),
    iid=Integer(minimum=1),
    state=Choice("opened", "closed", "locked", "merged"),
    merge_status=Choice(*_STATUSES),
    merged_at=Nullable(DATE_TIME),
    closed_at=Nullable(DATE_TIME),
    approvals_before_merge=Nullable(COUNT),
)
_APPROVAL: Final = Object({"user": TEXT, "created_at": DATE_TIME}, required=("user",))
_VERSION: Final = Object({"created_at": DATE_TIME, "base": TEXT, "start": TEXT, "head": TEXT}, required=("created_at",))
_ABOUT: Final = {
    "author": "A username; otherwise the project's creator.",
    "source_project": "The full path of a fork; otherwise the project itself.",
    "assignees": "Usernames.",
    "labels": "Titles; labels that are not there are made.",
    "milestone": "The title of a milestone of the project or of a group above it.",
    "merged_by": "A username; otherwise the author.",
    "closed_by": "A username; otherwise the author.",
    "merge_user": "Who wants it merged when the pipeline succeeds; a username.",
    "approved_by": "Usernames, or who approved and when.",
    "versions": "How it differed, the oldest first, as hashes; otherwise as its branches stand.",
    "closes": "Issues that it wants closed, as acme/site#7; otherwise those that title and description name.",
    creation_order.KEY: creation_order.DESCRIPTION,
}


def _make(entry: Entry) -> MergeRequest:
    project = entry.owner
    found = _find(entry, project)
    fields = {**entry.given(_OWN), **_references(entry, project)}
    made = _created(entry, project, fields) if found is None else _changed(entry, found, fields)
    for said in entry.said.get("approved_by", ()):
        _approve(entry, made, said)
    entry.afterwards(lambda: _name_closed(entry))
    if entry.seeding.thorough:
        entry.afterwards(lambda: _check_source_branch(entry, made))
    return made


def _check_source_branch(entry: Entry, merge_request: MergeRequest) -> None:
    """An open one whose commits the scenario does not name takes them from its branches."""
    version = diff_versions.latest_version(entry.world, merge_request)
    if merge_request.state != "opened" or version is None or not version.declared:
        return
    source = entry.world.projects.get(merge_request.source_project_id or 0)
    if source is None or diff_versions.source_head(entry.world, merge_request) is not None:
        return
    branches = repositories.open_repository(entry.world, source).branches()
    path = project_path(entry.world, source)
    if not branches:
        entry.wrong(f"{path} has no repository with branches", "source_branch")
    entry.wrong(
        f"{path} has no branch {merge_request.source_branch!r}",
        "source_branch",
        nearest_name(merge_request.source_branch, branches),
    )


def _find(entry: Entry, project: Project) -> MergeRequest | None:
    """The one with the number that is said, else the first with the title."""
    if "iid" in entry.said:
        return entry.world.merge_requests.find("iid", (project.id, entry.said["iid"]))
    every = merge_requests.list_project_merge_requests(entry.world, project)
    return next((one for one in every if one.title == entry.said.get("title")), None)


def _created(entry: Entry, project: Project, fields: dict[str, Any]) -> MergeRequest:
    for key in ("title", "source_branch"):
        if key not in fields:
            entry.wrong(f"needs {key!r}")
    source_id = fields.get("source_project_id", project.id)
    target_branch = fields.get("target_branch") or project.default_branch or entry.ctx.instance.default_branch
    usual = {
        "author_id": default_author(entry, project).id,
        "created_at": entry.created_at,
        "source_project_id": source_id,
        "target_branch": target_branch,
    }
    _check_branches(entry, project, {**usual, **fields})
    ended = _ended(entry, {**usual, **fields})
    (made,) = merge_requests.create_many(entry.ctx, project, [{**usual, **ended, **fields}])
    _versions(entry, made)
    return made


def _check_branches(entry: Entry, project: Project, fields: dict[str, Any]) -> None:
    """An open one needs both branches, and must be the only one between them."""
    source_id = fields["source_project_id"]
    if source_id is None or fields.get("state", "opened") != "opened":
        return
    if source_id == project.id and fields["source_branch"] == fields["target_branch"]:
        entry.wrong(merge_requests.SAME_BRANCH, "source_branch")
    if merge_requests.find_open_duplicate(
        entry.world, source_id, project.id, fields["source_branch"], fields["target_branch"]
    ):
        entry.wrong("another one is open between the same branches", "source_branch")


def _versions(entry: Entry, made: MergeRequest) -> None:
    said = entry.said.get("versions")
    if said is None:
        diff_versions.declare_version(entry.ctx, made)
        return
    for version in said:
        refs = DiffRefs(version["base"], version["start"], version["head"]) if version.get("head") else None
        diff_versions.insert_version(entry.ctx, made, version["created_at"], refs)


def _changed(entry: Entry, found: MergeRequest, fields: dict[str, Any]) -> MergeRequest:
    if fields.get("state", found.state) != found.state:
        fields = {**_ended(entry, {"author_id": found.author_id, **fields}), **fields}
    return merge_requests.change_fields(entry.ctx, found, fields)


def _ended(entry: Entry, fields: dict[str, Any]) -> dict[str, Any]:
    """When and by whom it was merged or closed, where nothing is said of that."""
    word = fields.get("state")
    if word not in ("merged", "closed"):
        return {}
    at = fields.get("updated_at") or fields.get("created_at") or entry.ctx.now_iso
    ended: dict[str, Any] = {f"{word}_at": at, f"{word}_by_id": fields["author_id"]}
    return {**ended, **({"merge_status": "can_be_merged"} if word == "merged" else {})}


def _references(entry: Entry, project: Project) -> dict[str, Any]:
    found = resolve_references(entry, project, ("merged_by", "closed_by", "merge_user"))
    if "source_project" in entry.said:
        source = entry.project_or_none("source_project")
        found["source_project_id"] = source.id if source else None
    return found


def _approve(entry: Entry, made: MergeRequest, said: Any) -> None:
    name, at = (said, made.created_at) if isinstance(said, str) else (said["user"], said.get("created_at"))
    user = entry.named_user(name, "approved_by")
    approvals.insert_approval(entry.ctx, made, user, at or made.created_at)


def _name_closed(entry: Entry) -> None:
    """Say which issues it wants closed, once they are there."""
    world, made = entry.world, entry.record()
    if "closes" in entry.said:
        ids = tuple(issues.find_issue(entry, reference, "closes").id for reference in entry.said["closes"])
    else:
        ids = tuple(issue.id for issue in _read(entry.ctx, made))
    world.merge_requests.change(made, closes_ids=ids)


def _read(ctx: ReadContext, one: MergeRequest) -> list[Issue]:
    """What it wants closed as it reads; git is asked only where a commit may want so."""
    asks_git = one.is_open and _commits_may_close(ctx.world, one)
    return closing.read_closing_issues(ctx, one) if asks_git else closing.read_texts(ctx, one)


def _commits_may_close(world: World, one: MergeRequest) -> bool:
    source = world.projects.get(one.source_project_id) if one.source_project_id is not None else None
    repository = repositories.record_of(world, source) if source is not None else None
    return repository is not None and (repository.declared is None or repository.declared.closes)


def find_merge_request(entry: Entry, reference: str, key: str) -> MergeRequest:
    """The merge request that a full reference under a key names, as acme/site!7."""
    return find_by_reference(entry, entry.world.merge_requests, reference, "!", key, "merge request")


def noteable_at(entry: Entry, reference: str, key: str) -> Issue | MergeRequest:
    """What a full reference under a key names: an issue as acme/site#7, a merge request as acme/site!7."""
    return find_merge_request(entry, reference, key) if "!" in reference else issues.find_issue(entry, reference, key)


def _tell(world: World, project: Project) -> Iterable[tuple[MergeRequest, Told]] | None:
    return [(one, _told(world, one)) for one in merge_requests.list_project_merge_requests(world, project)] or None


_RESTING: Final[dict[MergeStatus, MergeStatus]] = {
    "checking": "unchecked",
    "cannot_be_merged_rechecking": "cannot_be_merged_recheck",
}
"""What a check under way begins from: a world that is loaded asks anew."""


def _told(world: World, one: MergeRequest) -> Told:
    always = (f"{one.state}_at",) if one.state in ("closed", "merged") else ()
    found = telling.non_default_fields(one, _OWN, always=("target_branch", *always))
    status = _RESTING.get(one.merge_status, one.merge_status)
    usual = "can_be_merged" if one.state == "merged" else "unchecked"
    found.pop("merge_status", None)
    return {
        **telling.remove_defaults(found, updated_at=one.created_at),
        **({"merge_status": status} if status != usual else {}),
        "author": telling.username_of(world, one.author_id),
        **_told_references(world, one),
        **creation_order.turn_of(world, "merge_requests", one.id),
    }


def _told_references(world: World, one: MergeRequest) -> Told:
    milestone = world.milestones.get(one.milestone_id) if one.milestone_id else None
    source = world.projects.get(one.source_project_id) if one.source_project_id is not None else None
    found: Told = {
        "assignees": [telling.username_of(world, id_) for id_ in one.assignee_ids],
        "labels": [world.labels[id_].title for id_ in one.label_ids],
        "milestone": milestone.title if milestone else None,
        "merge_user": telling.username_of(world, one.merge_user_id),
        "approved_by": [_told_approval(world, approval) for approval in approvals.list_approvals(world, one)],
        "versions": _told_versions(world, one),
    }
    ended = {f"{one.state}_by"} & {"closed_by", "merged_by"}
    return {
        **{name: value for name, value in found.items() if value},
        **{name: telling.username_of(world, getattr(one, f"{name}_id")) for name in ended},
        **_told_source(world, one, source),
        **_told_closes(world, one),
    }


def _told_source(world: World, one: MergeRequest, source: Project | None) -> Told:
    if one.source_project_id == one.project_id:
        return {}
    return {"source_project": project_path(world, source) if source else None}


def _told_closes(world: World, one: MergeRequest) -> Told:
    named = [issue for id_ in one.closes_ids if (issue := world.issues.get(id_))]
    by_text = any(closing.has_closing_words(text) for text in (one.title, one.description))
    if not named and not by_text and not (one.is_open and _commits_may_close(world, one)):
        return {}
    return {"closes": [issues.format_reference(world, issue) for issue in named]}


def _told_approval(world: World, approval: Approval) -> Told:
    return {"user": telling.username_of(world, approval.user_id), "created_at": approval.created_at}


def _told_versions(world: World, one: MergeRequest) -> list[Told] | None:
    """None where it differs as its branches do, so that nobody has looked yet."""
    versions = list(diff_versions.list_versions(world, one))[::-1]
    if any(version.declared for version in versions):
        return None
    return [
        {"created_at": version.created_at, **(version.refs._asdict() if version.refs else {})} for version in versions
    ]


SECTION: Final = Section(
    "merge_requests",
    under=("project",),
    rank=MERGE_REQUESTS,
    keys=Object(
        {
            **_OWN,
            "author": TEXT,
            "source_project": NULLABLE_TEXT,
            "assignees": ListOf(TEXT),
            "labels": ListOf(TEXT),
            "milestone": NULLABLE_TEXT,
            "merged_by": NULLABLE_TEXT,
            "closed_by": NULLABLE_TEXT,
            "merge_user": NULLABLE_TEXT,
            "allow_maintainer_to_push": Alias("allow_collaboration"),
            "approved_by": ListOf(Union(TEXT, _APPROVAL)),
            "versions": ListOf(_VERSION),
            "closes": ListOf(TEXT),
            creation_order.KEY: COUNT,
        },
        descriptions=_ABOUT,
    ),
    make=_make,
    tell=_tell,
    named="title",
    whole="iid",
    cased=True,
    kind="merge_request",
)
