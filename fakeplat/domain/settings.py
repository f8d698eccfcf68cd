"""Application settings: initial values, changes, and values derived from them."""

from collections.abc import Mapping
from typing import Any, Final

from fakeplat.core import durations
from fakeplat.core.regexps import compile_regexp
from fakeplat.core.release import Profile
from fakeplat.core.timestamps import DAY, SECOND, parse_duration
from fakeplat.domain.validation import ValidationErrors
from fakeplat.model.instance import Instance
from fakeplat.model.people import Group, Level
from fakeplat.model.projects import Project
from fakeplat.model.settings import Settings
from fakeplat.model.world import World
from fakeplat.policy.behaviours import API_HAS_THROTTLE_FOR_VISITORS, DEFAULT_BRANCH, SETTING_DEFAULTS
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.levels import ancestors

_CREATION_LEVELS: Final = ("noone", "maintainer", "developer", "administrator", "owner")


def initial(instance: Instance) -> Settings:
    """Return the settings of a new instance; its throttle, if configured, applies to all requests."""
    new = _new_in(instance.profile)
    if not instance.throttle:
        return new
    requests, period = instance.throttle["requests"], parse_duration(instance.throttle["period"]) // SECOND
    kinds: tuple[str, ...] = ("unauthenticated", "authenticated_api", "authenticated_web")
    if instance.profile.has(API_HAS_THROTTLE_FOR_VISITORS):
        kinds = (*kinds, "unauthenticated_api")
    return new.with_values(
        {
            f"throttle_{callers}_{name}": value
            for callers in kinds
            for name, value in {"enabled": True, "requests_per_period": requests, "period_in_seconds": period}.items()
        }
    )


def _new_in(profile: Profile) -> Settings:
    """Return the settings with the defaults of a release."""
    new: Settings | None = profile.compiled.get(Settings)
    if new is None:
        values = {name: profile.choose(values) for name, values in SETTING_DEFAULTS.items()}
        new = profile.compiled[Settings] = Settings().with_values(values)
    return new


def change(ctx: WriteContext, values: Mapping[str, object]) -> Settings:
    """Change settings without validation."""
    before = ctx.world.settings
    after = before.with_values(values)
    return before if after is before else ctx.world.settings_table.replace(before, after)


def changes_of(world: World) -> dict[str, Any]:
    """Return the settings that differ from those of a new instance."""
    first, now = initial(world.instance), world.settings
    names = [*now.changed, *(name for name in first.changed if name not in now.changed)]
    return {name: getattr(now, name) for name in names if getattr(now, name) != getattr(first, name)}


def deletion_period(ctx: ReadContext) -> int:
    """Return how long (ms) a record marked for deletion can be restored."""
    return ctx.world.settings.deletion_adjourned_period * DAY


def default_branch(world: World, project: Project | None = None) -> str:
    """Return the name of the first branch of new repositories: that of the closest group, or of the instance."""
    for namespace in ancestors(world, project.namespace_id) if project is not None else ():
        if isinstance(namespace, Group) and namespace.default_branch:
            return namespace.default_branch
    return world.settings.default_branch_name or world.instance.default_branch or world.profile.choose(DEFAULT_BRANCH)


def is_external_by_default(settings: Settings, email: str) -> bool:
    """Return whether a new user with an email address is external, unless the administrator says so."""
    if not settings.user_default_external:
        return False
    pattern = settings.user_default_internal_regex
    return not pattern or not compile_regexp(f"(?i){pattern}").is_in(email)


def new_project_fields(settings: Settings) -> dict[str, Any]:
    """Return what new projects have unless their creator says otherwise."""
    return {
        "auto_devops_enabled": settings.auto_devops_enabled,
        "ci_config_path": settings.default_ci_config_path,
        "shared_runners_enabled": settings.shared_runners_enabled,
    }


def new_group_fields(settings: Settings) -> dict[str, Any]:
    """Return what new groups have unless their creator says otherwise."""
    return {
        "default_branch_protection": settings.default_branch_protection,
        "project_creation_level": _CREATION_LEVELS[settings.default_project_creation],
    }


def default_branch_protection(settings: Settings) -> Mapping[str, Any]:
    """Return how default branches are protected: as an administrator said, or according to the older number."""
    return settings.default_branch_protection_defaults or DEFAULT_BRANCH_PROTECTIONS[settings.default_branch_protection]


def group_branch_protection(group: Group) -> Mapping[str, Any]:
    """Return how default branches in a group are protected: as an owner said, or according to the older number."""
    return group.default_branch_protection_defaults or DEFAULT_BRANCH_PROTECTIONS[group.default_branch_protection]


def _protection(push: Level, merge: Level, **more: bool) -> Mapping[str, Any]:
    return {
        "allowed_to_push": [{"access_level": int(push)}],
        "allow_force_push": False,
        "allowed_to_merge": [{"access_level": int(merge)}],
        **more,
    }


DEFAULT_BRANCH_PROTECTIONS: Final[Mapping[int, Mapping[str, Any]]] = {
    0: _protection(Level.DEVELOPER, Level.DEVELOPER, allow_force_push=True),
    1: _protection(Level.DEVELOPER, Level.MAINTAINER),
    2: _protection(Level.MAINTAINER, Level.MAINTAINER),
    3: _protection(Level.MAINTAINER, Level.DEVELOPER),
    4: _protection(Level.MAINTAINER, Level.MAINTAINER, developer_can_initial_push=True),
}
"""What each value of ``default_branch_protection`` means."""


def archived_before(ctx: ReadContext) -> int | None:
    """Return the time (ms) before which jobs were created that are archived; None if jobs never are."""
    seconds = durations.parse_seconds(ctx.world.settings.archive_builds_in_human_readable)
    return None if seconds is None else ctx.now() - seconds * SECOND


def existing_ids(world: World, table: str, value: int | tuple[int, ...] | None) -> tuple[int, ...]:
    """Return those of a setting's ids whose records were not deleted."""
    ids = (value,) if isinstance(value, int) else value or ()
    return tuple(id_ for id_ in ids if getattr(world, table).get(id_) is not None)


def commit_email_hostname(ctx: ReadContext) -> str:
    """Return the host of private commit emails."""
    return ctx.world.settings.commit_email_hostname or f"users.noreply.{ctx.hostname}"


KEY_TYPES: Final = ("rsa", "dsa", "ecdsa", "ed25519")
FORBIDDEN: Final = -1


def get_key_restriction(settings: Settings, kind: str) -> int:
    """Return the lowest allowed size in bits of the SSH keys of a kind: 0 for any size, FORBIDDEN for none."""
    restriction: int = getattr(settings, f"{kind}_key_restriction")
    return restriction


def is_restricted(ctx: ReadContext, visibility: str) -> bool:
    """Return whether only administrators may choose a visibility."""
    return visibility in ctx.world.settings.restricted_visibility_levels and not ctx.admin


def check_visibility(errors: ValidationErrors, ctx: ReadContext, visibility: str) -> None:
    """Add an error if the caller may not choose a visibility for a project or group."""
    text = f"{visibility} has been restricted by your {ctx.instance.product_name} administrator"
    errors.when(is_restricted(ctx, visibility), "visibility_level", text)
