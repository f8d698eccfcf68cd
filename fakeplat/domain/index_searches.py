"""What only searches of an index know: advanced search and exact code search, which no instance here has."""

from collections.abc import Mapping
from typing import Any, Final, Literal, get_args

from fakeplat.core.operations.errors import BadRequest, InvalidParams
from fakeplat.policy.behaviours import (
    FIELDS_NEED_ADVANCED_SEARCH,
    SEARCH_REFUSALS_ARE_TEXTS,
    SEARCH_TYPES_ARE_CHECKED,
)
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature

AdvancedScope = Literal["wiki_blobs", "blobs", "commits", "notes"]
"""The scopes that searches outside of projects have with an index only."""
_ADVANCED_SCOPES: Final = get_args(AdvancedScope)
_EXACT: Final = "exact code search"
_NEEDED_TYPES: Final = {
    "regex": _EXACT,
    "exclude_forks": _EXACT,
    "num_context_lines": f"advanced and {_EXACT}",
}
_FIELDS: Final = "fields"
_SCOPES_WITH_FIELDS: Final = ("issues", "merge_requests")
_TYPES: Final = ("basic", "advanced", "zoekt")
_MAX_CONTEXT_LINES: Final = 20
_REASON: Final = "nothing here has an index to search"


def check_search(ctx: ReadContext, scope: str, given: Mapping[str, Any], *, in_project: bool) -> None:
    """Refuse with 400 a search that needs an index."""
    is_paid = has_feature(ctx.world, "premium")
    if not in_project and scope in _ADVANCED_SCOPES:
        _refuse_scope(ctx, scope, is_paid=is_paid)
    if is_paid and not 0 <= (given.get("num_context_lines") or 0) <= _MAX_CONTEXT_LINES:
        raise InvalidParams("num_context_lines does not have a valid value")
    for name, needed in _NEEDED_TYPES.items():
        if name in given and (is_paid or name == "exclude_forks"):
            raise _refuse(ctx, f"{name} supported only with {needed}")
    if is_paid and _FIELDS in given and ctx.profile.has(FIELDS_NEED_ADVANCED_SEARCH):
        wanted = "advanced search" if scope in _SCOPES_WITH_FIELDS else ", ".join(_SCOPES_WITH_FIELDS)
        raise _refuse(ctx, f"{_FIELDS} is supported only for {wanted}")


def check_type(ctx: ReadContext, scope: str, search_type: str | None) -> None:
    """Refuse with 400 a type of search that is not available."""
    if not search_type or not has_feature(ctx.world, "premium") or not ctx.profile.has(SEARCH_TYPES_ARE_CHECKED):
        return
    errors = list(_find_type_errors(scope, search_type))
    if errors:
        raise BadRequest(f"400 Bad request - {', '.join(errors)}", reason=_REASON)


def _find_type_errors(scope: str, search_type: str) -> list[str]:
    if search_type not in _TYPES:
        return [f"Search type should be one of these: {', '.join(_TYPES)}"]
    if search_type == "advanced":
        # Searches of other scopes fall back to a basic one.
        return ["Advanced search is not available"] if scope == "blobs" else []
    if search_type == "zoekt":
        others = [] if scope == "blobs" else ["Exact code search can only be used for blobs"]
        return ["Exact code search is not available", *others]
    return []


def _refuse_scope(ctx: ReadContext, scope: str, *, is_paid: bool) -> None:
    if not is_paid:
        # The free edition does not know these scopes.
        raise InvalidParams("scope does not have a valid value")
    alternative = f" or {_EXACT}" if scope == "blobs" else ""
    raise _refuse(ctx, f"Scope supported only with advanced search{alternative}")


def _refuse(ctx: ReadContext, text: str) -> BadRequest:
    return BadRequest(text if ctx.profile.has(SEARCH_REFUSALS_ARE_TEXTS) else {"error": text}, reason=_REASON)
