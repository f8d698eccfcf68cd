"""Merge requests of projects.

Their commits are those of the branches and are read only when needed. If the branches have changed since, an export
contains the hashes of the commits.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final, Unpack, get_args

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
from fakeplat.domain.issuables.timelogs import count_unlogged, log_rest
from fakeplat.domain.merge_requests import blocks, closing_issues, merge_requests
from fakeplat.domain.merge_requests.merge_requests import MergeRequestChanges, NewMergeRequest
from fakeplat.domain.notes import noteables
from fakeplat.domain.people.namespaces import project_path
from fakeplat.domain.repository import repositories
from fakeplat.domain.reviews import diff_versions
from fakeplat.domain.settings import default_branch
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import Approval, DiffRefs, MergeRequest, MergeStatus, Reviewer, ReviewState
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext
from fakeplat.scenario import creation_order
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import MERGE_REQUESTS, EntryData, Section
from fakeplat.scenario.sections import serialization
from fakeplat.scenario.sections.issues import issues
from fakeplat.scenario.sections.issues.issuables import (
    DESCRIPTIONS,
    default_author,
    end_time,
    find_existing,
    get_by_reference,
    resolve_references,
    serialize_references,
)

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
    "added_closes_ids",
    "reviewers",
    "rebase_in_progress",
    "change_requester_ids",
)
_STATUSES: Final = (
    "unchecked",
    "checking",
    "can_be_merged",
    "cannot_be_merged",
    "cannot_be_merged_recheck",
    "cannot_be_merged_rechecking",
)
_FIELDS: Final = fields_of(
    MergeRequest,
    without=("id", *_REFERENCES),
    iid=Integer(minimum=1),
    state=Choice("opened", "closed", "locked", "merged"),
    merge_status=Choice(*_STATUSES),
    merged_at=Nullable(DATE_TIME),
    closed_at=Nullable(DATE_TIME),
    approvals_before_merge=Nullable(COUNT),
    merge_after=Nullable(DATE_TIME),
)
_REVIEWER: Final = Object(
    {"user": TEXT, "created_at": DATE_TIME, "state": Choice(*get_args(ReviewState))}, required=("user",)
)
_APPROVAL: Final = Object({"user": TEXT, "created_at": DATE_TIME}, required=("user",))
_VERSION: Final = Object({"created_at": DATE_TIME, "base": TEXT, "start": TEXT, "head": TEXT}, required=("created_at",))
_DESCRIPTIONS: Final = {
    **DESCRIPTIONS,
    "source_project": "Full path of a fork. Default: the project itself.",
    "merged_by": "Username. Default: the author.",
    "merge_user": "Username of the user who set it to be merged when the pipeline succeeds.",
    "reviewers": "Usernames, or maps of user, created_at and state.",
    "change_requesters": "Usernames of those who ask for changes without being reviewers (paid feature).",
    "approved_by": "Usernames, or maps of user and created_at.",
    "versions": "Diff versions as commit hashes, the oldest first. Default: the current branches.",
    "closes_also": "Issues that merging closes because users added them, as acme/site#7.",
    "closes": "Issues that merging closes, as acme/site#7. Default: those in title, description and commits.",
    "blocked_by": "Merge requests that have to be merged first, as acme/site!7 (paid feature).",
    "picked_shas": "Hashes of the commits that cherry-picks of the merge commit made.",
}


def _create(entry: Entry) -> MergeRequest:
    project = entry.owner
    existing = find_existing(entry, project, entry.world.merge_requests, merge_requests.list_project_merge_requests)
    fields = {**entry.select(_FIELDS), **_resolve_references(entry, project)}
    merge_request = (
        _create_new(entry, project, **fields) if existing is None else _update_existing(entry, existing, **fields)
    )
    log_rest(entry.ctx, merge_request)
    for approval in entry.values.get("approved_by", ()):
        _add_approval(entry, merge_request, approval)
    entry.defer(lambda: _set_closing_issues(entry))
    if "blocked_by" in entry.values:
        entry.defer(lambda: _set_blocks(entry))
    entry.defer(lambda: _add_code_owner_rules(entry, project))
    if entry.loader.thorough:
        # The repository may be an entry of a fork that is created later.
        entry.defer(lambda: _check_source_branch(entry, merge_request))
    return merge_request


def _add_code_owner_rules(entry: Entry, project: Project) -> None:
    """Add the rules of code owners, once all who may own code exist; hardly any repository names them."""
    repository = repositories.record_of(entry.world, project)
    if repository is not None and (repository.declared is None or repository.declared.names_owners):
        from fakeplat.domain.merge_requests import code_owner_rules

        code_owner_rules.synchronize(entry.ctx, entry.record())


def _check_source_branch(entry: Entry, merge_request: MergeRequest) -> None:
    """Check that the source branch of an open merge request exists, if its versions are read from the branches."""
    version = diff_versions.latest_version(entry.world, merge_request)
    if merge_request.state != "opened" or version is None or not version.declared:
        return
    source = entry.world.projects.get(merge_request.source_project_id or 0)
    if source is None or diff_versions.source_head_sha(entry.world, merge_request) is not None:
        return
    branches = repositories.open_repository(entry.world, source).branches()
    path = project_path(entry.world, source)
    if not branches:
        entry.fail(f"{path} has no repository with branches", "source_branch")
    entry.fail(
        f"{path} has no branch {merge_request.source_branch!r}",
        "source_branch",
        nearest_name(merge_request.source_branch, branches),
    )


def _create_new(entry: Entry, project: Project, **fields: Unpack[MergeRequestChanges]) -> MergeRequest:
    if "title" not in fields:
        entry.fail("needs 'title'")
    if "source_branch" not in fields:
        entry.fail("needs 'source_branch'")
    row: NewMergeRequest = {
        "title": fields["title"],
        "author_id": default_author(entry, project).id,
        "created_at": entry.created_at,
        # An explicit null stays null: the fork was deleted.
        "source_project_id": project.id,
        "source_branch": fields["source_branch"],
        "target_branch": project.default_branch or default_branch(entry.world),
        **fields,
    }
    _check_branches(entry, project, row)
    row = {**_end_fields(entry, row), **row}
    merge_request = merge_requests.insert(entry.ctx, project, **row)
    _add_versions(entry, merge_request)
    return merge_request


def _check_branches(entry: Entry, project: Project, fields: NewMergeRequest) -> None:
    """Check that an open merge request has different branches and is the only open one between them."""
    source_id = fields["source_project_id"]
    # Ended merge requests may share their branches with others, as on the platform.
    if source_id is None or fields.get("state", "opened") != "opened":
        return
    if source_id == project.id and fields["source_branch"] == fields["target_branch"]:
        entry.fail(merge_requests.SAME_BRANCH, "source_branch")
    if merge_requests.find_open_duplicate(
        entry.world, source_id, project.id, fields["source_branch"], fields["target_branch"]
    ):
        entry.fail("another merge request between the same branches is open", "source_branch")


def _add_versions(entry: Entry, merge_request: MergeRequest) -> None:
    versions = entry.values.get("versions")
    if versions is None:
        diff_versions.declare_version(entry.ctx, merge_request)
        return
    for version in versions:
        # Without a head there is no diff, but the version is listed all the same.
        refs = DiffRefs(version["base"], version["start"], version["head"]) if version.get("head") else None
        diff_versions.insert_version(entry.ctx, merge_request, version["created_at"], refs)


def _update_existing(entry: Entry, merge_request: MergeRequest, **fields: Unpack[MergeRequestChanges]) -> MergeRequest:
    if fields.get("state", merge_request.state) != merge_request.state:
        fields = {**_end_fields(entry, {"author_id": merge_request.author_id, **fields}), **fields}
    return merge_requests.change_fields(entry.ctx, merge_request, **fields)


def _end_fields(entry: Entry, fields: NewMergeRequest | MergeRequestChanges) -> MergeRequestChanges:
    """Return when and by whom a merge request was merged or closed, as defaults."""
    state = fields.get("state")
    if state not in ("merged", "closed"):
        return {}
    ended_at, user_id = end_time(entry, fields), fields["author_id"]
    if state == "closed":
        return {"closed_at": ended_at, "closed_by_id": user_id}
    return {"merged_at": ended_at, "merged_by_id": user_id, "merge_status": "can_be_merged"}


def _resolve_references(entry: Entry, project: Project) -> dict[str, Any]:
    references = resolve_references(entry, project, ("merged_by", "closed_by", "merge_user"))
    if "source_project" in entry.values:
        source = entry.project_or_none("source_project")
        references["source_project_id"] = source.id if source else None
    if "change_requesters" in entry.values:
        references["change_requester_ids"] = tuple(
            entry.get_user(name, "change_requesters").id for name in entry.values["change_requesters"]
        )
    if "reviewers" in entry.values:
        reviewers = [_read_reviewer(entry, reviewer) for reviewer in entry.values["reviewers"]]
        references["reviewers"] = tuple({reviewer.user_id: reviewer for reviewer in reviewers}.values())
    return references


def _read_reviewer(entry: Entry, reviewer: str | Mapping[str, Any]) -> Reviewer:
    values: Mapping[str, Any] = {"user": reviewer} if isinstance(reviewer, str) else reviewer
    user = entry.get_user(values["user"], "reviewers")
    return Reviewer(user.id, values.get("created_at", entry.created_at), values.get("state", "unreviewed"))


def _add_approval(entry: Entry, merge_request: MergeRequest, approval: str | Mapping[str, str]) -> None:
    name, at = (
        (approval, merge_request.created_at)
        if isinstance(approval, str)
        else (approval["user"], approval.get("created_at"))
    )
    user = entry.get_user(name, "approved_by")
    from fakeplat.domain.merge_requests import approvals

    approvals.insert_approval(entry.ctx, merge_request, user, at or merge_request.created_at)


def _set_closing_issues(entry: Entry) -> None:
    """Set the issues that merging closes, once all issues exist."""
    world, merge_request = entry.world, entry.record()
    if "closes" in entry.values:
        ids = tuple(issues.get_issue(entry, reference, "closes").id for reference in entry.values["closes"])
    else:
        ids = tuple(issue.id for issue in _read_closing_issues(entry.ctx, merge_request))
    added = tuple(
        issues.get_issue(entry, reference, "closes_also").id for reference in entry.values.get("closes_also", ())
    )
    closed = tuple(dict.fromkeys((*ids, *added)))
    world.merge_requests.change(merge_request, closes_ids=closed, added_closes_ids=added)


def _set_blocks(entry: Entry) -> None:
    """Set what blocks a merge request, once all merge requests exist."""
    for reference in entry.values["blocked_by"]:
        blocks.insert(entry.ctx, get_merge_request(entry, reference, "blocked_by"), entry.record())


def _read_closing_issues(ctx: ReadContext, merge_request: MergeRequest) -> list[Issue]:
    """Read the issues to close from the texts; commit messages are read only if one may contain a closing reference."""
    reads_commits = merge_request.is_open and _commits_may_close(ctx.world, merge_request)
    return (
        closing_issues.parse_closing_issues(ctx, merge_request)
        if reads_commits
        else closing_issues.parse_texts(ctx, merge_request)
    )


def _commits_may_close(world: World, merge_request: MergeRequest) -> bool:
    source = (
        world.projects.get(merge_request.source_project_id) if merge_request.source_project_id is not None else None
    )
    repository = repositories.record_of(world, source) if source is not None else None
    # For declared commits this was determined from their messages, so that git need not create them to be searched.
    return repository is not None and (repository.declared is None or repository.declared.closes)


def get_merge_request(entry: Entry, reference: str, key: str) -> MergeRequest:
    """Return the merge request for a full reference such as acme/site!7; ``key`` contains it."""
    return get_by_reference(entry, entry.world.merge_requests, reference, "!", key, "merge request")


def get_issuable(entry: Entry, reference: str, key: str) -> Issue | MergeRequest:
    """Return the issue (acme/site#7) or the merge request (acme/site!7) for a full reference; ``key`` contains it."""
    return get_merge_request(entry, reference, key) if "!" in reference else issues.get_issue(entry, reference, key)


def _export(world: World, project: Project) -> Iterable[tuple[MergeRequest, EntryData]] | None:
    return [
        (merge_request, _serialize(world, merge_request))
        for merge_request in merge_requests.list_project_merge_requests(world, project)
    ] or None


_STATUS_BEFORE_CHECK: Final[dict[MergeStatus, MergeStatus]] = {
    "checking": "unchecked",
    "cannot_be_merged_rechecking": "cannot_be_merged_recheck",
}
"""The status before a running check: checks are not exported, so a loaded world starts them again."""


def _serialize(world: World, merge_request: MergeRequest) -> EntryData:
    always = (f"{merge_request.state}_at",) if merge_request.state in ("closed", "merged") else ()
    data = serialization.non_default_fields(merge_request, _FIELDS, always=("target_branch", *always))
    status = _STATUS_BEFORE_CHECK.get(merge_request.merge_status, merge_request.merge_status)
    default_status = "can_be_merged" if merge_request.state == "merged" else "unchecked"
    data.pop("merge_status", None)
    data["total_time_spent"] = count_unlogged(world, merge_request)
    return {
        **serialization.remove_defaults(data, updated_at=merge_request.created_at, total_time_spent=0),
        **({"merge_status": status} if status != default_status else {}),
        "author": serialization.username_of(world, merge_request.author_id),
        **_serialize_references(world, merge_request),
        **creation_order.turn_of(world, "merge_requests", merge_request.id),
    }


def _serialize_references(world: World, merge_request: MergeRequest) -> EntryData:
    source = (
        world.projects.get(merge_request.source_project_id) if merge_request.source_project_id is not None else None
    )
    references: EntryData = {
        **serialize_references(world, merge_request),
        "merge_user": serialization.username_of(world, merge_request.merge_user_id),
        "reviewers": [_serialize_reviewer(world, reviewer) for reviewer in merge_request.reviewers],
        "change_requesters": [serialization.username_of(world, id_) for id_ in merge_request.change_requester_ids],
        "blocked_by": [
            noteables.format_reference(world, world.merge_requests[block.blocking_id])
            for block in blocks.list_blocks(world, merge_request)
        ],
        "approved_by": [
            _serialize_approval(world, approval)
            for approval in world.approvals.where("merge_request", merge_request.id)
        ],
        "versions": _serialize_versions(world, merge_request),
    }
    # Empty unless the merge request is closed or merged.
    end_keys = {f"{merge_request.state}_by"} & {"closed_by", "merged_by"}
    return {
        **{name: value for name, value in references.items() if value},
        **{name: serialization.username_of(world, getattr(merge_request, f"{name}_id")) for name in end_keys},
        **_serialize_source(world, merge_request, source),
        **_serialize_closes(world, merge_request),
    }


def _serialize_source(world: World, merge_request: MergeRequest, source: Project | None) -> EntryData:
    if merge_request.source_project_id == merge_request.project_id:
        return {}
    return {"source_project": project_path(world, source) if source else None}


def _serialize_closes(world: World, merge_request: MergeRequest) -> EntryData:
    closed = [issue for id_ in merge_request.closes_ids if (issue := world.issues.get(id_))]
    texts_may_close = any(
        closing_issues.has_closing_words(text) for text in (merge_request.title, merge_request.description)
    )
    # Without the key, loading reads the texts again; that finds the same as long as none has closing words.
    if not closed and not texts_may_close and not (merge_request.is_open and _commits_may_close(world, merge_request)):
        return {}
    added = [issues.format_reference(world, world.issues[id_]) for id_ in merge_request.added_closes_ids]
    return {
        "closes": [issues.format_reference(world, issue) for issue in closed],
        **({"closes_also": added} if added else {}),
    }


def _serialize_approval(world: World, approval: Approval) -> EntryData:
    return {"user": serialization.username_of(world, approval.user_id), "created_at": approval.created_at}


def _serialize_reviewer(world: World, reviewer: Reviewer) -> EntryData:
    state = {} if reviewer.state == "unreviewed" else {"state": reviewer.state}
    return {"user": serialization.username_of(world, reviewer.user_id), "created_at": reviewer.created_at, **state}


def _serialize_versions(world: World, merge_request: MergeRequest) -> list[EntryData] | None:
    """Return the versions, or None if they are still those of the branches and have not been read yet."""
    # Versions are listed newest first, but an entry has the oldest first.
    versions = list(diff_versions.list_versions(world, merge_request))[::-1]
    if any(version.declared for version in versions):
        return None
    return [
        {"created_at": version.created_at, **(version.refs._asdict() if version.refs else {})} for version in versions
    ]


SECTION: Final = Section(
    "merge_requests",
    within=("project",),
    rank=MERGE_REQUESTS,
    keys=Object(
        {
            **_FIELDS,
            "author": TEXT,
            "source_project": NULLABLE_TEXT,
            "assignees": ListOf(TEXT),
            "labels": ListOf(TEXT),
            "milestone": NULLABLE_TEXT,
            "merged_by": NULLABLE_TEXT,
            "closed_by": NULLABLE_TEXT,
            "merge_user": NULLABLE_TEXT,
            "allow_maintainer_to_push": Alias("allow_collaboration"),
            "reviewers": ListOf(Union(TEXT, _REVIEWER)),
            "approved_by": ListOf(Union(TEXT, _APPROVAL)),
            "versions": ListOf(_VERSION),
            "closes": ListOf(TEXT),
            "closes_also": ListOf(TEXT),
            "blocked_by": ListOf(TEXT),
            "change_requesters": ListOf(TEXT),
            creation_order.KEY: COUNT,
        },
        descriptions=_DESCRIPTIONS,
    ),
    create=_create,
    export=_export,
    name_key="title",
    identity_key="iid",
    case_sensitive=True,
    kind="merge_request",
    record=MergeRequest,
)
