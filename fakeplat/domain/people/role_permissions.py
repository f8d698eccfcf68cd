"""The permissions that custom roles can add. Source: docs/platform/project-members.md."""

import csv
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from fakeplat.domain.instance import features
from fakeplat.domain.instance.feature_definitions import ADMIN_ROLES
from fakeplat.model.people import ADMIN_PERMISSIONS, ROLE_PERMISSIONS, MemberRole
from fakeplat.model.world import World

_TABLE: Final = Path(__file__).with_name("role_permissions.csv")
NO_PERMISSIONS: Final = "Cannot create a member role with no enabled permissions"


class RolePermission(NamedTuple):
    """A permission. Roles with these levels have it anyway, in groups or in projects; ``is_off``: by default."""

    name: str
    title: str
    description: str
    is_off: bool
    group_levels: tuple[int, ...]
    project_levels: tuple[int, ...]
    requirements: tuple[str, ...]

    @property
    def id(self) -> str:
        """What tells it apart from the others."""
        return self.name

    @property
    def is_administrative(self) -> bool:
        """Whether it is one of roles of administrators."""
        return self.name in ADMIN_PERMISSIONS

    @property
    def levels(self) -> tuple[int, ...]:
        """The levels that have it in groups as well as in projects, if it exists in both."""
        if self.group_levels and self.project_levels:
            return tuple(level for level in self.group_levels if level in self.project_levels)
        return self.group_levels or self.project_levels


@cache
def list_all() -> Mapping[str, RolePermission]:
    """Return the permissions of all releases by name, in the order of their titles."""
    with _TABLE.open(encoding="utf-8") as file:
        permissions = sorted(map(_parse, csv.DictReader(file)), key=lambda each: each.title.lower())
    return {permission.name: permission for permission in permissions}


def _parse(row: Mapping[str, str]) -> RolePermission:
    return RolePermission(
        row["name"],
        row["title"],
        row["description"],
        bool(row["is_off"]),
        tuple(map(int, row["group_levels"].split())),
        tuple(map(int, row["project_levels"].split())),
        tuple(row["requirements"].split()),
    )


def are_admin_roles_on(world: World) -> bool:
    """Return whether there are roles of administrators: by default in later releases, before with a feature flag."""
    return features.is_enabled(world, ADMIN_ROLES)


def list_permissions(world: World, *, administrative: bool = False) -> list[RolePermission]:
    """Return the permissions that roles of members or of administrators can add."""
    return [
        each for each in list_all().values() if each.is_administrative == administrative and _is_available(world, each)
    ]


def _is_available(world: World, permission: RolePermission) -> bool:
    if not world.profile.has(ROLE_PERMISSIONS[permission.name]):
        return False
    return not permission.is_off or features.is_enabled(world, f"custom_ability_{permission.name}")


def list_of_role(world: World, role: MemberRole) -> list[RolePermission]:
    """Return the permissions that a role adds."""
    return [each for each in list_all().values() if getattr(role, each.name) and _is_available(world, each)]


def list_errors(world: World, role: MemberRole) -> Iterator[str]:
    """Yield the messages about permissions that a role cannot add."""
    given = [each for each in list_all().values() if getattr(role, each.name)]
    if not given:
        yield NO_PERMISSIONS
    is_administrative = role.base_access_level is None and any(each.is_administrative for each in given)
    available = list_permissions(world, administrative=is_administrative)
    for permission in given:
        if permission not in available:
            yield f"Unknown permission: {permission.name}"


def list_missing_requirements(role: MemberRole) -> Iterator[str]:
    """Yield the messages about permissions that need others, which the role lacks."""
    for permission in list_all().values():
        for name in permission.requirements if getattr(role, permission.name) else ():
            if not getattr(role, name) and role.base_access_level not in list_all()[name].levels:
                yield f"{_humanize(name)} has to be enabled in order to enable {_humanize(permission.name)}"


def _humanize(name: str) -> str:
    return name.replace("_", " ").capitalize()
