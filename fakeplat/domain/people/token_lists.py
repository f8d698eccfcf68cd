"""Filters and orders of lists of access tokens. Source: docs/platform/impersonation-and-access-tokens.md."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final, Literal

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.issues.issue_search import search_test
from fakeplat.domain.people import tokens
from fakeplat.model.people import Token
from fakeplat.policy.context import ReadContext

_DATE: Final = len("2020-11-20")
TokenOrder = Literal["created", "expires", "last_used", "name", "id"]
SORT_KEYS: Final[Mapping[str, Callable[[Token], str]]] = {
    "created": lambda token: token.created_at,
    "expires": lambda token: token.expires_at or "",
    "last_used": lambda token: token.last_used_at or "",
    "name": lambda token: token.name.lower(),
}
"""What tokens are sorted by; empty texts are no values."""


@frozen
class TokenFilters:
    """Filters of lists of access tokens; inactive ones are revoked or expired."""

    revoked: bool | None = None
    state: Literal["active", "inactive"] | None = None
    created_before: str | None = None
    created_after: str | None = None
    last_used_before: str | None = None
    last_used_after: str | None = None
    expires_before: str | None = None
    expires_after: str | None = None
    search: str | None = None


def select(ctx: ReadContext, candidates: Iterable[Token], filters: TokenFilters) -> list[Token]:
    """Return the tokens that meet the filters."""
    return [token for token in candidates if _matches(ctx, filters, token)]


def _matches(ctx: ReadContext, filters: TokenFilters, token: Token) -> bool:
    return (
        (filters.revoked is None or token.revoked is filters.revoked)
        and (filters.state is None or tokens.is_active(ctx, token) is (filters.state == "active"))
        and _is_between(token.created_at, filters.created_after, filters.created_before)
        and _is_between(token.last_used_at, filters.last_used_after, filters.last_used_before)
        and _expires_between(token, filters.expires_after, filters.expires_before)
        and (not filters.search or search_test(filters.search, ("name",))(token))
    )


def _is_between(time: str | None, after: str | None, before: str | None) -> bool:
    """Return whether a time is neither before nor after two others; what never happened is neither."""
    if after is None and before is None:
        return True
    return time is not None and (after is None or time >= after) and (before is None or time <= before)


def _expires_between(token: Token, after: str | None, before: str | None) -> bool:
    if after is None and before is None:
        return True
    day = (token.expires_at or "")[:_DATE]
    return bool(day) and (after is None or day >= after) and (before is None or day < before)


def rank(order: str, token: Token) -> tuple[bool, str]:
    """Return the place of a token in an ascending order: those without a value are the last, as in SQL."""
    value = SORT_KEYS[order](token)
    return not value, value


def sort(found: Iterable[Token], order: TokenOrder, *, descending: bool) -> list[Token]:
    """Return tokens in an order; equal ones by their ids in the same direction."""

    def place(token: Token) -> tuple[tuple[bool, str], int]:
        return rank(order, token) if order != "id" else (False, ""), token.id

    return sorted(found, key=place, reverse=descending)
