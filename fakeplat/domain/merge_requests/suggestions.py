"""Suggestions: blocks in notes on differences that say what lines should become, and how they are applied.

Source: docs/platform/external.md ('Suggestions').
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby, pairwise
from operator import attrgetter
from typing import Any, Final, NamedTuple

from fakeplat.core.operations.errors import BadRequest
from fakeplat.domain.merge_requests import diff_versions
from fakeplat.domain.notes import diff_positions, markdown
from fakeplat.domain.purging import purge
from fakeplat.domain.repository import commit_actions as committing
from fakeplat.domain.repository import repositories
from fakeplat.domain.repository.commit_actions import Action, NewCommit
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.notes import Note, Position
from fakeplat.model.projects import Project
from fakeplat.model.suggestions import Suggestion
from fakeplat.model.users import User
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

MOST_LINES: Final = 100
"""How many lines above and below the line of a note a suggestion reaches at most."""
DEFAULT_MESSAGE: Final = "Apply %{suggestions_count} suggestion(s) to %{files_count} file(s)"
NO_FILE: Final = "A file was not found."
OTHER_BRANCH: Final = "Suggestions must all be on the same branch."
FILE_CHANGED: Final = "A file has been changed."
OVERLAP: Final = "Suggestions are not applicable as their lines cannot overlap."
APPLIED: Final = "Can't apply this suggestion."
MERGED: Final = "This merge request was merged. To apply this suggestion, edit this file directly."
CLOSED: Final = "This merge request is closed. To apply this suggestion, edit this file directly."
NO_BRANCH: Final = "Can't apply as the source branch was deleted."
LINE_CHANGED: Final = "Can't apply as this line was changed in a more recent version."
LINES_CHANGED: Final = "Can't apply as these lines were changed in a more recent version."
SAME_CONTENT: Final = "This suggestion already matches its content."
_INFO: Final = re.compile(r"suggestion(?::(?:-(?P<above>\d+))?(?:\+(?P<below>\d+))?.*)?", re.ASCII)
_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")
_PLACEHOLDER: Final = re.compile(r"%\{(\w+)\}")


class Lines(NamedTuple):
    """The numbers of the first and the last line."""

    first: int
    last: int


def list_suggestions(world: World, note: Note) -> Sequence[Suggestion]:
    """Return the suggestions of a note, in their order."""
    return world.suggestions.where("note", note.id)


def insert_suggestion(ctx: WriteContext, note: Note, **fields: Any) -> Suggestion:
    """Create a suggestion of a note from fields of the record."""
    table = ctx.world.suggestions
    return table.add(Suggestion(table.next_id(), note.id, **fields))


def follow_text(ctx: WriteContext, note: Note) -> None:
    """Replace the suggestions of a note that was written or changed by those in its text."""
    purge(ctx, *list_suggestions(ctx.world, note))
    if "suggestion" not in note.body or not _can_suggest(note) or note.position is None:
        return
    for info, text in markdown.parse_code_blocks(note.body):
        context = _INFO.fullmatch(info)
        if context is not None:
            insert_suggestion(ctx, note, **_read(ctx.world, note, note.position, context, text))


def _can_suggest(note: Note) -> bool:
    """Return whether a note is about a line of a merge request's source branch."""
    position = note.position
    on_text = position is not None and position.position_type == "text" and position.new_line is not None
    return note.subject[0] == "merge_request" and note.type == "DiffNote" and not note.system and on_text


def _read(world: World, note: Note, position: Position, context: re.Match[str], text: str) -> dict[str, Any]:
    above, below = (int(context[side] or 0) for side in ("above", "below"))
    content = _content(world, _merge_request_of(world, note), position) or ""
    before = "".join(_between(content, _lines(position, above, below)))
    end = _LINE_END.search("".join(_LINE.findall(before)[-1:]))
    after = f"{text}{end[0] if end else ''}" if text.strip() else ""
    return {"from_content": before, "to_content": after, "lines_above": above, "lines_below": below}


def _merge_request_of(world: World, note: Note) -> MergeRequest:
    merge_request: MergeRequest = world.merge_requests[note.subject[1]]
    return merge_request


def lines_of(world: World, suggestion: Suggestion) -> Lines:
    """Return which lines of the file a suggestion is about."""
    position = _position_of(world, suggestion)
    return _lines(position, suggestion.lines_above, suggestion.lines_below)


def _position_of(world: World, suggestion: Suggestion) -> Position:
    position = world.notes[suggestion.note_id].position
    if position is None:
        raise LookupError(f"note {suggestion.note_id} has no position")
    return position


def _lines(position: Position, above: int, below: int) -> Lines:
    line = position.new_line or 0
    return Lines(max(line - min(above, MOST_LINES), 1), line + min(below, MOST_LINES))


def _between(content: str, lines: Lines) -> list[str]:
    return _LINE.findall(content)[lines.first - 1 : lines.last]


def _content(world: World, merge_request: MergeRequest, position: Position, errors: str = "replace") -> str | None:
    """Return the content of the file at a position, None where there is no such file."""
    from fakeplat.git.errors import GitError
    from fakeplat.git.trees import entry_at

    git = repositories.open_repository(world, world.projects[merge_request.project_id])
    try:
        tree = git.objects.commit(position.head_sha).tree
    except GitError:
        return None
    entry = entry_at(git.objects, tree, position.path)
    return git.objects.blob(entry.sha).decode("utf-8", errors) if entry else None


