"""The licence of the instance. Source: docs/platform/graphql.md, docs/platform/version-and-metadata.md."""

from collections.abc import Sequence
from typing import Final

from fakeplat.core.timestamps import add_days
from fakeplat.domain.instance import licenses
from fakeplat.domain.people import users
from fakeplat.graphql.errors import ResourceNotAvailable
from fakeplat.graphql.schema_builder import QUERY, Type
from fakeplat.model.instance import InstanceLicense
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can
from fakeplat.policy.context import ReadContext

_SINCE: Final = "<=14.0"
# Before that, the numbers had names without ``Count``.
_COUNTS: Final = "<=14.3"
_GRACE_DAYS: Final = 14
_LICENSEE: Final = ("Name", "Email", "Company")
LICENSE = Type("CurrentLicense", "The licence of the instance.", since=_SINCE)
ENTRY = Type("LicenseHistoryEntry", "A licence that the instance has or had.", since=_SINCE)
for _type in (LICENSE, ENTRY):
    _type.attributes(
        {"startsAt: Date": "The date at which it starts.", "expiresAt: Date": "The date at which it ends."}
    )


@QUERY.field("currentLicense: CurrentLicense", since=_SINCE)
def current_license(ctx: ReadContext) -> InstanceLicense | None:
    """The licence of the instance, for administrators."""
    _require_administrator(ctx)
    return licenses.find_current(ctx.world)


@QUERY.field("licenseHistoryEntries: LicenseHistoryEntryConnection", since=_SINCE)
def license_history(ctx: ReadContext) -> Sequence[InstanceLicense]:
    """The licences that the instance has and had, the one that starts last first, for administrators."""
    _require_administrator(ctx)
    return licenses.list_history(ctx.world)


def _require_administrator(ctx: ReadContext) -> None:
    if not can(ctx, Ability.READ_INSTANCE):
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} is no administrator")


@ENTRY.field("id: ID!")
@LICENSE.field("id: ID!")
def id_of(_ctx: ReadContext, license_: InstanceLicense) -> str:
    """The number of the licence."""
    return str(license_.id)


@ENTRY.field("type: String!")
@LICENSE.field("type: String!")
def type_of(_ctx: ReadContext, _license: InstanceLicense) -> str:
    """The type; a licence comes from a file here."""
    return "license_file"


@ENTRY.field("plan: String!")
@LICENSE.field("plan: String!")
def plan(ctx: ReadContext, license_: InstanceLicense) -> str:
    """The plan."""
    return licenses.plan_of(ctx, license_)


def _declare_licensee(part: str) -> None:
    @ENTRY.field(f"{part.lower()}: String")
    @LICENSE.field(f"{part.lower()}: String")
    def licensee(_ctx: ReadContext, license_: InstanceLicense) -> str | None:
        """What the licence says about the licensee."""
        return license_.licensee.get(part)


for _part in _LICENSEE:
    _declare_licensee(_part)


@ENTRY.field("blockChangesAt: Date")
@LICENSE.field("blockChangesAt: Date")
def block_changes_at(_ctx: ReadContext, license_: InstanceLicense) -> str | None:
    """The date at which the features end, some days after the licence."""
    return None if license_.expires_at is None else add_days(license_.expires_at, _GRACE_DAYS)


@ENTRY.field("activatedAt: Date")
@LICENSE.field("activatedAt: Date")
def activated_at(_ctx: ReadContext, license_: InstanceLicense) -> str:
    """The date at which it was added."""
    return license_.created_at[:10]


@ENTRY.field("createdAt: Date", since="<=18.9")
@LICENSE.field("createdAt: Date", since="<=18.9")
def created_at(_ctx: ReadContext, license_: InstanceLicense) -> str:
    """The date at which it was added."""
    return license_.created_at[:10]


@LICENSE.field("lastSync: Time")
def last_sync(_ctx: ReadContext, _license: InstanceLicense) -> str | None:
    """Timestamp at which it was compared with the vendor's; that of a file never is."""
    return None


@ENTRY.field("usersInLicenseCount: Int", since=_COUNTS)
@LICENSE.field("usersInLicenseCount: Int", since=_COUNTS)
def users_in_license(_ctx: ReadContext, license_: InstanceLicense) -> int | None:
    """The number of users that it is for; null without a limit."""
    return license_.user_limit or None


@LICENSE.field("billableUsersCount: Int", since=_COUNTS)
@LICENSE.field("maximumUserCount: Int", since=_COUNTS)
def billable_users(ctx: ReadContext, _license: InstanceLicense) -> int:
    """The number of active users; no history is kept, so the greatest one is the present one."""
    return users.count_active(ctx.world)


@LICENSE.field("usersOverLicenseCount: Int", since=_COUNTS)
def users_over_license(ctx: ReadContext, license_: InstanceLicense) -> int:
    """The number of users beyond those that it is for."""
    return max(0, users.count_active(ctx.world) - license_.user_limit) if license_.user_limit else 0
