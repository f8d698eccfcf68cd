"""Suggestions in notes on differences. Source: docs/platform/external.md ('Suggestions')."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from fakeplat.core.operations.errors import Forbidden, NotFoundAs
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import CommaList, Params
from fakeplat.core.store.ids import number_of
from fakeplat.domain.merge_requests import suggestions
from fakeplat.domain.repository import committing, protection
from fakeplat.entities.suggestions import SuggestionView
from fakeplat.model.suggestions import Suggestion
from fakeplat.policy.context import Context, Doing

area: Final = Area("Suggestions", login=Login.ALWAYS)
_NOT_FOUND: Final = "Suggestion is not applicable as the suggestion was not found."
_SOME_NOT_FOUND: Final = "Suggestions are not applicable as one or more suggestions were not found."


@area.operation("PUT", "suggestions/:id/apply", shows=SuggestionView, refuses=(400, 403, 404))
def apply_suggestion(cx: Doing, id: str) -> Suggestion:
    """Apply a suggestion."""
    found = _find(cx, [id])
    if not found:
        raise NotFoundAs(_NOT_FOUND, reason=f"there is no suggestion {id}")
    (suggestion,) = _apply(cx, found)
    return suggestion


class ApplySuggestions(Params):
    """Which suggestions to apply in one commit."""

    ids: CommaList[str]


@area.operation(
    "PUT",
    "suggestions/batch_apply",
    takes=ApplySuggestions,
    shows=SuggestionView,
    many=True,
    paged=False,
    refuses=(400, 403, 404),
)
def apply_suggestions(cx: Doing, p: ApplySuggestions) -> Sequence[Suggestion]:
    """Apply several suggestions in one commit."""
    found = _find(cx, p.ids)
    if not found or len(found) != len(p.ids):
        raise NotFoundAs(_SOME_NOT_FOUND, reason=f"of {', '.join(p.ids)} only {len(found)} are suggestions")
    return _apply(cx, found)


def _find(cx: Context, ids: Sequence[str]) -> list[Suggestion]:
    numbers = dict.fromkeys(number_of(id_) or 0 for id_ in ids)
    found = (cx.world.suggestions.get(number) for number in numbers)
    return [suggestion for suggestion in found if suggestion is not None]


def _apply(cx: Doing, found: Sequence[Suggestion]) -> list[Suggestion]:
    for suggestion in found:
        _demand_push(cx, suggestion)
    return suggestions.apply(cx, found)


def _demand_push(cx: Context, suggestion: Suggestion) -> None:
    """Let those pass who may push to the branch that a suggestion changes; 403 for others."""
    project, branch = suggestions.branch_of(cx.world, suggestion)
    if project is None:
        raise Forbidden(reason="the project of the source branch is gone")
    if not protection.may_push(cx, project, branch):
        raise Forbidden(reason=partial(committing.why_no_push, cx, project, branch))