def inapplicable_reason(world: World, suggestion: Suggestion) -> str:
    """Return why a suggestion cannot be applied, in the platform's words; empty where it can."""
    note = world.notes[suggestion.note_id]
    merge_request = _merge_request_of(world, note)
    checks: tuple[tuple[str, Callable[[], bool]], ...] = (
        (APPLIED, lambda: suggestion.applied),
        (MERGED, lambda: merge_request.state == "merged"),
        (CLOSED, lambda: merge_request.state == "closed"),
        (NO_BRANCH, lambda: diff_versions.source_head(world, merge_request) is None),
        (_outdated_text(suggestion), lambda: _is_outdated(world, merge_request, suggestion)),
        (SAME_CONTENT, lambda: suggestion.from_content == suggestion.to_content),
    )
    return next((text for text, holds in checks if holds()), "")


def _outdated_text(suggestion: Suggestion) -> str:
    return LINES_CHANGED if suggestion.lines_above or suggestion.lines_below else LINE_CHANGED


def _is_outdated(world: World, merge_request: MergeRequest, suggestion: Suggestion) -> bool:
    """Return whether the lines are no longer what the suggestion replaces, or the note is on an older difference."""
    position = _position_of(world, suggestion)
    if diff_positions.refs_of(position) != diff_versions.latest_refs(world, merge_request):
        return True
    content = _content(world, merge_request, position)
    return content is None or "".join(_between(content, lines_of(world, suggestion))) != suggestion.from_content


# applying


class _Set:
    """Suggestions that are applied together, in one commit."""

    def __init__(self, world: World, suggestions: Sequence[Suggestion]) -> None:
        self.world = world
        self.suggestions = suggestions
        self.merge_request = self._asked(suggestions[0])

    def _asked(self, suggestion: Suggestion) -> MergeRequest:
        return _merge_request_of(self.world, self.world.notes[suggestion.note_id])

    @property
    def by_file(self) -> dict[str, list[Suggestion]]:
        """The suggestions of each file, the first lines first."""
        rows = sorted(
            ((_position_of(self.world, one).path, lines_of(self.world, one), one.id, one) for one in self.suggestions),
        )
        return {path: [row[-1] for row in found] for path, found in groupby(rows, key=lambda row: row[0])}

    def check(self) -> None:
        """Refuse with 400 what cannot be applied."""
        for suggestion in self.suggestions:
            text = self._fault(suggestion)
            if text:
                raise BadRequest(text, reason=f"suggestion {suggestion.id} cannot be applied")
        if any(self._overlap(found) for found in self.by_file.values()):
            raise BadRequest(OVERLAP)

    def _fault(self, suggestion: Suggestion) -> str:
        merge_request, position = self._asked(suggestion), _position_of(self.world, suggestion)
        if _content(self.world, merge_request, position) is None:
            return NO_FILE
        if merge_request.source_branch != self.merge_request.source_branch:
            return OTHER_BRANCH
        reason = inapplicable_reason(self.world, suggestion)
        if reason:
            return reason
        return "" if position.head_sha == diff_versions.source_head(self.world, merge_request) else FILE_CHANGED

    def _overlap(self, suggestions: Iterable[Suggestion]) -> bool:
        lines = [lines_of(self.world, suggestion) for suggestion in suggestions]
        return any(before.last >= after.first for before, after in pairwise(lines))

    def actions(self) -> list[Action]:
        """Return what happens to each file."""
        return [Action("update", path, self._changed(found)) for path, found in self.by_file.items()]

    def _changed(self, suggestions: Sequence[Suggestion]) -> bytes:
        position = _position_of(self.world, suggestions[0])
        content = _content(self.world, self.merge_request, position, "surrogateescape")
        lines = _LINE.findall(content or "")
        for suggestion in reversed(suggestions):
            first, last = lines_of(self.world, suggestion)
            lines[first - 1 : last] = [suggestion.to_content]
        return "".join(lines).encode("utf-8", "surrogateescape")

    def message(self, user: User) -> str:
        """Return the commit's message: the project's own, or the platform's, with its placeholders filled in."""
        project, files = self.source, sorted(self.by_file)
        values: Mapping[str, object] = {
            "branch_name": self.merge_request.source_branch,
            "files_count": len(files),
            "file_paths": ", ".join(files),
            "project_name": project.name,
            "project_path": project.path,
            "user_full_name": user.name,
            "username": user.username,
            "suggestions_count": len(self.suggestions),
        }
        text = project.suggestion_commit_message or DEFAULT_MESSAGE
        return _PLACEHOLDER.sub(lambda found: str(values.get(found[1], found[0])), text)

    @property
    def source(self) -> Project:
        """The project of the source branch; its branch is there when the set was checked."""
        return self.world.projects[self.merge_request.source_project_id or 0]


def branch_of(world: World, suggestion: Suggestion) -> tuple[Project | None, str]:
    """Return the project and the branch that a suggestion changes."""
    merge_request = _merge_request_of(world, world.notes[suggestion.note_id])
    return world.projects.get(merge_request.source_project_id or 0), merge_request.source_branch


def apply(ctx: WriteContext, suggestions: Sequence[Suggestion]) -> list[Suggestion]:
    """Apply suggestions in one commit upon the source branch in the caller's name; 400 for what cannot be applied.

    Whether the caller may push to the branch is not asked.
    """
    chosen = _Set(ctx.world, sorted(suggestions, key=attrgetter("id")))
    chosen.check()
    branch = chosen.merge_request.source_branch
    new = NewCommit(branch, chosen.message(ctx.signed_in_user), chosen.actions())
    made = committing.commit(ctx, chosen.source, new)
    change = ctx.world.suggestions.change
    return [change(one, applied=True, commit_id=made.commit.sha) for one in chosen.suggestions]
