"""How many lines changed in which files, drawn as `git diff --stat --summary` draws it."""

from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from fakeplat.git.diffs import FileDiff, quote_path

WIDTH = 72
_FRAME = 6
_LEAST = 6


class _Columns(NamedTuple):
    """The widths of names, numbers and bars; ``most`` is the largest number of lines."""

    name: int
    number: int
    bar: int
    most: int


def format_diffstat(files: Sequence[FileDiff], size: Callable[[str], int]) -> str:
    """Return a line for each file, one for all, and what came, went or moved; ``size`` is that of a hash's content."""
    columns = _columns(files)
    lines = [*(_line(file, columns, size) for file in files), _total(files), *_summary(files)]
    return "".join(f" {line}\n" for line in lines)


def _columns(files: Sequence[FileDiff]) -> _Columns:
    most = max((file.additions + file.deletions for file in files), default=0)
    name = max((len(_shown(file)) for file in files), default=0)
    number = max(len(str(most)), *(3 if file.binary else 0 for file in files), 0)
    bar = most
    if name + number + _FRAME + bar > WIDTH:
        bar = min(bar, max(WIDTH * 3 // 8 - number - _FRAME, _LEAST))
        room = WIDTH - number - _FRAME - bar
        name, bar = (room, bar) if name > room else (name, WIDTH - number - _FRAME - name)
    return _Columns(name, number, min(bar, most), most)


def _line(file: FileDiff, columns: _Columns, size: Callable[[str], int]) -> str:
    name = _cut(_shown(file), columns.name).ljust(columns.name)
    if file.binary:
        sizes = f" {size(file.old_sha)} -> {size(file.new_sha)} bytes" if file.old_sha != file.new_sha else ""
        return f"{name} | {'Bin':>{columns.number}}{sizes}"
    count = file.additions + file.deletions
    bar = _bar(file.additions, file.deletions, columns)
    return f"{name} | {count:>{columns.number}}{' ' if bar else ''}{bar}"


def _cut(name: str, width: int) -> str:
    """A name that is too long without its beginning, from a slash on if there is one."""
    if len(name) <= width:
        return name
    rest = name[len(name) - (width - 3) :]
    slash = rest.find("/")
    return f"...{rest[slash:] if slash >= 0 else rest}"


def _bar(additions: int, deletions: int, columns: _Columns) -> str:
    if columns.most > columns.bar:
        total = _scaled(additions + deletions, columns)
        total = max(total, 2) if additions and deletions else total
        if additions < deletions:
            additions = _scaled(additions, columns)
            deletions = total - additions
        else:
            deletions = _scaled(deletions, columns)
            additions = total - deletions
    return "+" * additions + "-" * deletions


def _scaled(count: int, columns: _Columns) -> int:
    return 1 + count * (columns.bar - 1) // columns.most if count else 0


def _total(files: Sequence[FileDiff]) -> str:
    additions, deletions = (sum(getattr(file, name) for file in files) for name in ("additions", "deletions"))
    parts = [f"{len(files)} file{_s(len(files))} changed"]
    if additions or not deletions:
        parts.append(f"{additions} insertion{_s(additions)}(+)")
    if deletions or not additions:
        parts.append(f"{deletions} deletion{_s(deletions)}(-)")
    return ", ".join(parts)


def _s(count: int) -> str:
    return "" if count == 1 else "s"


def _summary(files: Sequence[FileDiff]) -> Iterator[str]:
    for file in files:
        if file.status == "A":
            yield f"create mode {file.new_mode:06o} {quote_path(file.new_path)}"
        elif file.status == "D":
            yield f"delete mode {file.old_mode:06o} {quote_path(file.old_path)}"
        elif file.status == "R":
            yield f"rename {_shown(file)} ({file.similarity}%)"
            if file.old_mode != file.new_mode:
                yield f"mode change {file.old_mode:06o} => {file.new_mode:06o}"
        elif file.old_mode != file.new_mode:
            yield f"mode change {file.old_mode:06o} => {file.new_mode:06o} {quote_path(file.new_path)}"


def _shown(file: FileDiff) -> str:
    """A file's name; of a renamed one both, what they share only once."""
    if file.status != "R":
        return quote_path(file.new_path)
    old, new = file.old_path, file.new_path
    if quote_path(old) != old or quote_path(new) != new:
        return f"{quote_path(old)} => {quote_path(new)}"
    start = _common_start(old, new).rpartition("/")
    before = start[0] + start[1]
    after = _shared_end(old[len(before) :], new[len(before) :])
    inner = f"{old[len(before) : len(old) - len(after)]} => {new[len(before) : len(new) - len(after)]}"
    return f"{before}{{{inner}}}{after}" if before or after else inner


def _common_start(one: str, other: str) -> str:
    return "".join(letter for letter, _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _shared_end(old: str, new: str) -> str:
    """What both end with, from a slash on."""
    shared = _common_start(old[::-1], new[::-1])[::-1]
    slash = shared.find("/")
    return shared[slash:] if slash >= 0 else ""
