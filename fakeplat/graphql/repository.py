"""Repositories and their commits. Source: docs/platform/graphql.md, docs/platform/commits.md."""

from collections.abc import Sequence
from fnmatch import fnmatchcase

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.ci import pipelines
from fakeplat.domain.people import users
from fakeplat.domain.repository import code_owners, commits, diffs, repositories
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.domain.repository.diffs import DiffOfFile
from fakeplat.entities import urls
from fakeplat.entities.repository.commits import format_time
from fakeplat.graphql.ids import global_id
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Type
from fakeplat.model.ci import Pipeline
from fakeplat.model.people import User
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext


@frozen
class Tree:
    """A folder at a commit."""

    commit: ProjectCommit


REPOSITORY = Type("Repository", "The repository of a project.")
REPOSITORY.attributes({"rootRef: String": "The default branch."})
TREE = Type("Tree", "A folder at a commit.", connection_since="<=14.3")
COMMIT = Type("Commit", "A commit.", connection_since="<=13.8", implements=("Todoable",))


@frozen
class Repository:
    """The repository of a project."""

    project: Project

    @property
    def root_ref(self) -> str | None:
        """The default branch."""
        return self.project.default_branch


@PROJECT.field("repository: Repository")
def repository(ctx: ReadContext, project: Project) -> Repository | None:
    """The repository, if the caller may read its code."""
    return Repository(project) if can(ctx, Ability.DOWNLOAD_CODE, project) else None


@REPOSITORY.field("exists: Boolean!")
def exists(_ctx: ReadContext, _repository: Repository) -> bool:
    """Whether there is a repository."""
    return True


@REPOSITORY.field("commit(ref: String): Commit", since="<=18.5")
def commit_at(ctx: ReadContext, repository: Repository, ref: str | None = None) -> ProjectCommit | None:
    """The commit at a ref, by default the head of the default branch."""
    return commits.find_commit(ctx.world, repository.project, ref or commits.HEAD)


@REPOSITORY.field("branchNames(searchPattern: String!, offset: Int!, limit: Int!): [String!]", since="<=14.0")
def branch_names(
    ctx: ReadContext, repository: Repository, search_pattern: str, offset: int, limit: int
) -> Sequence[str]:
    """The names of the branches that a pattern with `*` matches."""
    names = repositories.open_repository(ctx.world, repository.project).branches()
    return [each for each in names if fnmatchcase(each, search_pattern)][offset : offset + limit]


@REPOSITORY.field("empty: Boolean!")
def empty(ctx: ReadContext, repository: Repository) -> bool:
    """Whether the repository has no commits."""
    return repositories.is_empty(ctx.world, repository.project)


@REPOSITORY.field("diskPath: String", since="<=14.0")
def disk_path(ctx: ReadContext, repository: Repository) -> str | None:
    """Where it is stored, for administrators."""
    project = repository.project
    return repositories.disk_path(project) if can(ctx, Ability.READ_STORAGE, project) else None


@REPOSITORY.field("codeOwnersPath(ref: String): String", since="<=16.2")
def code_owners_path(ctx: ReadContext, repository: Repository, ref: str | None = None) -> str | None:
    """The path of the file that names the owners of code: the first of those where it can be."""
    commit = commits.find_commit(ctx.world, repository.project, ref or commits.HEAD)
    return None if commit is None else code_owners.find_path(ctx.world, repository.project, commit.commit.sha)


@COMMIT.field("id: ID!")
def id_(ctx: ReadContext, commit: ProjectCommit) -> str:
    """The global ID."""
    return global_id(ctx, "Commit", commit.commit.sha)


@COMMIT.field("sha: String!")
def sha(_ctx: ReadContext, commit: ProjectCommit) -> str:
    """The SHA."""
    return commit.commit.sha


@COMMIT.field("title: String")
def title(_ctx: ReadContext, commit: ProjectCommit) -> str:
    """The first line of the message."""
    return commit.commit.title


@COMMIT.field("message: String")
def message(_ctx: ReadContext, commit: ProjectCommit) -> str:
    """The message."""
    return commit.commit.message


@COMMIT.field("authorName: String")
def author_name(_ctx: ReadContext, commit: ProjectCommit) -> str:
    """The name of the author."""
    return commit.commit.author.name


@COMMIT.field("author: User")
def author(ctx: ReadContext, commit: ProjectCommit) -> User | None:
    """The user with the e-mail address of the author."""
    return users.find_by_email(ctx.world, commit.commit.author.email)


