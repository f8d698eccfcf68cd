"""What trees, comparisons and contributors show.

Source: docs/platform/repository.md, docs/platform/specification.md.
"""

from typing import TYPE_CHECKING

from fakeplat.core.operations.entity import Entity, attr, constant, shown
from fakeplat.domain.repository.comparing import Comparison, Contributor
from fakeplat.domain.repository.diffs import legible
from fakeplat.entities.commits import CommitBasic
from fakeplat.entities.diffs import DiffView
from fakeplat.policy.context import Context

if TYPE_CHECKING:
    from fakeplat.git.records import Entry


class TreeEntryView(Entity["Entry"]):
    """A folder, a file or a submodule."""

    keyed = False
    record: "Entry"

    id = attr(str, "sha")

    @shown
    def name(self) -> str:
        return legible(self.record.name)

    type = attr(str, "kind")

    @shown
    def path(self) -> str:
        return legible(self.record.path)

    mode = attr(str, "mode_text")


class ComparisonView(Entity[Comparison]):
    """What lies between two revisions."""

    keyed = False
    cx: Context

    @shown
    def commit(self) -> CommitBasic | None:
        newest: CommitBasic | None = self.cx.show(CommitBasic, self.record.commit)
        return newest

    @shown
    def commits(self) -> list[CommitBasic]:
        return [self.cx.show(CommitBasic, commit) for commit in self.record.commits]

    @shown
    def diffs(self) -> list[DiffView]:
        return [self.cx.show(DiffView, diff) for diff in self.record.diffs]

    compare_timeout = constant(False, bool)
    compare_same_ref = attr(bool, "same_ref")


class ContributorView(Entity[Contributor]):
    """An author of commits."""

    keyed = False

    name = attr(str)
    email = attr(str)
    commits = attr(int)
    additions = constant(0, int)
    deletions = constant(0, int)
