"""What contacts and organizations have in common. Source: docs/platform/customer-relations.md."""

from collections.abc import Sequence
from typing import Final, TypedDict

from fakeplat.core.release import Lifetime
from fakeplat.domain.customer_relations import crm_access
from fakeplat.domain.customer_relations.customer_lists import ALL, CustomerFilter
from fakeplat.graphql.errors import ResourceNotAvailable
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.schema_builder import Enumeration, EnumValue, Type, with_lower_names
from fakeplat.model.customer_relations import CrmContact, CrmOrganization
from fakeplat.model.people import Group
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name
from fakeplat.policy.context import ReadContext, WriteContext

SINCE: Final = "<=14.3"
FILTERS_SINCE: Final = "<=15.3"
COUNTS_SINCE: Final = "<=15.8"
ACTIVE_SINCE: Final = "<=18.2"


class CustomerSearch(TypedDict, total=False):
    """The arguments of a list."""

    search: str | None
    state: str | None
    ids: Sequence[str] | None
    sort: tuple[str, str] | None


def read_filters(ctx: ReadContext, arguments: CustomerSearch, kind: str) -> CustomerFilter:
    """Return the filters in the arguments of a list of records with a kind of global id."""
    ids = [parse_id(ctx, text, kind) for text in arguments.get("ids") or ()]
    return {"search": arguments.get("search"), "state": arguments.get("state"), "ids": ids}


def declare_state(type_: Type) -> None:
    """Declare the states in which records of a type are."""
    Enumeration(
        f"{type_.name}State",
        "Which records are listed.",
        {
            "active": ("active", "Those that are active."),
            "inactive": ("inactive", "Those that are not active any more."),
            ALL: (ALL, "All of them.", Lifetime(COUNTS_SINCE)),
        },
        since=FILTERS_SINCE,
    )
    type_.field("active: Boolean!", since=ACTIVE_SINCE)(_is_active)


def _is_active(_ctx: ReadContext, record: CrmContact | CrmOrganization) -> bool:
    """Whether it is active."""
    return record.state == "active"


def declare_counts(name: str, description: str) -> None:
    """Declare the type of the numbers of records in each state."""
    Type(name, description, since=COUNTS_SINCE).attributes(
        {
            "active: Int": "The number of active ones.",
            "inactive: Int": "The number of those that are not active any more.",
            "all: Int": "The number of all of them.",
        }
    )


def list_orders(*columns: str) -> dict[str, EnumValue]:
    """Return the values of an enumeration of orders, each a column and a direction."""
    named = {**dict(zip(columns, columns, strict=True)), "created": "created_at", "updated": "updated_at"}
    return with_lower_names(
        {
            f"{name}_{direction}".upper(): ((column, direction), f"By {name.replace('_', ' ')}, {direction}ending.")
            for name, column in named.items()
            for direction in ("asc", "desc")
        }
    )


def reads_customers(ctx: ReadContext, ability: Ability, group: Group) -> bool:
    """Return whether the caller has an ability in the group whose customers a group uses."""
    source = crm_access.find_source(ctx.world, group)
    return source is not None and crm_access.may(ctx, ability, source)


def require_group_for(ctx: WriteContext, text: str, ability: Ability) -> Group:
    """Return the group with a global id in which the caller has an ability; an error without it."""
    group = ctx.world.namespaces.get(parse_id(ctx, text, "Group"))
    if not isinstance(group, Group):
        raise ResourceNotAvailable(f"there is no group {text}")
    _authorize(ctx, ability, group)
    return group


def authorize_change(ctx: WriteContext, ability: Ability, record: CrmContact | CrmOrganization) -> None:
    """Refuse with an error if the caller lacks an ability in the group of a record."""
    group = ctx.world.namespaces[record.group_id]
    if isinstance(group, Group):
        _authorize(ctx, ability, group)


def _authorize(ctx: WriteContext, ability: Ability, group: Group) -> None:
    decision = crm_access.decide_in(ctx, ability, group)
    if not decision.allowed:
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)}: {decision.reason}")
