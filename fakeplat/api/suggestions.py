"""Suggestions in notes on differences. Source: docs/platform/external.md ('Suggestions')."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from fakeplat.core.operations.errors import Forbidden, NotFoundWithMessage
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import CommaList, Params
from fakeplat.core.store.sorted_sequence import number_of
from fakeplat.domain.merge_requests import suggestions
from fakeplat.domain.repository import commit_actions as committing
from fakeplat.domain.repository import protection
from fakeplat.entities.suggestions import SuggestionView
from fakeplat.model.suggestions import Suggestion
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Suggestions", login=Login.ALWAYS)
_NOT_FOUND: Final = "Suggestion is not applicable as the suggestion was not found."
_SOME_NOT_FOUND: Final = "Suggestions are not applicable as one or more suggestions were not found."


@area.operation("PUT", "suggestions/:id/apply", view=SuggestionView, refusals=(400, 403, 404))
def apply_suggestion(ctx: WriteContext, id: str) -> Suggestion:
    """Apply a suggestion."""
    found = _find(ctx, [id])
    if not found:
        raise NotFoundWithMessage(_NOT_FOUND, reason=f"there is no suggestion {id}")
    (suggestion,) = _apply(ctx, found)
    return suggestion


class ApplySuggestions(Params):
    """Which suggestions to apply in one commit."""

    ids: CommaList[str]


@area.operation(
    "PUT",
    "suggestions/batch_apply",
    params=ApplySuggestions,
    view=SuggestionView,
    many=True,
    paged=False,
    refusals=(400, 403, 404),
)
def apply_suggestions(ctx: WriteContext, p: ApplySuggestions) -> Sequence[Suggestion]:
    """Apply several suggestions in one commit."""
    found = _find(ctx, p.ids)
    if not found or len(found) != len(p.ids):
        raise NotFoundWithMessage(_SOME_NOT_FOUND, reason=f"of {', '.join(p.ids)} only {len(found)} are suggestions")
    return _apply(ctx, found)


def _find(ctx: ReadContext, ids: Sequence[str]) -> list[Suggestion]:
    numbers = dict.fromkeys(number_of(id_) or 0 for id_ in ids)
    found = (ctx.world.suggestions.get(number) for number in numbers)
    return [suggestion for suggestion in found if suggestion is not None]


def _apply(ctx: WriteContext, found: Sequence[Suggestion]) -> list[Suggestion]:
    for suggestion in found:
        _demand_push(ctx, suggestion)
    return suggestions.apply(ctx, found)


def _demand_push(ctx: ReadContext, suggestion: Suggestion) -> None:
    """Let those pass who may push to the branch that a suggestion changes; 403 for others."""
    project, branch = suggestions.branch_of(ctx.world, suggestion)
    if project is None:
        raise Forbidden(reason="the project of the source branch is gone")
    if not protection.can_push(ctx, project, branch):
        raise Forbidden(reason=partial(committing.find_push_objection, ctx, project, branch))
