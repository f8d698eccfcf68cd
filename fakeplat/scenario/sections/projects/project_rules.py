"""Rules of projects: job tokens, protected packages, status checks; badges, mirrors and error tracking."""

from collections.abc import Iterable
from typing import Any, Final

from fakeplat.core.schema.shapes import BOOLEAN, NULLABLE_TEXT, TEXT, Choice, ListOf, Nullable
from fakeplat.domain.ci import project_subscriptions
from fakeplat.domain.people import namespaces
from fakeplat.domain.people.members import container_of, source_of
from fakeplat.domain.projects import badges, error_tracking, remote_mirrors, status_checks
from fakeplat.domain.registry import tag_protection_rules
from fakeplat.model.ci import JobTokenAllowance, ProjectSubscription
from fakeplat.model.merge_requests import ExternalStatusCheck
from fakeplat.model.packages import PackageProtectionRule
from fakeplat.model.people import Group
from fakeplat.model.projects import (
    Badge,
    ErrorTrackingClientKey,
    ErrorTrackingSetting,
    ManagedLicense,
    ProjectAlias,
    RemoteMirror,
)
from fakeplat.model.registry import ContainerProtectionRule, ContainerTagProtectionRule
from fakeplat.model.repository import TargetBranchRule
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section, own_fields
from fakeplat.scenario.section import EntryData
from fakeplat.scenario.sections import serialization

_LEVEL: Final = Nullable(Choice("maintainer", "owner", "admin"))
_BRANCHES: Final = "protected_branches"


_POLICIES: Final = own_fields(JobTokenAllowance, without=("target", "created_at", "autopopulated"))


def _create_allowance(entry: Entry) -> JobTokenAllowance:
    table = entry.world.job_token_allowances
    target = entry.project("project") if entry.values.get("project") else entry.group("group")
    existing = table.find("pair", (entry.owner.id, source_of(target)))
    allowance = existing or table.add(
        JobTokenAllowance(table.next_id(), entry.owner.id, source_of(target), created_at=entry.ctx.now_iso)
    )
    return table.change(allowance, **entry.select(_POLICIES))


def _serialize_target(world: World, allowance: JobTokenAllowance) -> EntryData:
    target = container_of(world, allowance.target)
    data = serialization.non_default_fields(allowance, _POLICIES)
    if isinstance(target, Group):
        return {**data, "group": namespaces.full_path(world, target)}
    return {**data, "project": namespaces.project_path(world, world.projects[target.id])}


JOB_TOKENS: Final = derive_section(
    "job_token_allowlist",
    JobTokenAllowance,
    within=("project",),
    keys={"project": NULLABLE_TEXT, "group": NULLABLE_TEXT, **_POLICIES},
    one_of=("project", "group"),
    descriptions={
        "default_permissions": "Whether the jobs may do all that their user may.",
        "job_token_policies": "What the jobs may do without default permissions.",
        "project": "Full path of a project whose jobs have access.",
        "group": "Full path of a group whose jobs have access.",
    },
    create=_create_allowance,
    serialize=_serialize_target,
)


def _create_client_key(entry: Entry) -> ErrorTrackingClientKey:
    given = entry.values
    key, is_active = given.get("public_key", ""), given.get("active", True)
    return error_tracking.create_client_key(entry.ctx, entry.owner, key, active=is_active)


PACKAGES: Final = derive_section(
    "package_protection_rules",
    PackageProtectionRule,
    within=("project",),
    keys=own_fields(
        PackageProtectionRule, minimum_access_level_for_delete=_LEVEL, minimum_access_level_for_push=_LEVEL
    ),
    required=("package_name_pattern", "package_type"),
)
CLIENT_KEYS: Final = derive_section(
    "error_tracking_client_keys",
    ErrorTrackingClientKey,
    within=("project",),
    create=_create_client_key,
)
LICENSES: Final = derive_section(
    "managed_licenses", ManagedLicense, within=("project",), required=("name", "approval_status"), name_key="name"
)
IMAGES: Final = derive_section(
    "container_protection_rules",
    ContainerProtectionRule,
    within=("project",),
    keys=own_fields(
        ContainerProtectionRule, minimum_access_level_for_delete=_LEVEL, minimum_access_level_for_push=_LEVEL
    ),
    required=("repository_path_pattern",),
)
IMAGE_TAGS: Final = derive_section(
    "container_tag_protection_rules",
    ContainerTagProtectionRule,
    within=("project",),
    keys=own_fields(
        ContainerTagProtectionRule, minimum_access_level_for_delete=_LEVEL, minimum_access_level_for_push=_LEVEL
    ),
    required=("tag_name_pattern",),
    add=tag_protection_rules.add,
)


