"""Line counts and comments of commits. Source: docs/platform/graphql.md, docs/platform/commits.md."""

from collections.abc import Sequence
from typing import Final

from fakeplat.domain.markup import markup
from fakeplat.domain.notes import commit_notes
from fakeplat.domain.repository import repositories
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.graphql.merge_requests.diffs import FileStats, Summary
from fakeplat.graphql.repository import COMMIT, DIFF, Difference
from fakeplat.model.notes import Note
from fakeplat.policy.context import ReadContext

_SINCE: Final = "<=19.3"


@COMMIT.field("diffStats: [DiffStats!]", since=_SINCE)
def diff_stats(ctx: ReadContext, commit: ProjectCommit) -> Sequence[FileStats]:
    """Line counts of each file that the commit changed."""
    files = repositories.open_repository(ctx.world, commit.project).commit_diff(commit.commit.sha)
    return [FileStats(file.new_path, file.additions, file.deletions) for file in files]


@COMMIT.field("diffStatsSummary: DiffStatsSummary", since=_SINCE)
def diff_stats_summary(ctx: ReadContext, commit: ProjectCommit) -> Summary:
    """Line counts of the commit."""
    stats = repositories.open_repository(ctx.world, commit.project).commit_stats(commit.commit.sha)
    return Summary(stats.additions, stats.deletions, stats.total, stats.files)


@COMMIT.field("fullTitleHtml: String", since="<=14.9")
@COMMIT.field("titleHtml: String")
def title_html(ctx: ReadContext, commit: ProjectCommit) -> str:
    """The first line of the message rendered as HTML."""
    return markup.render_line(ctx, commit.commit.title, commit.project)


@COMMIT.field("descriptionHtml: String")
def description_html(ctx: ReadContext, commit: ProjectCommit) -> str:
    """The message after its first line, rendered as HTML."""
    return markup.render_line(ctx, commit.commit.message.partition("\n")[2].strip(), commit.project)


@COMMIT.field("parentSha: String", since="<=18.9")
def parent_sha(_ctx: ReadContext, commit: ProjectCommit) -> str | None:
    """The SHA of the first parent."""
    return commit.commit.parents[0] if commit.commit.parents else None


@COMMIT.field("notes: NoteConnection!", since=_SINCE)
def notes(ctx: ReadContext, commit: ProjectCommit) -> Sequence[Note]:
    """The comments on the commit, oldest first."""
    return commit_notes.list_commit_notes(ctx, commit)


@DIFF.field("collapsed: String", since="<=18.5")
def collapsed(_ctx: ReadContext, _difference: Difference) -> str:
    """Whether the lines are left out until they are asked for, which no difference here is."""
    return "false"
