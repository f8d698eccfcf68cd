"""Merge requests that issues have to do with: those that name them, and those that they name.

Source: facts on issues ('related_merge_requests').
"""

import re
from collections.abc import Iterator
from typing import Final

from fakeplat.domain import notes, references
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.policy.context import Context

_NAMED: Final = re.compile(r"(?<![\w./&-])([A-Za-z0-9_./-]*)!([0-9]{1,9})(?![\w!])")
_PAGE: Final = re.compile(r"(https?://[^\s/]+)/([\w./-]+?)/-/merge_requests/([0-9]{1,9})(?![\w])")


def of(cx: Context, issue: Issue) -> list[MergeRequest]:
    """The merge requests that the description and notes of an issue name, the platform's own notes too; each once."""
    said = [issue.description, *(note.body for note in notes.of(cx, issue))]
    found = (one for text in said for one in _named(cx, issue, references.prose(text)))
    return list({one.id: one for one in found}.values())


def _named(cx: Context, issue: Issue, text: str) -> Iterator[MergeRequest]:
    pages = ((path, iid) for origin, path, iid in _PAGE.findall(text) if origin == cx.origin)
    own, written = cx.world.projects[issue.project_id], [*_NAMED.findall(text), *pages]
    for path, iid in written:
        project = references.project_named(cx, own, path) if path else own
        found = cx.world.merge_requests.find("iid", (project.id, int(iid))) if project else None
        if found is not None:
            yield found
