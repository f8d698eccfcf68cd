"""What is said of snippets goes with them."""

from fakeplat.domain.notes import awards, notes
from fakeplat.domain.snippets import snippets
from fakeplat.model.snippets import Snippet
from fakeplat.policy.context import Doing


def _drop(cx: Doing, snippet: Snippet) -> None:
    subject = (snippets.KIND, snippet.id)
    notes.drop(cx, subject)
    awards.drop(cx, subject)


snippets.ON_REMOVE.append(_drop)
