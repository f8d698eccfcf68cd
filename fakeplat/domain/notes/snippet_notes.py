"""What is said of snippets goes with them."""

from fakeplat.domain.notes import awards, notes
from fakeplat.domain.snippets import snippets
from fakeplat.model.snippets import Snippet
from fakeplat.policy.context import WriteContext


def _drop(ctx: WriteContext, snippet: Snippet) -> None:
    subject = (snippets.KIND, snippet.id)
    notes.drop(ctx, subject)
    awards.drop(ctx, subject)


snippets.ON_REMOVE.append(_drop)
