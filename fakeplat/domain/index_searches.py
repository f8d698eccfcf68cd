"""Which search answers: a basic one, or an advanced one, of the index that settings switch on.

The index is as current as the world. Exact code search, which needs another index, is never available.
Source: docs/platform/search.md.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal, get_args

from fakeplat.core.operations.errors import BadRequest, InvalidParams
from fakeplat.model.people import Group
from fakeplat.model.projects import Container, Project
from fakeplat.policy.behaviours import (
    FIELDS_NEED_ADVANCED_SEARCH,
    SCOPES_NEED_ADVANCED_SEARCH,
    SEARCH_REFUSALS_ARE_TEXTS,
    SEARCH_TYPES_ARE_CHECKED,
)
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature
from fakeplat.policy.levels import ancestors_of

SearchType = Literal["basic", "advanced"]
AdvancedScope = Literal["wiki_blobs", "blobs", "commits", "notes"]
"""The scopes that searches outside of projects have with an index only."""
_ADVANCED_SCOPES: Final = get_args(AdvancedScope)
_EXACT: Final = "exact code search"
_FIELDS: Final = "fields"
_SCOPES_WITH_FIELDS: Final = ("issues", "merge_requests")
_TYPES: Final = ("basic", "advanced", "zoekt")
_CONTEXT_LINES: Final = "num_context_lines"
_MAX_CONTEXT_LINES: Final = 20
_REASON: Final = "nothing here has an index to search; elasticsearch_indexing and elasticsearch_search switch it on"
_NOT_EXACT: Final = "nothing here has an index for exact code search"


def choose_type(ctx: ReadContext, container: Container | None, requested: str | None, ref: str | None) -> SearchType:
    """Return which search answers. Only the default branch is in the index."""
    if requested == "basic" or not _is_indexed(ctx, container):
        return "basic"
    is_other_branch = isinstance(container, Project) and ref not in (None, "", container.default_branch)
    return "basic" if is_other_branch else "advanced"


def _is_indexed(ctx: ReadContext, container: Container | None) -> bool:
    """Return whether a container is in the index; None for the whole instance."""
    settings = ctx.world.settings
    if not (_is_paid(ctx) and settings.elasticsearch_indexing and settings.elasticsearch_search):
        return False
    if not settings.elasticsearch_limit_indexing:
        return True
    if container is None:
        return False
    namespace_ids = {namespace.id for namespace in ancestors_of(ctx.world, container)}
    if isinstance(container, Group):
        namespace_ids.add(container.id)
    elif container.id in settings.elasticsearch_project_ids:
        return True
    return not namespace_ids.isdisjoint(settings.elasticsearch_namespace_ids)


def _is_paid(ctx: ReadContext) -> bool:
    return has_feature(ctx.world, "premium")


def check_search(
    ctx: ReadContext, container: Container | None, scope: str, given: Mapping[str, Any], type_: SearchType
) -> None:
    """Refuse with 400 a scope or a parameter that the type of search does not support."""
    if not isinstance(container, Project) and scope in _ADVANCED_SCOPES and type_ == "basic":
        _refuse_scope(ctx, scope)
    is_paid = _is_paid(ctx)
    if is_paid and not 0 <= (given.get(_CONTEXT_LINES) or 0) <= _MAX_CONTEXT_LINES:
        raise InvalidParams(f"{_CONTEXT_LINES} does not have a valid value")
    if is_paid and "regex" in given:
        raise _refuse(ctx, f"regex supported only with {_EXACT}", _NOT_EXACT)
    if "exclude_forks" in given:
        raise _refuse(ctx, f"exclude_forks supported only with {_EXACT}", _NOT_EXACT)
    if is_paid and _CONTEXT_LINES in given and type_ == "basic":
        raise _refuse(ctx, f"{_CONTEXT_LINES} supported only with advanced and {_EXACT}")
    if is_paid and _FIELDS in given and ctx.profile.has(FIELDS_NEED_ADVANCED_SEARCH):
        if scope not in _SCOPES_WITH_FIELDS:
            raise _refuse(ctx, f"{_FIELDS} is supported only for {', '.join(_SCOPES_WITH_FIELDS)}")
        if type_ == "basic":
            raise _refuse(ctx, f"{_FIELDS} is supported only for advanced search")


def check_type(ctx: ReadContext, container: Container | None, scope: str, requested: str | None) -> None:
    """Refuse with 400 a type of search that is not available."""
    if not requested or not _is_paid(ctx) or not ctx.profile.has(SEARCH_TYPES_ARE_CHECKED):
        return
    errors = list(_find_type_errors(scope, requested, is_indexed=_is_indexed(ctx, container)))
    if errors:
        raise BadRequest(f"400 Bad request - {', '.join(errors)}", reason=_REASON)


def _find_type_errors(scope: str, requested: str, *, is_indexed: bool) -> Iterator[str]:
    if requested not in _TYPES:
        yield f"Search type should be one of these: {', '.join(_TYPES)}"
    # Searches of other scopes fall back to a basic one.
    elif requested == "advanced" and scope == "blobs" and not is_indexed:
        yield "Advanced search is not available"
    elif requested == "zoekt":
        yield "Exact code search is not available"
        if scope != "blobs":
            yield "Exact code search can only be used for blobs"


def _refuse_scope(ctx: ReadContext, scope: str) -> None:
    if not _is_paid(ctx):
        # The free edition does not know these scopes.
        raise InvalidParams("scope does not have a valid value")
    if not ctx.profile.has(SCOPES_NEED_ADVANCED_SEARCH):
        raise _refuse(ctx, "Scope not supported without Elasticsearch!")
    alternative = f" or {_EXACT}" if scope == "blobs" else ""
    raise _refuse(ctx, f"Scope supported only with advanced search{alternative}")


def _refuse(ctx: ReadContext, text: str, reason: str = _REASON) -> BadRequest:
    return BadRequest(text if ctx.profile.has(SEARCH_REFUSALS_ARE_TEXTS) else {"error": text}, reason=reason)
