"""Views of trees, comparisons and contributors.

Source: docs/platform/repository.md.
"""

from typing import TYPE_CHECKING, Any

from typing_extensions import override

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if, constant
from fakeplat.domain.repository.comparison import Comparison, Contributor
from fakeplat.domain.repository.diffs import to_legible_text
from fakeplat.domain.repository.repository_files import CommittedEntry
from fakeplat.entities import urls
from fakeplat.entities.repository.commits import CommitBasic, DiffView
from fakeplat.policy.behaviours import STRAIGHT_COMPARISONS_HAVE_TWO_DOTS
from fakeplat.policy.context import ReadContext

if TYPE_CHECKING:
    from fakeplat.git.records import Entry


class TreeEntryView(Entity[Any]):
    """A directory, a file or a submodule."""

    cached_by_id = False
    ctx: ReadContext

    @property
    def _entry(self) -> "Entry":
        entry: Entry = self.record
        return entry

    @computed
    def id(self) -> str:
        return self._entry.sha

    @computed
    def name(self) -> str:
        # Names in git are bytes of any encoding; JSON requires valid Unicode.
        return to_legible_text(self._entry.name)

    @computed
    def type(self) -> str:
        return self._entry.kind

    @computed
    def path(self) -> str:
        return to_legible_text(self._entry.path)

    @computed
    def mode(self) -> str:
        return self._entry.mode_text


class CommittedEntryView(TreeEntryView):
    """A directory, a file or a submodule, with the commit that last changed it."""

    record: CommittedEntry

    @property
    @override
    def _entry(self) -> "Entry":
        return self.record.entry

    @computed
    def last_commit(self) -> CommitBasic | None:
        commit: CommitBasic | None = self.ctx.render(CommitBasic, self.record.find_last_commit(self.ctx.world))
        return commit


class ComparisonView(Entity[Comparison]):
    """The commits and diffs between two revisions."""

    cached_by_id = False
    ctx: ReadContext

    @computed
    def commit(self) -> CommitBasic | None:
        newest: CommitBasic | None = self.ctx.render(CommitBasic, self.record.commit)
        return newest

    @computed
    def commits(self) -> list[CommitBasic]:
        return [self.ctx.render(CommitBasic, commit) for commit in self.record.commits]

    @computed
    def diffs(self) -> list[DiffView]:
        return [self.ctx.render(DiffView, diff, *self.options) for diff in self.record.diffs]

    # Comparing has no time limit here.
    compare_timeout = constant(False, bool)
    compare_same_ref = attr("same_ref")

    @computed_if(since="<=17.6")
    def web_url(self) -> str:
        project_url = urls.project_url(self.ctx, self.record.project)
        is_direct = self.record.straight and self.ctx.profile.has(STRAIGHT_COMPARISONS_HAVE_TWO_DOTS)
        return f"{project_url}/-/compare/{self.record.base}{'..' if is_direct else '...'}{self.record.head}"


class ContributorView(Entity[Contributor]):
    """An author of commits."""

    cached_by_id = False

    name = attr()
    email = attr()
    commits = attr()
    # The platform sends 0 for both instead of counting lines.
    additions = constant(0, int)
    deletions = constant(0, int)
