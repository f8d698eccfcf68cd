"""Suggestions: code blocks in diff notes that propose other lines, and how they are applied.

Source: docs/platform/external.md ('Suggestions').
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby, pairwise
from operator import attrgetter
from typing import Final, NamedTuple, NotRequired, TypedDict, Unpack

from fakeplat.core.operations.errors import BadRequest
from fakeplat.domain.purging import purge
from fakeplat.domain.repository import commit_actions, repositories
from fakeplat.domain.repository.commit_actions import Action, NewCommit
from fakeplat.domain.reviews import diff_positions, diff_versions
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.notes import Note, Position, Suggestion
from fakeplat.model.people import User
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

MAX_CONTEXT_LINES: Final = 100
"""The maximum number of lines above and below the line of a note that a suggestion can change."""
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
# Accepts suggestion, suggestion:-1+2 and suggestion:+3; any text after the numbers is ignored.
_INFO: Final = re.compile(r"suggestion(?::(?:-(?P<above>\d+))?(?:\+(?P<below>\d+))?.*)?", re.ASCII)
_LINE_END: Final = re.compile(r"\r\n|\r|\n")
# Lines end at line feeds only, as in git diffs; the last line of a file may have no end.
_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")
_PLACEHOLDER: Final = re.compile(r"%\{(\w+)\}")


class Lines(NamedTuple):
    """A range of lines; both ends are included, the first line of a file is 1."""

    first: int
    last: int


class NewSuggestion(TypedDict):
    """The fields of a new suggestion."""

    from_content: str
    to_content: str
    lines_above: NotRequired[int]
    lines_below: NotRequired[int]
    applied: NotRequired[bool]
    commit_id: NotRequired[str | None]


def list_suggestions(world: World, note: Note) -> Sequence[Suggestion]:
    """Return the suggestions of a note, in the order of its text."""
    return world.suggestions.where("note", note.id)


def insert_suggestion(ctx: WriteContext, note: Note, **fields: Unpack[NewSuggestion]) -> Suggestion:
    """Create a suggestion of a note from fields of the record."""
    table = ctx.world.suggestions
    return table.add(Suggestion(table.next_id(), note.id, **fields))


def refresh_suggestions(ctx: WriteContext, note: Note) -> None:
    """Replace the suggestions of a new or changed note by those in its text."""
    purge(ctx, *list_suggestions(ctx.world, note))
    # Parsing Markdown is slow, so a plain search excludes most notes first.
    if "suggestion" not in note.body or not _can_suggest(note) or note.position is None:
        return
    from fakeplat.domain.markup import commonmark

    for info, text in commonmark.parse_code_blocks(note.body):
        match = _INFO.fullmatch(info)
        if match is not None:
            insert_suggestion(ctx, note, **_parse_suggestion(ctx.world, note, note.position, match, text))


def _can_suggest(note: Note) -> bool:
    """Return whether a note is on a line of a merge request's source branch."""
    position = note.position
    # A removed line has no number in the new file, so a suggestion could not replace anything.
    on_text = position is not None and position.position_type == "text" and position.new_line is not None
    return note.subject[0] == "merge_request" and note.type == "DiffNote" and not note.system and on_text


def _parse_suggestion(world: World, note: Note, position: Position, match: re.Match[str], text: str) -> NewSuggestion:
    above, below = (int(match[side] or 0) for side in ("above", "below"))
    content = _read_content(world, _merge_request_of(world, note), position) or ""
    old_text = "".join(_select_lines(content, _lines(position, above, below)))
    # The replacement ends like the last line it replaces, so that CRLF files stay consistent.
    line_end = _LINE_END.search("".join(_LINE.findall(old_text)[-1:]))
    new_text = f"{text}{line_end[0] if line_end else ''}" if text.strip() else ""  # an empty block deletes the lines
    return {"from_content": old_text, "to_content": new_text, "lines_above": above, "lines_below": below}


