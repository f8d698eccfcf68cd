"""Filters and pages of lists in SCIM. Source: docs/platform/scim.md. See RFC 7644 (3.4.2)."""

from collections.abc import Sequence
from typing import Final, Generic, NamedTuple, TypeVar

from fakeplat.domain.people import users
from fakeplat.domain.scim import saml_providers
from fakeplat.domain.scim.scim_errors import ScimError
from fakeplat.model.people import Identity, SamlProvider
from fakeplat.model.world import World

_IDS: Final = ("id", "externalId")
_DEFAULT_COUNT: Final = 20
_MAX_COUNT: Final = 100
Row = TypeVar("Row")


class ScimPage(NamedTuple, Generic[Row]):
    """A part of a list; ``start`` counts from 1."""

    rows: Sequence[Row]
    total: int
    start: int
    size: int


def find_identities(world: World, provider: SamlProvider, filter_text: str) -> list[Identity]:
    """Return the identities of a group that a filter selects; none if the sign-on is disabled."""
    own = saml_providers.list_identities(world, provider)
    return select(world, own, filter_text) if provider.enabled else own


def select(world: World, identities: list[Identity], filter_text: str) -> list[Identity]:
    """Return the identities that a filter selects; all of them if it is blank. 412 for a filter of another kind."""
    if not filter_text.strip():
        return identities
    attribute, operator, value = (*filter_text.split(), "", "", "")[:3]
    value = value.replace('"', "")
    if operator != "eq" or not value or attribute not in (*_IDS, "userName"):
        raise ScimError("Unsupported Filter", reason=f"{filter_text!r}: only id, externalId and userName, with eq")
    found = [identity for identity in identities if identity.extern_uid == value]
    if found or attribute in _IDS:
        return found
    user = users.find_by_username(world, value) or users.find_by_email(world, value)
    return [identity for identity in identities if user is not None and identity.user_id == user.id]


def paginate(rows: Sequence[Row], start: str, count: str) -> ScimPage[Row]:
    """Return a page; texts that are no positive numbers stand for the first page and the usual size."""
    first, size = max(_leading_number(start), 1), _leading_number(count)
    size = min(size, _MAX_COUNT) if size > 0 else _DEFAULT_COUNT
    return ScimPage(rows[first - 1 : first - 1 + size], len(rows), first, size)


def _leading_number(text: str) -> int:
    digits = text.strip()
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 10 else 0