DIFF = Type("Diff", "The difference of a file.", since="<=16.3")
DIFF.attributes(
    {"oldPath: String": "The path before.", "newPath: String": "The path after.", "diff: String": "The changed lines."}
)


@frozen
class Difference:
    """The difference of a file, in the words of GraphQL, which has texts for what is true or false."""

    file: DiffOfFile
    diff: str
    old_path: str
    new_path: str


@DIFF.field("newFile: String")
def new_file(_ctx: ReadContext, difference: Difference) -> str:
    """Whether the file is new."""
    return str(difference.file.new_file).lower()


@DIFF.field("deletedFile: String")
def deleted_file(_ctx: ReadContext, difference: Difference) -> str:
    """Whether the file was deleted."""
    return str(difference.file.deleted_file).lower()


@DIFF.field("renamedFile: String")
def renamed_file(_ctx: ReadContext, difference: Difference) -> str:
    """Whether the file was renamed."""
    return str(difference.file.renamed_file).lower()


@DIFF.field("aMode: String", since="<=18.9")
def mode_before(_ctx: ReadContext, difference: Difference) -> str:
    """The mode of the file before."""
    return difference.file.a_mode


@DIFF.field("bMode: String", since="<=18.9")
def mode_after(_ctx: ReadContext, difference: Difference) -> str:
    """The mode of the file after."""
    return difference.file.b_mode


@DIFF.field("tooLarge: String", since="<=18.5")
def too_large(_ctx: ReadContext, difference: Difference) -> str:
    """Whether the lines are left out, because there are too many."""
    return str(difference.file.too_large).lower()


@COMMIT.field("diffs: [Diff!]", since="<=16.3")
def diffs_of_commit(ctx: ReadContext, commit: ProjectCommit) -> Sequence[Difference]:
    """The differences to the first parent."""
    files = repositories.open_repository(ctx.world, commit.project).commit_diff(commit.commit.sha)
    found = diffs.limit_diffs(ctx.world, files)
    return [Difference(file, file.text, file.old_path, file.new_path) for file in found]


@COMMIT.field("authoredDate: Time")
def authored_date(_ctx: ReadContext, commit: ProjectCommit) -> str:
    """Timestamp of the author."""
    return format_time(commit.commit.author)


@COMMIT.field("name: String", since="<=18.5")
@COMMIT.field("fullTitle: String", since="14.5")
def full_title(_ctx: ReadContext, commit: ProjectCommit) -> str:
    """The first line of the message."""
    return commit.commit.title


@COMMIT.field("authorGravatar: String", since="<=18.2")
def author_gravatar(ctx: ReadContext, commit: ProjectCommit) -> str | None:
    """The URL of a picture that follows from the e-mail address of the author."""
    is_enabled = ctx.world.settings.gravatar_enabled
    return urls.generated_avatar_url(ctx, commit.commit.author.email) if is_enabled else None


@COMMIT.field("shortId: String!", since="13.7")
def short_id(_ctx: ReadContext, commit: ProjectCommit) -> str:
    """The first eight digits of the SHA."""
    return commit.commit.sha[:8]


@COMMIT.field("authorEmail: String", since="<=14.9")
def author_email(_ctx: ReadContext, commit: ProjectCommit) -> str:
    """The e-mail address of the author."""
    return commit.commit.author.email


@COMMIT.field("committerName: String", since="<=16.9")
def committer_name(_ctx: ReadContext, commit: ProjectCommit) -> str:
    """The name of the committer."""
    return commit.commit.committer.name


@COMMIT.field("committerEmail: String", since="<=16.9")
def committer_email(_ctx: ReadContext, commit: ProjectCommit) -> str:
    """The e-mail address of the committer."""
    return commit.commit.committer.email


@COMMIT.field("committedDate: Time", since="<=16.9")
def committed_date(_ctx: ReadContext, commit: ProjectCommit) -> str:
    """Timestamp of the committer."""
    return format_time(commit.commit.committer)


@COMMIT.field("webUrl: String!")
def web_url(ctx: ReadContext, commit: ProjectCommit) -> str:
    """The URL of the commit."""
    return f"{urls.project_url(ctx, commit.project)}/-/commit/{commit.commit.sha}"


@COMMIT.field("latestPipeline: Pipeline", until="13.6")
def latest_pipeline(ctx: ReadContext, commit: ProjectCommit) -> Pipeline | None:
    """The newest pipeline of the commit."""
    readable = can(ctx, Ability.READ_PIPELINE, commit.project)
    return pipelines.find_latest_by_commit(ctx.world, commit.project, commit.commit.sha) if readable else None
