"""Commits and what they change. Source: docs/platform/commits.md."""

from typing import TYPE_CHECKING, Final

from propcache.api import cached_property

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if, constant, nested
from fakeplat.domain.ci import pipelines
from fakeplat.domain.repository import repositories
from fakeplat.domain.repository.commit_signatures import CommitSignature
from fakeplat.domain.repository.commits import CommitRef, ProjectCommit
from fakeplat.domain.repository.diffs import DiffOfFile
from fakeplat.entities import urls
from fakeplat.entities.ci.pipelines import PipelineBasic
from fakeplat.entities.people.accounts import SshKeyView
from fakeplat.entities.people.users import UserBasic
from fakeplat.model.ci import Pipeline
from fakeplat.model.notes import Note
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext

if TYPE_CHECKING:
    from fakeplat.git.records import Person


UNIFIED: Final = "unidiff"


class DiffView(Entity[DiffOfFile]):
    """The diff of one file."""

    cached_by_id = False

    old_path = attr()
    new_path = attr()
    a_mode = attr()
    b_mode = attr()
    new_file = attr()
    renamed_file = attr()
    deleted_file = attr()
    # Files beyond the limits are listed without text; there is no second request that would show it.
    collapsed = constant(False, bool, since="18.4")
    too_large = attr(since="18.4")
    generated_file = attr("generated", since="16.9")

    @computed
    def diff(self) -> str:
        return self.record.unified_text if UNIFIED in self.options else self.record.text


STATS: Final = "stats"
TRAILERS: Final = "trailers"


def format_time(person: "Person") -> str:
    """Return the timestamp of an author or committer, in their time zone."""
    return person.time.isoformat(timespec="milliseconds")


class _CommitBase(Entity[ProjectCommit]):
    """The base of all views of commits."""

    cached_by_id = False
    ctx: ReadContext


class CommitBasic(_CommitBase):
    """A commit in a list."""

    id = nested("commit.sha", str)

    @computed
    def short_id(self) -> str:
        # Always eight digits, whether or not they are unique in the repository.
        return self.record.commit.sha[:8]

    # As on the platform, this is the committer's time, not the author's.
    @computed
    def created_at(self) -> str:
        return format_time(self.record.commit.committer)

    parent_ids = nested("commit.parents", list[str])
    title = nested("commit.title", str)
    message = nested("commit.message", str)
    author_name = nested("commit.author.name", str)
    author_email = nested("commit.author.email", str)

    @computed
    def authored_date(self) -> str:
        return format_time(self.record.commit.author)

    committer_name = nested("commit.committer.name", str)
    committer_email = nested("commit.committer.email", str)

    @computed
    def committed_date(self) -> str:
        return format_time(self.record.commit.committer)

    @computed_if(since="13.9")
    def trailers(self) -> dict[str, str]:
        return dict(self._trailers)

    @computed_if(since="<=16.11")
    def extended_trailers(self) -> dict[str, list[str]]:
        values: dict[str, list[str]] = {}
        for key, value in self._trailers:
            values.setdefault(key, []).append(value)
        return values

    @cached_property
    def _trailers(self) -> "list[tuple[str, str]]":
        """The trailers, which only lists show, and only on demand; elsewhere commits seem to have none."""
        from fakeplat.git.trailers import parse_trailers

        return parse_trailers(self.record.commit.message) if TRAILERS in self.options else []

    @computed
    def web_url(self) -> str:
        return f"{urls.project_url(self.ctx, self.record.project)}/-/commit/{self.record.commit.sha}"


def _with_stats(view: Entity[ProjectCommit]) -> bool:
    return STATS in view.options


class CommitWithStats(CommitBasic):
    """A commit with its line counts."""

    @computed_if(when=_with_stats)
    def stats(self) -> dict[str, int]:
        git = repositories.open_repository(self.ctx.world, self.record.project)
        stats = git.commit_stats(self.record.commit.sha)
        return {"additions": stats.additions, "deletions": stats.deletions, "total": stats.total}


class CommitDetail(CommitWithStats):
    """A single commit."""

    @computed
    def status(self) -> str | None:
        return self._pipeline.status if self._pipeline else None

    project_id = nested("project.id", int)

    @computed
    def last_pipeline(self) -> PipelineBasic | None:
        pipeline: PipelineBasic | None = self.ctx.render(PipelineBasic, self._pipeline)
        return pipeline

    @cached_property
    def _pipeline(self) -> Pipeline | None:
        record = self.record
        pipeline = pipelines.find_latest_by_commit(self.ctx.world, record.project, record.commit.sha)
        # Callers who cannot read pipelines see nulls, as if the commit had none.
        return pipeline if pipeline and can(self.ctx, Ability.READ_PIPELINE, record.project) else None


class BlamedCommit(_CommitBase):
    """A commit in blame information."""

    id = nested("commit.sha", str)
    parent_ids = nested("commit.parents", list[str])
    message = nested("commit.message", str)

    @computed
    def authored_date(self) -> str:
        return format_time(self.record.commit.author)

    author_name = nested("commit.author.name", str)
    author_email = nested("commit.author.email", str)

    @computed
    def committed_date(self) -> str:
        return format_time(self.record.commit.committer)

    committer_name = nested("commit.committer.name", str)
    committer_email = nested("commit.committer.email", str)


class RefView(Entity[CommitRef]):
    """A branch or tag that contains a commit."""

    cached_by_id = False

    type = attr()
    name = attr()


def _is_by_gpg(view: Entity[CommitSignature]) -> bool:
    return view.record.type == "PGP"


class CommitSignatureView(Entity[CommitSignature]):
    """The GPG or SSH signature of a commit."""

    ctx: ReadContext
    cached_by_id = False

    signature_type = attr("type")
    gpg_key_id = attr("key_id", when=_is_by_gpg)
    gpg_key_primary_keyid = attr("keyid", when=_is_by_gpg)
    gpg_key_user_name = attr("user_name", when=_is_by_gpg)
    gpg_key_user_email = attr("user_email", when=_is_by_gpg)
    verification_status = attr("status")
    gpg_key_subkey_id = attr("subkey_id", when=_is_by_gpg)

    @computed_if(when=lambda view: not _is_by_gpg(view), since="15.7")
    def key(self) -> SshKeyView | None:
        view: SshKeyView | None = self.ctx.render(SshKeyView, self.record.ssh_key)
        return view

    commit_source = constant("gitaly", str, since="<=18.9")


class CommitNoteView(Entity[Note]):
    """A comment on a commit, or on a line of it."""

    ctx: ReadContext

    note = attr("body")

    @computed
    def path(self) -> str | None:
        # Comments of the commits API have a line, notes of discussions a position; the list contains both.
        position, line = self.record.position, self.record.line
        return position.path if position else line.path if line else None

    @computed
    def line(self) -> int | None:
        position, line = self.record.position, self.record.line
        if position is not None:
            # A removed line has no number in the new file.
            return position.old_line if position.new_line is None else position.new_line
        return line.line if line else None

    @computed
    def line_type(self) -> str | None:
        position, line = self.record.position, self.record.line
        if position is not None:
            return position.line_type
        return line.line_type if line else None

    @computed
    def author(self) -> UserBasic:
        author: UserBasic = self.ctx.render(UserBasic, self.ctx.world.users[self.record.author_id])
        return author

    created_at = attr()
