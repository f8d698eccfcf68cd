"""The archive of a project, in the platform's layout of release 13.5."""

from collections.abc import Collection
from typing import Any, Final

from fakeplat.core.store.bitsets import iterate_bits
from fakeplat.core.timestamps import SECOND
from fakeplat.domain import uploads
from fakeplat.domain.import_export import (
    activity_parts,
    archive_files,
    board_parts,
    ci_parts,
    discussion_parts,
    epic_parts,
    serialization,
    setting_parts,
)
from fakeplat.domain.import_export.archive_files import Files
from fakeplat.domain.merge_requests import merge_requests
from fakeplat.domain.people import members
from fakeplat.domain.people.members import source_of
from fakeplat.domain.reviews import diff_versions
from fakeplat.domain.snippets import snippet_files
from fakeplat.domain.wikis import wikis
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.people import Group, rank
from fakeplat.model.planning import Label, Milestone
from fakeplat.model.projects import FEATURES, Project
from fakeplat.model.releases import Release
from fakeplat.model.snippets import Snippet
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext

VERSION: Final = "0.2.4"
BUNDLE: Final = "project.bundle"
WIKI_BUNDLE: Final = "project.wiki.bundle"
FEATURE_LEVELS: Final = {"disabled": 0, "private": 10, "enabled": 20, "public": 30}
SETTINGS: Final = (
    "description",
    "archived",
    "default_branch",
    "tag_list",
    "container_registry_enabled",
    "resolve_outdated_diff_discussions",
    "shared_runners_enabled",
    "lfs_enabled",
    "packages_enabled",
    "request_access_enabled",
    "public_builds",
    "only_allow_merge_if_pipeline_succeeds",
    "only_allow_merge_if_all_discussions_are_resolved",
    "remove_source_branch_after_merge",
    "printing_merge_request_link_enabled",
    "merge_method",
    "autoclose_referenced_issues",
    "suggestion_commit_message",
    "auto_cancel_pending_pipelines",
    "build_git_strategy",
    "build_timeout",
    "build_coverage_regex",
    "ci_config_path",
    "issues_template",
    "merge_requests_template",
)
"""The attributes of a project that are exported and imported."""


RELATIONS: Final = frozenset(
    {
        *("approval_rules", "auto_devops", "boards", "ci_cd_settings", "ci_pipelines", "commit_notes"),
        *("container_expiration_policy", "custom_attributes", "error_tracking_setting", "external_pull_requests"),
        *("issues", "labels", "merge_requests", "milestones", "pipeline_schedules", "project_badges"),
        *("project_feature", "project_members", "protected_branches", "protected_environments", "protected_tags"),
        *("push_rule", "releases", "security_setting", "service_desk_setting", "snippets", "user_contributions"),
        "vulnerabilities",
    }
)
"""The names of relations that later releases can leave out of an archive."""


