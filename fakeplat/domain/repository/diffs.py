"""Differences as the platform shows them: file by file, under its limits.

A file whose difference is too large is listed without it; what goes beyond the limits of the whole is left out
(overflow). Source: docs/platform/specification.md ('Diff entry'), docs/platform/settings.md (``diff_max_patch_bytes``).
"""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from fakeplat.model.world import World

if TYPE_CHECKING:
    from fakeplat.git.diffs import FileDiff

MOST_FILES: Final = 1_000
MOST_LINES: Final = 50_000
MOST_BYTES: Final = MOST_FILES * 5 * 1024


class DiffOfFile(NamedTuple):
    """The difference of one file, and as much of its text as is shown."""

    file: "FileDiff"
    text: str

    @property
    def old_path(self) -> str:
        """Where the file was."""
        return to_legible_text(self.file.old_path)

    @property
    def new_path(self) -> str:
        """Where the file is."""
        return to_legible_text(self.file.new_path)

    @property
    def a_mode(self) -> str:
        """Its mode before, in octal digits; 0 where there was none."""
        return f"{self.file.old_mode:o}"

    @property
    def b_mode(self) -> str:
        """Its mode now."""
        return f"{self.file.new_mode:o}"

    @property
    def new_file(self) -> bool:
        """Whether it was added."""
        return self.file.status == "A"

    @property
    def renamed_file(self) -> bool:
        """Whether it was renamed."""
        return self.file.status == "R"

    @property
    def deleted_file(self) -> bool:
        """Whether it was deleted."""
        return self.file.status == "D"


def present_diff(world: World, files: "Iterable[FileDiff]") -> list[DiffOfFile]:
    """All files, each under the limit of one."""
    most = world.settings.diff_max_patch_bytes
    return [DiffOfFile(file, _text(file) if len(file.body) < most else "") for file in files]


def limit_diffs(world: World, files: "Iterable[FileDiff]") -> list[DiffOfFile]:
    """The files that also fit into the limits of the whole."""
    return list(_fitting(present_diff(world, files)))


def to_legible_text(path: str) -> str:
    """A path as JSON can hold it; bytes that are no text become U+FFFD."""
    return path.encode(errors="surrogateescape").decode(errors="replace")


def _fitting(files: Iterable[DiffOfFile]) -> Iterator[DiffOfFile]:
    lines = size = 0
    for count, one in enumerate(files):
        lines += one.text.count("\n")
        size += len(one.text)
        if count >= MOST_FILES or lines > MOST_LINES or size > MOST_BYTES:
            return
        yield one


def _text(file: "FileDiff") -> str:
    """From the first ``@@`` on; of a binary file that it is one."""
    if file.binary:
        return next((f"{line}\n" for line in _lines(file.header) if line.startswith("Binary files ")), "")
    return file.body.decode(errors="replace")


def _lines(header: bytes) -> list[str]:
    return header.decode(errors="replace").splitlines()
