"""Mapping of fields in API documents to fields of scenario entries.

A field is mapped if the scenario has a key of its name that accepts the value, and omitted if the value is the default.
Computed fields are dropped; any other field that cannot be mapped is counted.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final

from attrs import NOTHING
from attrs import fields as attrs_fields

from fakeplat.core.json_types import JsonObject, JsonValue
from fakeplat.core.operations.vendor_names import neutral_name_of
from fakeplat.core.schema.shapes import Alias, Object
from fakeplat.model.ci import CiVariable, Job, Pipeline, PipelineSchedule, ResourceGroup, Runner, Trigger
from fakeplat.model.clusters import Cluster
from fakeplat.model.deployments import Deployment, Environment, FeatureFlag, FeatureFlagUserList, FreezePeriod
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.notes import Note
from fakeplat.model.packages import Package
from fakeplat.model.people import Group, User
from fakeplat.model.planning import Board, Label, Milestone
from fakeplat.model.projects import Badge, DeployKey, DeployToken, Project
from fakeplat.model.registry import ContainerRepository
from fakeplat.model.releases import Release
from fakeplat.scenario import loading  # noqa: F401  # registers the sections
from fakeplat.scenario.lazy_sections import all_sections, keys_of
from fakeplat.tape.export.natural_keys import username
from fakeplat.tape.records.json_objects import Document
from fakeplat.tape.records.record_kinds import (
    BADGE,
    BOARD,
    CLUSTER,
    IMAGE_REPOSITORY,
    ISSUE,
    JOB,
    LABEL,
    MERGE_REQUEST,
    MILESTONE,
    NAMESPACE,
    NOTE,
    PACKAGE,
    PIPELINE,
    PROJECT,
    RELEASE,
    RUNNER,
    USER,
)

Entry = dict[str, Any]
"""A scenario entry, or a part of one."""

_SECRETS: Final = ("runners_token", "token", "password", "import_url")
_COMPUTED: Final = {
    USER: "id name_with_namespace avatar_url web_url bio_html work_information can_create_project commit_email "
    "highest_role",
    NAMESPACE: "id path kind web_url full_name full_path parent_id avatar_url ldap_cn ldap_access projects "
    "shared_projects shared_with_groups custom_attributes members_count_with_descendants billable_members_count "
    "prevent_forking_outside_group statistics file_template_project_id",
    PROJECT: "id path name_with_namespace path_with_namespace ssh_url_to_repo http_url_to_repo web_url avatar_url "
    "forks_count star_count namespace _links empty_repo owner can_create_merge_request_in creator_id "
    "forked_from_project shared_with_groups custom_attributes open_issues_count license license_url permissions "
    "statistics service_desk_address compliance_frameworks mirror_user_id marked_for_deletion_at readme_url "
    "repository protected_branches protected_tags",
    LABEL: "id description_html text_color open_issues_count closed_issues_count open_merge_requests_count "
    "subscribed is_project_label",
    MILESTONE: "id project_id group_id expired web_url issue_stats",
    ISSUE: "id project_id closed_by assignee upvotes downvotes user_notes_count merge_requests_count web_url "
    "time_stats task_completion_status has_tasks task_status _links references subscribed moved_to_id epic_iid epic",
    MERGE_REQUEST: "id project_id target_project_id source_project_id assignee merged_by closed_by upvotes downvotes "
    "user_notes_count work_in_progress draft web_url time_stats task_completion_status reference references sha "
    "has_conflicts blocking_discussions_resolved changes_count diff_refs user subscribed pipeline head_pipeline "
    "latest_build_started_at latest_build_finished_at first_deployed_to_production_at diverged_commits_count "
    "first_contribution rebase_in_progress title_html description_html changes overflow",
    NOTE: "id attachment author noteable_id noteable_type noteable_iid resolvable resolved resolved_by "
    "commands_changes individual_note commit_id",
    BOARD: "id project group milestone assignee",
    BADGE: "id rendered_link_url rendered_image_url kind",
    **dict.fromkeys(("variable", "resource_group", "freeze_period", "deploy_token"), "id value revoked expired"),
    PIPELINE: "id project_id web_url user detailed_status source iid",
    JOB: "id project_id web_url user commit pipeline project duration queued_duration artifacts artifacts_file runner "
    "artifacts_expire_at tag_list downstream_pipeline ref tag",
    "trigger": "id owner",
    "pipeline_schedule": "id owner last_pipeline variables",
    RUNNER: "id is_shared online status",
    "environment": "id project last_deployment",
    "deployment": "id environment user deployable",
    "feature_flag": "scopes strategies",
    "feature_flag_user_list": "id iid project_id path edit_path",
    RELEASE: "description_html author commit upcoming_release milestones commit_path tag_path assets evidences _links",
    PACKAGE: "id project_id project_path conan_package_name _links tags pipeline build_info pipelines versions",
    IMAGE_REPOSITORY: "id path project_id location tags tags_count delete_api_path image_contents",
    CLUSTER: "id user platform_type cluster_type management_project project group",
    "deploy_key": "id can_push fingerprint fingerprint_sha256 projects_with_write_access projects_with_readonly_access",
}
_MODELS: Final[dict[str, Any]] = {
    USER: User,
    NAMESPACE: Group,
    PROJECT: Project,
    LABEL: Label,
    MILESTONE: Milestone,
    ISSUE: Issue,
    MERGE_REQUEST: MergeRequest,
    NOTE: Note,
    BOARD: Board,
    BADGE: Badge,
    PIPELINE: Pipeline,
    JOB: Job,
    RUNNER: Runner,
    "variable": CiVariable,
    "trigger": Trigger,
    "pipeline_schedule": PipelineSchedule,
    "resource_group": ResourceGroup,
    "environment": Environment,
    "deployment": Deployment,
    "feature_flag": FeatureFlag,
    "feature_flag_user_list": FeatureFlagUserList,
    "freeze_period": FreezePeriod,
    "deploy_key": DeployKey,
    "deploy_token": DeployToken,
    RELEASE: Release,
    PACKAGE: Package,
    IMAGE_REPOSITORY: ContainerRepository,
    CLUSTER: Cluster,
}
_SECTIONS: Final = {
    USER: "users",
    NAMESPACE: "groups",
    PROJECT: "projects",
    IMAGE_REPOSITORY: "container_repositories",
}
_ALWAYS_MAPPED: Final = (
    "status",
    "visibility",
    "projects_limit",
    "confirmed_at",
    "closed_at",
    "container_expiration_policy",
)
_EMPTY: Final[tuple[Any, ...]] = (None, "", 0, False, [], {})


def map_fields(kind: str, document: JsonObject, left_out: Counter[str]) -> Entry:
    """Map the fields of a record; count those that cannot be mapped."""
    entry: Entry = {}
    for name, value in document.items():
        # A live server shows the vendor's names of these fields; scenarios only have neutral ones.
        neutral_name = neutral_name_of(name) or name
        if neutral_name in _SECRETS or neutral_name in entry or neutral_name in _COMPUTED[kind].split():
            continue
        if not _accepts(kind, neutral_name, value):
            # Adds 0 for an empty value, because nothing is lost without it.
            left_out[f"{kind} {name}"] += value not in _EMPTY
        elif neutral_name in _ALWAYS_MAPPED or not _is_default(kind, neutral_name, value):
            entry[neutral_name] = value
    return entry


def _is_default(kind: str, name: str, value: JsonValue) -> bool:
    """Whether a value is the default of a new record; a list or mapping without a default is empty."""
    shape = _keys(kind).keys[name]
    default = _defaults(kind).get(shape.name if isinstance(shape, Alias) else name, NOTHING)
    return bool(value in ([], {}) if default is NOTHING else default == value)


def _accepts(kind: str, name: str, value: JsonValue) -> bool:
    # The reader of scenarios decides, so that the export is not rejected for a value when it is loaded.
    keys = _keys(kind)
    return name in keys.keys and keys.resolve(name).allows(value)


@cache
def _keys(kind: str) -> Object:
    return keys_of(next(section for section in all_sections() if section.key == _SECTIONS.get(kind, f"{kind}s")))


@cache
def _defaults(kind: str) -> Mapping[str, Any]:
    """Return the defaults of a new record."""
    defaults = {
        attribute.name: attribute.default
        for attribute in attrs_fields(_MODELS[kind])
        if attribute.default is not NOTHING
    }
    # Records have tuples where JSON has lists.
    return {name: list(value) if isinstance(value, tuple) else value for name, value in defaults.items()}


def map_member(document: Document) -> Entry:
    """Map a membership."""
    return _present_fields(document, ("username", "access_level", "expires_at"))


def map_share(document: Document, paths: Mapping[int, str]) -> Entry:
    """Map a share with a group; ``paths`` are the paths of groups by id."""
    path = document.get("group_full_path") or paths.get(document.get("group_id") or 0)
    return {"group_full_path": path, **_present_fields(document, ("group_access_level", "expires_at"))}


def map_star(document: Document) -> Entry:
    """Map a star of a project."""
    return {"username": username(document.get("user")), **_present_fields(document, ("starred_since",))}


def map_award(document: Document) -> Entry:
    """Map an award."""
    return {"user": username(document.get("user")), **_present_fields(document, ("name", "created_at", "updated_at"))}


def map_custom_attributes(documents: Iterable[Document]) -> Entry:
    """Map custom attributes."""
    return {attribute["key"]: attribute.get("value") for attribute in documents if attribute.get("key")}


def map_issuable(issuable: Document) -> Entry:
    """Map the fields that issues and merge requests share."""
    time_stats = issuable.get("time_stats") or {}
    return {
        "author": username(issuable.get("author")),
        "assignees": [username(user) for user in issuable.get("assignees") or ()],
        "labels": [label.get("name") if isinstance(label, dict) else label for label in issuable.get("labels") or ()],
        "milestone": (issuable.get("milestone") or {}).get("title"),
        "time_estimate": time_stats.get("time_estimate", 0),
        "total_time_spent": time_stats.get("total_time_spent", 0),
    }


def _present_fields(document: Document, names: Iterable[str]) -> Entry:
    return {name: document[name] for name in names if document.get(name) is not None}
