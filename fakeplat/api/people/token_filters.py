"""Filters and orders of lists of access tokens. Source: docs/platform/impersonation-and-access-tokens.md."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Final, Literal

from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Day, Moment
from fakeplat.domain.issues.issue_search import search_test
from fakeplat.domain.people import tokens
from fakeplat.model.people import Token
from fakeplat.policy.context import ReadContext

_DATE: Final = len("2020-11-20")
_SORTS: Final[Mapping[str, Callable[[Token], str]]] = {
    "created": lambda token: token.created_at,
    "expires": lambda token: token.expires_at or "",
    "last_used": lambda token: token.last_used_at or "",
    "name": lambda token: token.name.lower(),
}


class FilterTokens(Paged):
    """Filters of lists of access tokens; inactive ones are revoked or expired.

    An order is one of created, expires, last_used and name, with ``_asc`` or ``_desc``; others are ignored.
    """

    revoked: bool | None = None
    state: Literal["active", "inactive"] | None = None
    created_before: Moment | None = None
    created_after: Moment | None = None
    last_used_before: Moment | None = None
    last_used_after: Moment | None = None
    expires_before: Day | None = None
    expires_after: Day | None = None
    search: str | None = None
    sort: str | None = None


def select_tokens(ctx: ReadContext, candidates: Iterable[Token], p: FilterTokens) -> Sequence[Token]:
    """Return the tokens that meet the filters, in the chosen order."""
    return _sort([token for token in candidates if _matches(ctx, p, token)], p.sort or "")


def _matches(ctx: ReadContext, p: FilterTokens, token: Token) -> bool:
    return (
        (p.revoked is None or token.revoked is p.revoked)
        and (p.state is None or tokens.is_active(ctx, token) is (p.state == "active"))
        and _is_between(token.created_at, p.created_after, p.created_before)
        and _is_between(token.last_used_at, p.last_used_after, p.last_used_before)
        and _expires_between(token, p.expires_after, p.expires_before)
        and (not p.search or search_test(p.search, ("name",))(token))
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


def _sort(matching: list[Token], order: str) -> Sequence[Token]:
    name, _, direction = order.rpartition("_")
    key = _SORTS.get(name)
    if key is None or direction not in ("asc", "desc"):
        return matching
    # Of equal ones the newest comes first, and those without a value are the last in ascending order, as in SQL.
    newest_first = sorted(matching, key=lambda token: token.id, reverse=True)
    return sorted(newest_first, key=partial(_rank, key), reverse=direction == "desc")


def _rank(key: Callable[[Token], str], token: Token) -> tuple[bool, str]:
    value = key(token)
    return not value, value