def _merge_request_of(world: World, note: Note) -> MergeRequest:
    merge_request: MergeRequest = world.merge_requests[note.subject[1]]
    return merge_request


def get_lines(world: World, suggestion: Suggestion) -> Lines:
    """Return the lines of the file that a suggestion replaces."""
    position = _position_of(world, suggestion)
    return _lines(position, suggestion.lines_above, suggestion.lines_below)


def _position_of(world: World, suggestion: Suggestion) -> Position:
    position = world.notes[suggestion.note_id].position
    if position is None:
        raise LookupError(f"note {suggestion.note_id} has no position")
    return position


def _lines(position: Position, above: int, below: int) -> Lines:
    line = position.new_line or 0
    return Lines(max(line - min(above, MAX_CONTEXT_LINES), 1), line + min(below, MAX_CONTEXT_LINES))


def _select_lines(content: str, lines: Lines) -> list[str]:
    return _LINE.findall(content)[lines.first - 1 : lines.last]


def _read_content(world: World, merge_request: MergeRequest, position: Position, errors: str = "replace") -> str | None:
    """Return the content of the file at a position; None if it does not exist."""
    from fakeplat.git.errors import GitError
    from fakeplat.git.trees import find_entry

    git = repositories.open_repository(world, world.projects[merge_request.project_id])
    try:
        tree = git.objects.commit(position.head_sha).tree
    except GitError:
        return None
    entry = find_entry(git.objects, tree, position.path)
    return git.objects.blob(entry.sha).decode("utf-8", errors) if entry else None


def inapplicable_reason(world: World, suggestion: Suggestion) -> str:
    """Return the platform's message why a suggestion cannot be applied; empty if it can."""
    note = world.notes[suggestion.note_id]
    merge_request = _merge_request_of(world, note)
    # Functions, so that the repository is read only if the cheaper checks before have passed.
    checks: tuple[tuple[str, Callable[[], bool]], ...] = (
        (APPLIED, lambda: suggestion.applied),
        (MERGED, lambda: merge_request.state == "merged"),
        (CLOSED, lambda: merge_request.state == "closed"),
        (NO_BRANCH, lambda: diff_versions.source_head_sha(world, merge_request) is None),
        (_outdated_text(suggestion), lambda: _is_outdated(world, merge_request, suggestion)),
        (SAME_CONTENT, lambda: suggestion.from_content == suggestion.to_content),
    )
    return next((text for text, applies in checks if applies()), "")


def _outdated_text(suggestion: Suggestion) -> str:
    return LINES_CHANGED if suggestion.lines_above or suggestion.lines_below else LINE_CHANGED


def _is_outdated(world: World, merge_request: MergeRequest, suggestion: Suggestion) -> bool:
    """Return whether the lines have changed since the suggestion, or the note belongs to an older diff version."""
    position = _position_of(world, suggestion)
    if diff_positions.refs_of(position) != diff_versions.latest_refs(world, merge_request):
        return True
    content = _read_content(world, merge_request, position)
    return content is None or "".join(_select_lines(content, get_lines(world, suggestion))) != suggestion.from_content


# Applying