def build_project_archive(
    ctx: ReadContext, project: Project, description: str | None, excluded: Collection[str] = ()
) -> bytes:
    """Return the archive of a project; ``description`` replaces the project's own, some relations may be left out."""
    world = ctx.world
    attributes = project_attributes(project) | {"description": description or project.description}
    kept = {name: rows for name, rows in project_relations(ctx, project).items() if name not in excluded}
    content: Files = {
        "VERSION": VERSION.encode(),
        "GITLAB_VERSION": ctx.instance.version.encode(),
        **archive_files.write_tree("project", attributes, kept),
        **bundle_files(world, project),
        **upload_files(world, project),
        **large_files(world, project),
    }
    return archive_files.write_archive(content, ctx.now() // SECOND)


def project_attributes(project: Project) -> dict[str, Any]:
    """Return the attributes of a project in its archive."""
    settings = {name: getattr(project, name) for name in SETTINGS}
    return {**settings, "visibility_level": rank(project.visibility)}


def project_relations(ctx: ReadContext, project: Project) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of each relation of a project."""
    world = ctx.world
    own = "project", project.id
    return {
        "project_feature": [
            {
                f"{feature}_access_level": FEATURE_LEVELS[getattr(project, f"{feature}_access_level")]
                for feature, lifetime in FEATURES.items()
                if ctx.profile.has(lifetime)
            }
        ],
        "labels": [_label_row(world, project, label) for label in world.labels.where("source", own)],
        "milestones": [milestone_row(world, milestone) for milestone in world.milestones.where("source", own)],
        "issues": [
            _issue_row(world, world.issues[id_])
            for id_ in iterate_bits(world.issues.bits("facts", ("project", project.id)))
        ],
        "merge_requests": [
            _merge_request_row(world, merge_request)
            for merge_request in merge_requests.list_project_merge_requests(world, project)
        ],
        "snippets": [_snippet_row(world, snippet) for snippet in world.snippets.where("project", project.id)],
        "releases": [_release_row(world, release) for release in world.releases.where("project", project.id)],
        "project_members": _member_rows(world, project),
        "protected_branches": [
            {
                "name": rule.name,
                "code_owner_approval_required": rule.code_owner_approval_required,
                "push_access_levels": setting_parts.access_rows(rule.push),
                "merge_access_levels": setting_parts.access_rows(rule.merge),
            }
            for rule in world.protected_branches.where("project", project.id)
        ],
        "protected_tags": [
            {"name": rule.name, "create_access_levels": setting_parts.access_rows(rule.create)}
            for rule in world.protected_tags.where("project", project.id)
        ],
        "ci_pipelines": ci_parts.pipeline_rows(world, project),
        "triggers": ci_parts.trigger_rows(world, project),
        "pipeline_schedules": ci_parts.schedule_rows(world, project),
        "boards": board_parts.board_rows(world, project),
        "project_badges": board_parts.badge_rows(world, project),
        **setting_parts.setting_relations(world, project),
    }


def milestone_row(world: World, milestone: Milestone) -> dict[str, Any]:
    """Return a milestone with what users did with it."""
    events = activity_parts.event_rows(world, ("milestone", milestone.id))
    return {**serialization.plain_fields(milestone), "events": events}


def _label_row(world: World, project: Project, label: Label) -> dict[str, Any]:
    priority = world.label_priorities.find("pair", (project.id, label.id))
    priorities = [] if priority is None else [{"priority": priority.priority}]
    return {**serialization.plain_fields(label), "type": "ProjectLabel", "priorities": priorities}


def _issuable_row(world: World, record: Issue | MergeRequest, kind: str, **users: int | None) -> dict[str, Any]:
    roles = (f"{role}_id" for role in users)
    references = (
        "assignee_ids",
        "reviewers",
        "label_ids",
        "milestone_id",
        "iteration_id",
        "parent_issue_id",
        "closes_ids",
        "added_closes_ids",
        "promoted_to_epic_id",
        "last_edited_by_id",
        *roles,
    )
    return {
        **serialization.plain_fields(record, *references),
        **serialization.user_fields(world, **users),
        "label_links": serialization.label_links(world, record.label_ids),
        "milestone": serialization.milestone_field(world, record.milestone_id),
        f"{kind}_assignees": [serialization.user_fields(world, user=id_) for id_ in record.assignee_ids],
        "award_emoji": discussion_parts.award_rows(world, (kind, record.id)),
        "notes": discussion_parts.note_rows(world, (kind, record.id)),
        "events": activity_parts.event_rows(world, (kind, record.id)),
        "resource_label_events": activity_parts.label_event_rows(world, (kind, record.id)),
    }


def _issue_row(world: World, issue: Issue) -> dict[str, Any]:
    row = _issuable_row(world, issue, "issue", author=issue.author_id, closed_by=issue.closed_by_id)
    return {**row, "epic_issue": epic_parts.epic_issue_field(world, issue)}


def _merge_request_row(world: World, merge_request: MergeRequest) -> dict[str, Any]:
    row = _issuable_row(
        world,
        merge_request,
        "merge_request",
        author=merge_request.author_id,
        merged_by=merge_request.merged_by_id,
        closed_by=merge_request.closed_by_id,
        merge_user=merge_request.merge_user_id,
    )
    row["merge_request_reviewers"] = [
        {
            **serialization.user_fields(world, user=reviewer.user_id),
            "created_at": reviewer.created_at,
            "state": reviewer.state,
        }
        for reviewer in merge_request.reviewers
    ]
    refs = diff_versions.refs_of(world, diff_versions.latest_version(world, merge_request))
    if refs is not None:
        row["merge_request_diff"] = {
            "base_commit_sha": refs.base,
            "start_commit_sha": refs.start,
            "head_commit_sha": refs.head,
        }
    return row


def _snippet_row(world: World, snippet: Snippet) -> dict[str, Any]:
    git = snippet_files.open_repository(world, snippet)
    contents = {path: git.file(snippet.head, path).decode(errors="replace") for path in git.file_paths(snippet.head)}
    name, content = next(iter(contents.items()))
    return {
        **serialization.plain_fields(snippet, "author_id", "head", "visibility"),
        **serialization.user_fields(world, author=snippet.author_id),
        "visibility_level": rank(snippet.visibility),
        "file_name": name,
        "content": content,
        "files": contents,
        "award_emoji": discussion_parts.award_rows(world, ("snippet", snippet.id)),
        "notes": discussion_parts.note_rows(world, ("snippet", snippet.id)),
    }


def _release_row(world: World, release: Release) -> dict[str, Any]:
    links = world.release_links.where("release", release.id)
    return {
        **serialization.plain_fields(release, "author_id", "milestone_ids", "tag_name"),
        **serialization.user_fields(world, author=release.author_id),
        "tag": release.tag_name,
        "links": [serialization.plain_fields(link, "release_id") for link in links],
        "milestone_releases": [
            {"milestone": serialization.milestone_field(world, id_)} for id_ in release.milestone_ids
        ],
    }


def _member_rows(world: World, project: Project) -> list[dict[str, Any]]:
    """Return the members, with those of the groups above, whom an import can thus find."""
    return [
        {
            **serialization.plain_fields(member, "created_by"),
            "source_type": "Project" if member.source == source_of(project) else "Namespace",
            "user": serialization.user_row(world, member.user_id),
        }
        for member in members.list_inherited(world, project)
    ]


def bundle_files(world: World, project: Project) -> Files:
    """Return the bundles of the repositories of a project, except for empty ones."""
    from fakeplat.git.bundles import write_bundle

    repositories_by_name = {
        BUNDLE: diff_versions.open_with_heads(world, project),
        WIKI_BUNDLE: wikis.open_repository(world, project),
    }
    return {
        name: write_bundle(git.objects, git.refs, git.head)
        for name, git in repositories_by_name.items()
        # A bundle cannot be empty.
        if git.refs
    }


def upload_files(world: World, container: Project | Group) -> Files:
    """Return the uploads and the avatar of a project or group."""
    stored = world.files.where("owner", source_of(container))
    return {f"uploads/{file.secret}/{file.filename}": file.data for file in stored if file.secret != uploads.AVATAR} | {
        f"avatar/{file.filename}": file.data for file in stored if file.secret == uploads.AVATAR
    }


def large_files(world: World, project: Project) -> Files:
    """Return the large files of a project."""
    return {
        f"lfs-objects/{lfs_object.oid}": lfs_object.content
        for lfs_object in world.lfs_objects.where("project", project.id)
    }
