"""Namespaces of projects. Each user has one, and each group is one."""

from typing import Literal

from fakeplat.core.store.frozen import frozen
from fakeplat.model.levels import Visibility


@frozen
class Namespace:
    """The common fields of both kinds. ``plan`` and seats are used on the hosted offering."""

    id: int
    name: str
    path: str
    created_at: str
    updated_at: str
    parent_id: int | None = None
    plan: str | None = None
    trial: bool = False
    trial_ends_on: str | None = None
    max_seats_used: int = 0
    seats_in_use: int = 0
    seats_day: str | None = None
    shared_runners_minutes_limit: int | None = None
    extra_shared_runners_minutes_limit: int | None = None


@frozen
class UserNamespace(Namespace):
    """The namespace of a user."""

    owner_id: int = 0


@frozen
class Group(Namespace):
    """A group of projects and subgroups."""

    description: str | None = ""
    visibility: Visibility = "private"
    share_with_group_lock: bool = False
    membership_lock: bool = False
    require_two_factor_authentication: bool = False
    two_factor_grace_period: int = 48
    project_creation_level: Literal["noone", "maintainer", "developer"] = "developer"
    auto_devops_enabled: bool | None = None
    subgroup_creation_level: Literal["owner", "maintainer"] = "maintainer"
    emails_disabled: bool | None = None
    mentions_disabled: bool | None = None
    lfs_enabled: bool = True
    default_branch_protection: int = 2
    request_access_enabled: bool = True
    avatar: int | None = None
    file_template_project_id: int | None = None
    prevent_forking_outside_group: bool = False
    marked_for_deletion_on: str | None = None
    runners_token: str = ""
    max_artifacts_size: int | None = None
    repository_size_limit: int | None = None
