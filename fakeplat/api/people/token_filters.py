"""Filters and orders of lists of access tokens. Source: docs/platform/impersonation-and-access-tokens.md."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Literal

from attrs import fields

from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Day, Moment
from fakeplat.domain.people import token_lists
from fakeplat.domain.people.token_lists import SORT_KEYS, TokenFilters
from fakeplat.model.people import Token
from fakeplat.policy.context import ReadContext


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
    filters = TokenFilters(**{field.name: getattr(p, field.name) for field in fields(TokenFilters)})
    return _sort(token_lists.select(ctx, candidates, filters), p.sort or "")


def _sort(matching: list[Token], order: str) -> Sequence[Token]:
    name, _, direction = order.rpartition("_")
    if name not in SORT_KEYS or direction not in ("asc", "desc"):
        return matching
    # Of equal ones the newest comes first.
    newest_first = sorted(matching, key=lambda token: token.id, reverse=True)
    return sorted(newest_first, key=partial(token_lists.rank, name), reverse=direction == "desc")
