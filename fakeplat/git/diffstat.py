"""Diff statistics, as printed by `git diff --stat --summary`."""

from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from fakeplat.git.diffs import FileDiff, quote_path

# The width that git uses for statistics in mails (MAIL_DEFAULT_WRAP).
WIDTH = 72
_SEPARATORS = 6  # blanks and the bar between the columns
_MIN_BAR = 6


class _Columns(NamedTuple):
    """The widths of the columns for names, numbers and bars, and the largest number of changed lines."""

    name: int
    number: int
    bar: int
    max_lines: int


def format_diffstat(files: Sequence[FileDiff], size: Callable[[str], int]) -> str:
    """Return a line per file, the totals, and created, deleted and renamed files; ``size`` is a blob's size by hash."""
    columns = _column_widths(files)
    lines = [*(_file_line(file, columns, size) for file in files), _totals_line(files), *_summary_lines(files)]
    return "".join(f" {line}\n" for line in lines)


def _column_widths(files: Sequence[FileDiff]) -> _Columns:
    max_lines = max((file.additions + file.deletions for file in files), default=0)
    name = max((len(_display_name(file)) for file in files), default=0)
    # A binary file has the word Bin (three letters) in the column of numbers.
    number = max(len(str(max_lines)), *(3 if file.binary else 0 for file in files), 0)
    bar = max_lines
    # As in git: the bar gets at most 3/8 of the width if the names need the rest.
    if name + number + _SEPARATORS + bar > WIDTH:
        bar = min(bar, max(WIDTH * 3 // 8 - number - _SEPARATORS, _MIN_BAR))
        room = WIDTH - number - _SEPARATORS - bar
        name, bar = (room, bar) if name > room else (name, WIDTH - number - _SEPARATORS - name)
    return _Columns(name, number, min(bar, max_lines), max_lines)


def _file_line(file: FileDiff, columns: _Columns, size: Callable[[str], int]) -> str:
    name = _shorten_name(_display_name(file), columns.name).ljust(columns.name)
    if file.binary:
        sizes = f" {size(file.old_sha)} -> {size(file.new_sha)} bytes" if file.old_sha != file.new_sha else ""
        return f"{name} | {'Bin':>{columns.number}}{sizes}"
    count = file.additions + file.deletions
    bar = _bar(file.additions, file.deletions, columns)
    return f"{name} | {count:>{columns.number}}{' ' if bar else ''}{bar}"


def _shorten_name(name: str, width: int) -> str:
    """Cut the beginning of a name that is too long, at a slash if there is one."""
    if len(name) <= width:
        return name
    # Three columns are for the dots that replace the beginning.
    end = name[len(name) - (width - 3) :]
    slash = end.find("/")
    return f"...{end[slash:] if slash >= 0 else end}"


def _bar(additions: int, deletions: int, columns: _Columns) -> str:
    if columns.max_lines > columns.bar:
        total = _scale(additions + deletions, columns)
        # A file with additions and deletions shows at least one sign of each.
        total = max(total, 2) if additions and deletions else total
        # The smaller number is scaled, and the larger one gets the rest: rounding both could make the bar too long.
        if additions < deletions:
            additions = _scale(additions, columns)
            deletions = total - additions
        else:
            deletions = _scale(deletions, columns)
            additions = total - deletions
    return "+" * additions + "-" * deletions


def _scale(count: int, columns: _Columns) -> int:
    # As git's scale_linear(): any change gets at least one sign, however small its share is.
    return 1 + count * (columns.bar - 1) // columns.max_lines if count else 0


def _totals_line(files: Sequence[FileDiff]) -> str:
    additions, deletions = (sum(getattr(file, name) for file in files) for name in ("additions", "deletions"))
    parts = [f"{len(files)} file{_plural(len(files))} changed"]
    # git omits a count of zero, unless both are zero: a change of a mode has 0 insertions and 0 deletions.
    if additions or not deletions:
        parts.append(f"{additions} insertion{_plural(additions)}(+)")
    if deletions or not additions:
        parts.append(f"{deletions} deletion{_plural(deletions)}(-)")
    return ", ".join(parts)


def _plural(count: int) -> str:
    return "" if count == 1 else "s"


def _summary_lines(files: Sequence[FileDiff]) -> Iterator[str]:
    for file in files:
        if file.status == "A":
            yield f"create mode {file.new_mode:06o} {quote_path(file.new_path)}"
        elif file.status == "D":
            yield f"delete mode {file.old_mode:06o} {quote_path(file.old_path)}"
        elif file.status == "R":
            yield f"rename {_display_name(file)} ({file.similarity}%)"
            if file.old_mode != file.new_mode:
                yield f"mode change {file.old_mode:06o} => {file.new_mode:06o}"
        elif file.old_mode != file.new_mode:
            yield f"mode change {file.old_mode:06o} => {file.new_mode:06o} {quote_path(file.new_path)}"


def _display_name(file: FileDiff) -> str:
    """Return a file's path; for a renamed file both, with their common parts written once."""
    if file.status != "R":
        return quote_path(file.new_path)
    old, new = file.old_path, file.new_path
    # Quotation marks would end up inside the braces, so git writes quoted paths in full.
    if quote_path(old) != old or quote_path(new) != new:
        return f"{quote_path(old)} => {quote_path(new)}"
    # The common parts are whole folders: `src/{a => b}/main.c`.
    start = _common_prefix(old, new).rpartition("/")
    before = start[0] + start[1]
    after = _common_suffix(old[len(before) :], new[len(before) :])
    inner = f"{old[len(before) : len(old) - len(after)]} => {new[len(before) : len(new) - len(after)]}"
    return f"{before}{{{inner}}}{after}" if before or after else inner


def _common_prefix(first: str, second: str) -> str:
    return "".join(letter for letter, _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))


def _common_suffix(old: str, new: str) -> str:
    """Return the common suffix, from a slash on."""
    shared = _common_prefix(old[::-1], new[::-1])[::-1]
    slash = shared.find("/")
    return shared[slash:] if slash >= 0 else ""