class _SuggestionBatch:
    """Suggestions that are applied together, in one commit."""

    def __init__(self, world: World, suggestions: Sequence[Suggestion]) -> None:
        self.world = world
        self.suggestions = suggestions
        self.merge_request = self._get_merge_request(suggestions[0])

    def _get_merge_request(self, suggestion: Suggestion) -> MergeRequest:
        return _merge_request_of(self.world, self.world.notes[suggestion.note_id])

    @property
    def by_file(self) -> dict[str, list[Suggestion]]:
        """The suggestions of each file, sorted by line."""
        # The id breaks ties, as suggestions themselves cannot be compared.
        rows = sorted(
            (_position_of(self.world, suggestion).path, get_lines(self.world, suggestion), suggestion.id, suggestion)
            for suggestion in self.suggestions
        )
        return {path: [row[-1] for row in file_rows] for path, file_rows in groupby(rows, key=lambda row: row[0])}

    def check(self) -> None:
        """Refuse with 400 if a suggestion cannot be applied or two of them overlap."""
        for suggestion in self.suggestions:
            text = self._explain_problem(suggestion)
            if text:
                raise BadRequest(text, reason=f"suggestion {suggestion.id} cannot be applied")
        if any(self._overlap(suggestions) for suggestions in self.by_file.values()):
            raise BadRequest(OVERLAP)

    def _explain_problem(self, suggestion: Suggestion) -> str:
        merge_request, position = self._get_merge_request(suggestion), _position_of(self.world, suggestion)
        if _read_content(self.world, merge_request, position) is None:
            return NO_FILE
        if merge_request.source_branch != self.merge_request.source_branch:
            return OTHER_BRANCH
        reason = inapplicable_reason(self.world, suggestion)
        if reason:
            return reason
        return "" if position.head_sha == diff_versions.source_head_sha(self.world, merge_request) else FILE_CHANGED

    def _overlap(self, suggestions: Iterable[Suggestion]) -> bool:
        # Sorted by first line, two suggestions can overlap only if two neighbours do.
        lines = [get_lines(self.world, suggestion) for suggestion in suggestions]
        return any(before.last >= after.first for before, after in pairwise(lines))

    def actions(self) -> list[Action]:
        """Return the commit actions, one for each file."""
        return [Action("update", path, self._replace_lines(suggestions)) for path, suggestions in self.by_file.items()]

    def _replace_lines(self, suggestions: Sequence[Suggestion]) -> bytes:
        position = _position_of(self.world, suggestions[0])
        # surrogateescape: bytes that are not UTF-8 elsewhere in the file must survive the round trip.
        content = _read_content(self.world, self.merge_request, position, "surrogateescape")
        lines = _LINE.findall(content or "")
        # From the bottom up, so that the numbers of the remaining lines stay valid.
        for suggestion in reversed(suggestions):
            first, last = get_lines(self.world, suggestion)
            lines[first - 1 : last] = [suggestion.to_content]
        return "".join(lines).encode("utf-8", "surrogateescape")

    def message(self, user: User, custom: str | None) -> str:
        """Return the message of the commit: custom, the project's or the default one, with placeholders replaced."""
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
        text = custom or project.suggestion_commit_message or DEFAULT_MESSAGE
        # A placeholder with an unknown name stays as it is.
        return _PLACEHOLDER.sub(lambda match: str(values.get(match[1], match[0])), text)

    @property
    def source(self) -> Project:
        """The project of the source branch; it exists once ``check`` has passed."""
        return self.world.projects[self.merge_request.source_project_id or 0]


def find_branch(world: World, suggestion: Suggestion) -> tuple[Project | None, str]:
    """Return the project and the branch that a suggestion changes."""
    merge_request = _merge_request_of(world, world.notes[suggestion.note_id])
    return world.projects.get(merge_request.source_project_id or 0), merge_request.source_branch


def apply_suggestions(
    ctx: WriteContext, suggestions: Sequence[Suggestion], message: str | None = None
) -> list[Suggestion]:
    """Apply suggestions in one commit on the source branch, as the caller; 400 if one cannot be applied.

    ``message``: instead of that of the project. Does not check whether the caller may push to the branch.
    """
    batch = _SuggestionBatch(ctx.world, sorted(suggestions, key=attrgetter("id")))
    batch.check()
    branch = batch.merge_request.source_branch
    new = NewCommit(branch, batch.message(ctx.signed_in_user, message), batch.actions())
    sha = commit_actions.commit(ctx, batch.source, new).commit.sha
    change = ctx.world.suggestions.change
    return [change(suggestion, applied=True, commit_id=sha) for suggestion in batch.suggestions]
