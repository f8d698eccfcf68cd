"""Licences of the instance: reading keys, adding and looking them up. Source: docs/platform/version-and-metadata.md."""

from base64 import b64decode
from collections.abc import Mapping
from typing import Any, Final, Required, TypedDict, Unpack

import orjson

from fakeplat.core.operations.errors import BadRequest, RecordNotFound
from fakeplat.core.schema.formats import convert_date
from fakeplat.core.timestamps import add_days, from_iso
from fakeplat.model.instance import PLANS, InstanceLicense
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext, WriteContext

_INVALID: Final = "The license key is invalid. Make sure it is exactly as you received it from GitLab Inc."
_EXPIRED: Final = "This license has already expired."
_DAYS: Final = 365
_MAX_COUNT: Final = 2**31 - 1


def find_current(world: World) -> InstanceLicense | None:
    """Return the licence that counts: the newest one."""
    return next(iter(world.instance_licenses.all().in_reverse()), None)


def list_history(world: World) -> list[InstanceLicense]:
    """Return all licences, the one that starts last first."""
    licenses = world.instance_licenses.all()
    return sorted(licenses, key=lambda each: (each.starts_at, each.created_at, each.id), reverse=True)


def get_license(world: World, id_: int) -> InstanceLicense:
    """Return the licence with an id, or refuse with 404."""
    found = world.instance_licenses.get(id_)
    if found is None:
        raise RecordNotFound(reason=f"the instance has no licence {id_}")
    return found


def plan_of(ctx: ReadContext, license_: InstanceLicense) -> str:
    """Return the plan of a licence, by default that of the instance's tier."""
    return license_.plan or PLANS[ctx.instance.tier]


def is_expired(ctx: ReadContext, license_: InstanceLicense) -> bool:
    """Return whether a licence has ended; one without an end never does."""
    return license_.expires_at is not None and ctx.has_passed(from_iso(f"{license_.expires_at}T00:00:00.000Z"))


def add_initial(ctx: WriteContext) -> InstanceLicense:
    """Add the licence that a paid instance begins with: for a year and any number of users."""
    today = ctx.now_iso[:10]
    return add(ctx, starts_at=today, expires_at=add_days(today, _DAYS), licensee={"Name": "Administrator"})


class LicenseFields(TypedDict, total=False):
    """The fields of a licence."""

    starts_at: Required[str]
    licensee: Required[Mapping[str, str]]
    created_at: str
    expires_at: str | None
    plan: str | None
    user_limit: int
    add_ons: Mapping[str, int]


def add(ctx: WriteContext, **fields: Unpack[LicenseFields]) -> InstanceLicense:
    """Add a licence with some fields of the record."""
    table = ctx.world.instance_licenses
    values: LicenseFields = {"created_at": ctx.now_iso, **fields}
    return table.add(InstanceLicense(id=table.next_id(), **values))


def add_key(ctx: WriteContext, key: str) -> InstanceLicense:
    """Add the licence of a key: the JSON of its attributes, which may be encoded with base64."""
    fields = _parse(key)
    if fields is None:
        raise BadRequest(_INVALID, reason="a licence is the JSON of its attributes, also encoded with base64")
    added = add(ctx, **fields)
    if is_expired(ctx, added):
        raise BadRequest(_EXPIRED, reason=f"it expired at {added.expires_at}")
    return added


def _parse(key: str) -> dict[str, Any] | None:
    """Return the fields of the licence that a key stands for, or None for an invalid key."""
    try:
        text = key if key.lstrip().startswith("{") else b64decode("".join(key.split()), validate=True)
        return _read_attributes(orjson.loads(text))
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def _read_attributes(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a licence; one of several errors if an attribute is missing or has another type."""
    restrictions = attributes.get("restrictions") or {}
    expires_at, plan = attributes.get("expires_at"), restrictions.get("plan")
    licensee = {str(name): str(value) for name, value in attributes["licensee"].items()}
    if not licensee or not isinstance(plan, str | None):
        raise ValueError("the licence has no licensee, or its plan is no text")
    return {
        "starts_at": convert_date(attributes.get("starts_at") or attributes["issued_at"]),
        "expires_at": None if expires_at is None else convert_date(expires_at),
        "licensee": licensee,
        "plan": plan or None,
        "user_limit": _count(restrictions.get("active_user_count") or 0),
        "add_ons": {str(name): _count(number) for name, number in (restrictions.get("add_ons") or {}).items()},
    }


def _count(number: float) -> int:
    if not 0 <= number <= _MAX_COUNT:
        raise ValueError(f"{number} is no number of users")
    return int(number)