def _create_check(entry: Entry) -> ExternalStatusCheck:
    values = entry.values
    check = status_checks.create(entry.ctx, entry.owner, values["name"], values["external_url"])
    if values.get("hmac"):
        check = entry.world.external_status_checks.change(check, hmac=True)
    entry.defer(lambda: _set_branches(entry))
    return check


def _set_branches(entry: Entry) -> None:
    """Set the protected branches of a status check, once they exist."""
    check, table = entry.record(), entry.world.protected_branches
    branches = (
        table.find("name", (check.project_id, name)) or entry.fail(f"unknown protected branch {name!r}", _BRANCHES)
        for name in entry.values.get(_BRANCHES, ())
    )
    ids = tuple(branch.id for branch in branches)
    entry.world.external_status_checks.change(check, protected_branch_ids=ids)


def _serialize_branches(world: World, check: ExternalStatusCheck) -> EntryData:
    return {_BRANCHES: [world.protected_branches[id_].name for id_ in check.protected_branch_ids]}


STATUS_CHECKS: Final = derive_section(
    "external_status_checks",
    ExternalStatusCheck,
    within=("project",),
    keys={"name": TEXT, "external_url": TEXT, "hmac": BOOLEAN, _BRANCHES: ListOf(TEXT)},
    required=("name", "external_url"),
    descriptions={_BRANCHES: "Names of protected branches of the project."},
    create=_create_check,
    parts=_serialize_branches,
)


def _create_subscription(entry: Entry) -> ProjectSubscription:
    table, upstream = entry.world.project_subscriptions, entry.project("upstream")
    existing = table.find("pair", (entry.owner.id, upstream.id))
    author_id = entry.user("author").id if "author" in entry.values else None
    if existing is not None:
        return table.change(existing, author_id=author_id)
    return table.add(ProjectSubscription(table.next_id(), entry.owner.id, upstream.id, author_id))


def _list_subscriptions(world: World, project: Any) -> Iterable[ProjectSubscription]:
    return project_subscriptions.list_upstream(world, project)


def _serialize_subscription(world: World, subscription: ProjectSubscription) -> EntryData:
    upstream = world.projects[subscription.upstream_project_id]
    author = serialization.username_of(world, subscription.author_id)
    return {"upstream": namespaces.project_path(world, upstream), **({"author": author} if author else {})}


SUBSCRIPTIONS: Final = derive_section(
    "project_subscriptions",
    ProjectSubscription,
    within=("project",),
    keys={"upstream": TEXT, "author": TEXT},
    required=("upstream",),
    create=_create_subscription,
    rows=_list_subscriptions,
    serialize=_serialize_subscription,
)


TARGET_BRANCHES: Final = derive_section(
    "target_branch_rules",
    TargetBranchRule,
    within=("project",),
    required=("name", "target_branch"),
    name_key="name",
)


BADGES: Final = derive_section(
    "badges", Badge, within=("group", "project"), required=("link_url", "image_url"), add=badges.create
)


ALIASES: Final = derive_section("aliases", ProjectAlias, within=("project",), required=("name",), name_key="name")


REMOTE_MIRRORS: Final = derive_section(
    "remote_mirrors", RemoteMirror, within=("project",), required=("url",), add=remote_mirrors.create
)


ERROR_TRACKING: Final = derive_section(
    "error_tracking", ErrorTrackingSetting, within=("project",), add=error_tracking.set_setting, single=True
)
