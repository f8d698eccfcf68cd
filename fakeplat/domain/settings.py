"""Application settings: initial values, changes, and values derived from them."""

from collections.abc import Mapping
from typing import Any, Final, Literal

from fakeplat.core.timestamps import DAY, SECOND, parse_duration
from fakeplat.model.instance import Instance
from fakeplat.model.settings import Settings
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext, WriteContext

_NEW: Final = Settings()


def initial(instance: Instance) -> Settings:
    """Return the settings of a new instance; its throttle, if configured, applies to all requests."""
    if not instance.throttle:
        return _NEW
    requests, period = instance.throttle["requests"], parse_duration(instance.throttle["period"]) // SECOND
    return _NEW.with_values(
        {
            "throttle_unauthenticated_enabled": True,
            "throttle_unauthenticated_requests_per_period": requests,
            "throttle_unauthenticated_period_in_seconds": period,
            "throttle_authenticated_api_enabled": True,
            "throttle_authenticated_api_requests_per_period": requests,
            "throttle_authenticated_api_period_in_seconds": period,
        }
    )


def change(ctx: WriteContext, values: Mapping[str, Any]) -> Settings:
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


def existing_ids(world: World, table: str, value: int | tuple[int, ...] | None) -> tuple[int, ...]:
    """Return those of a setting's ids whose records were not deleted."""
    ids = (value,) if isinstance(value, int) else value or ()
    return tuple(id_ for id_ in ids if getattr(world, table).get(id_) is not None)


def commit_email_hostname(settings: Settings, host: str) -> str:
    """Return the host of private commit emails, on an instance with a host name."""
    return settings.commit_email_hostname or f"users.noreply.{host}"


KeyKind = Literal["rsa", "dsa", "ecdsa", "ed25519"]
FORBIDDEN: Final = -1


def find_key_restriction(settings: Settings, kind: KeyKind) -> int:
    """Return the lowest allowed size in bits of the SSH keys of a kind: 0 for any size, FORBIDDEN for none."""
    restriction: int = getattr(settings, f"{kind}_key_restriction")
    return restriction
