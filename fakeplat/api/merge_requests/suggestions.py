"""Suggestions in notes on diffs. Source: docs/platform/external.md ('Suggestions')."""

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Final

from fakeplat.core.operations.errors import Forbidden, InvalidParams, NotFoundWithMessage
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import CommaList, Params
from fakeplat.core.release import Lifetime
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.merge_requests import suggestions
from fakeplat.domain.repository import commit_actions, protection
from fakeplat.entities.notes.notes import SuggestionView
from fakeplat.model.notes import Suggestion
from fakeplat.policy.behaviours import SUGGESTIONS_ARE_NUMBERED
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Suggestions", login=Login.ALWAYS)
_NOT_FOUND: Final = "Suggestion is not applicable as the suggestion was not found."
_SOME_NOT_FOUND: Final = "Suggestions are not applicable as one or more suggestions were not found."


class ApplySuggestion(Params):
    """The message of the commit."""

    commit_message: Annotated[str | None, Lifetime(since="<=15.7")] = None


@area.operation("PUT", "suggestions/:id/apply", params=ApplySuggestion, view=SuggestionView, refusals=(400, 403, 404))
def apply_suggestion(ctx: WriteContext, id: str, p: ApplySuggestion) -> Suggestion:
    """Apply a suggestion."""
    if parse_number(id) is None and ctx.profile.has(SUGGESTIONS_ARE_NUMBERED):
        raise InvalidParams("id is invalid", reason=f"suggestions have numbers, not {id!r}")
    matching = _find_suggestions(ctx, [id])
    if not matching:
        raise NotFoundWithMessage(_NOT_FOUND, reason=f"there is no suggestion {id}")
    (suggestion,) = _apply(ctx, matching, p.commit_message)
    return suggestion


class ApplySuggestions(ApplySuggestion):
    """The ids of the suggestions to apply in one commit, and its message."""

    ids: CommaList[str]


@area.operation(
    "PUT",
    "suggestions/batch_apply",
    params=ApplySuggestions,
    view=SuggestionView,
    many=True,
    paging=None,
    refusals=(400, 403, 404),
)
def apply_suggestions(ctx: WriteContext, p: ApplySuggestions) -> Sequence[Suggestion]:
    """Apply several suggestions in one commit."""
    matching = _find_suggestions(ctx, p.ids)
    if not matching or len(matching) != len(p.ids):
        raise NotFoundWithMessage(
            _SOME_NOT_FOUND, reason=f"of the ids {', '.join(p.ids)} only {len(matching)} belong to suggestions"
        )
    return _apply(ctx, matching, p.commit_message)


def _find_suggestions(ctx: ReadContext, ids: Sequence[str]) -> list[Suggestion]:
    # 0 is never an id, so text that is not a number finds nothing. Repeated ids count once, so a batch with one is
    # refused like a batch with an unknown id.
    numbers = dict.fromkeys(parse_number(id_) or 0 for id_ in ids)
    candidates = (ctx.world.suggestions.get(number) for number in numbers)
    return [suggestion for suggestion in candidates if suggestion is not None]


def _apply(ctx: WriteContext, rows: Sequence[Suggestion], message: str | None) -> list[Suggestion]:
    # All are checked before any is applied, because they become one commit.
    for suggestion in rows:
        _require_push_access(ctx, suggestion)
    return suggestions.apply_suggestions(ctx, rows, message)


def _require_push_access(ctx: ReadContext, suggestion: Suggestion) -> None:
    """Require push access to the branch that a suggestion changes; 403 otherwise."""
    project, branch = suggestions.find_branch(ctx.world, suggestion)
    if project is None:
        raise Forbidden(reason="the project of the source branch was deleted")
    if not protection.can_push(ctx, project, branch):
        raise Forbidden(reason=partial(commit_actions.explain_push_objection, ctx, project, branch))
