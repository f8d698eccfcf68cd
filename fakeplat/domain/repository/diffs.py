"""Diffs as returned by the platform: per file, within its limits.

A file whose diff is too large is listed without text; files beyond the total limits are omitted (overflow).
Source: docs/platform/commits.md, docs/platform/settings.md (``diff_max_patch_bytes``).
"""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from fakeplat.model.settings import Settings
from fakeplat.model.world import World

if TYPE_CHECKING:
    from fakeplat.git.diffs import FileDiff

_BYTES_PER_FILE: Final = 5 * 1024
"""The average size of the files' diffs that the total limit allows."""


class DiffOfFile(NamedTuple):
    """The diff of one file, and the text that is returned.

    Only for the diffs of merge requests it is known whether a program generated the file.
    """

    file: "FileDiff"
    text: str
    too_large: bool = False
    generated: bool | None = None

    @property
    def unified_text(self) -> str:
        """Return the text after the lines that name the file."""
        if not self.text or self.file.binary:
            return self.text
        before = "/dev/null" if self.new_file else f"a/{self.old_path}"
        after = "/dev/null" if self.deleted_file else f"b/{self.new_path}"
        return f"--- {before}\n+++ {after}\n{self.text}"

    @property
    def old_path(self) -> str:
        """Return the path before the change."""
        return to_legible_text(self.file.old_path)

    @property
    def new_path(self) -> str:
        """Return the path after the change."""
        return to_legible_text(self.file.new_path)

    @property
    def a_mode(self) -> str:
        """Return the mode before in octal digits; 0 for a new file."""
        return f"{self.file.old_mode:o}"

    @property
    def b_mode(self) -> str:
        """Return the mode after in octal digits."""
        return f"{self.file.new_mode:o}"

    @property
    def new_file(self) -> bool:
        """Return whether the file was added."""
        return self.file.status == "A"

    @property
    def renamed_file(self) -> bool:
        """Return whether the file was renamed."""
        return self.file.status == "R"

    @property
    def deleted_file(self) -> bool:
        """Return whether the file was deleted."""
        return self.file.status == "D"


def present_diff(world: World, files: "Iterable[FileDiff]") -> list[DiffOfFile]:
    """Return the diffs of all files, each within the limit per file."""
    limit = world.settings.diff_max_patch_bytes
    return [
        DiffOfFile(file, _diff_text(file)) if len(file.body) < limit else DiffOfFile(file, "", too_large=True)
        for file in files
    ]


def limit_diffs(world: World, files: "Iterable[FileDiff]") -> list[DiffOfFile]:
    """Return the diffs of the files that also fit into the total limits."""
    return list(_within_total_limits(world.settings, present_diff(world, files)))


def to_legible_text(path: str) -> str:
    """Return a path as valid Unicode; undecodable bytes become U+FFFD."""
    # Git's paths are bytes; those that are not UTF-8 are kept as surrogates, which JSON cannot represent.
    return path.encode(errors="surrogateescape").decode(errors="replace")


def _within_total_limits(settings: Settings, files: Iterable[DiffOfFile]) -> Iterator[DiffOfFile]:
    most_files, most_lines = settings.diff_max_files, settings.diff_max_lines
    lines = size = 0
    for count, diff in enumerate(files):
        lines += diff.text.count("\n")
        size += len(diff.text)
        # Everything after the first file beyond a limit is omitted, smaller files included.
        if count >= most_files or lines > most_lines or size > most_files * _BYTES_PER_FILE:
            return
        yield diff


def _diff_text(file: "FileDiff") -> str:
    """From the first ``@@`` on; of a binary file that it is one."""
    if file.binary:
        # Git writes ``Binary files a/x and b/x differ`` instead of hunks.
        return next((f"{line}\n" for line in _decode_lines(file.header) if line.startswith("Binary files ")), "")
    return file.body.decode(errors="replace")


def _decode_lines(header: bytes) -> list[str]:
    return header.decode(errors="replace").splitlines()
