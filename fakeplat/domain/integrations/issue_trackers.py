"""External issue trackers: the one that a project uses, and the issues of it that texts name and close.

Source: docs/platform/integrations.md.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.merge_requests import closing_issues
from fakeplat.domain.notes.references import strip_code
from fakeplat.domain.projects import services
from fakeplat.model.hooks import Service
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext

JIRA: Final = "jira"
TRACKERS: Final = (
    "bugzilla",
    "clickup",
    "custom-issue-tracker",
    "ewm",
    JIRA,
    "linear",
    "phorge",
    "redmine",
    "youtrack",
)
_LONG: Final = r"\b[A-Z][A-Z0-9_]*-\d+\b"
_KEY: Final = r"\b[A-Z][A-Z0-9_]+-\d+\b"
_PATTERNS: Final[Mapping[str, str]] = {
    JIRA: _KEY,
    "youtrack": r"\b[A-Za-z][A-Za-z0-9_]*-\d+\b",
    "clickup": r"(?:#|CU-)[a-z0-9]+\b|[A-Z0-9_]{2,10}-\d+\b",
    "linear": r"\b[A-Z0-9]{1,7}-\d+\b",
    "phorge": r"\b(?<![@-])T\d+\b",
    "ewm": r"\b(?:bug|task|work item|workitem|rtcwi|defect) \d+\b",
}
_SHORT: Final = r"(?<![\w&#])#\d+\b"
_CLOSING: Final = re.compile(
    rf"{closing_issues.CLOSING_WORDS}((?:(?:{_KEY}|{_SHORT})(?:(?:\s*,)?\s+and\s+|\s*,\s*|\s+)?)+)"
)


@frozen
class ExternalIssue:
    """An issue of an external tracker, which is known only by its key."""

    id: str

    @property
    def title(self) -> str:
        """What is shown in place of a title."""
        return f"External Issue {self.id}"


def find_tracker(world: World, project: Project) -> Service | None:
    """Return the external tracker of a project, which is its first active one; None without one."""
    return next((service for service in services.list_active(world, project) if service.slug in TRACKERS), None)


def find_keys(slug: str, text: str, *, allows_short: bool = False) -> list[str]:
    """Return the issues of a kind of tracker that a text names, each once.

    ``allows_short``: ``#1`` is one of them, as in projects without issues of their own.
    """
    pattern = _PATTERNS.get(slug, _LONG)
    if allows_short and slug != JIRA:
        pattern = f"{pattern}|{_SHORT}"
    return list(dict.fromkeys(re.findall(pattern, strip_code(text))))


def find_closed_keys(slug: str, text: str, *, allows_short: bool = False) -> list[str]:
    """Return the issues that follow closing words in a text, each once."""
    phrases = " ".join(phrase[1] for phrase in _CLOSING.finditer(strip_code(text)))
    return find_keys(slug, phrases, allows_short=allows_short)


def _has_no_issues(project: Project) -> bool:
    return project.issues_access_level == "disabled"


def list_closed_by(ctx: ReadContext, merge_request: MergeRequest) -> list[ExternalIssue]:
    """Return the issues of the external tracker that a merge will close, according to texts and commits."""
    project = ctx.world.projects[merge_request.project_id]
    tracker = find_tracker(ctx.world, project)
    if tracker is None:
        return []
    texts = closing_issues.list_closing_texts(ctx, merge_request)
    return [ExternalIssue(key) for key in dict.fromkeys(_find_all_closed(tracker.slug, project, texts))]


def _find_all_closed(slug: str, project: Project, texts: Iterable[str | None]) -> Iterator[str]:
    for text in texts:
        yield from find_closed_keys(slug, text or "", allows_short=_has_no_issues(project))
