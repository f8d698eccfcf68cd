"""The branches and tags that contain a commit. Source: docs/platform/graphql.md."""

from typing import Final

from graphql import GraphQLError

from fakeplat.domain.repository import commits, repositories
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Type
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext

_SINCE: Final = "16.0"
_MOST: Final = 1000
_LIMIT: Final = "limit: Int! = 100"
_OUT_OF_RANGE: Final = f"limit must be within 1..{_MOST}"
NAMES: Final = Type("CommitParentNames", "The names of branches or tags.", since=_SINCE)
REFERENCES: Final = Type("CommitReferences", "The branches and tags that contain a commit.", since=_SINCE)


@NAMES.field("names: [String!]")
def names(_ctx: ReadContext, found: list[str]) -> list[str]:
    """The names."""
    return found


@PROJECT.field("commitReferences(commitSha: String!): CommitReferences", since=_SINCE)
def commit_references(ctx: ReadContext, project: Project, commit_sha: str) -> ProjectCommit | None:
    """The branches and tags that contain a commit, for those who may read the code."""
    return commits.find_commit(ctx.world, project, commit_sha) if can(ctx, Ability.DOWNLOAD_CODE, project) else None


def _list_tipping(ctx: ReadContext, commit: ProjectCommit, kind: str) -> list[str]:
    git = repositories.open_repository(ctx.world, commit.project)
    heads = git.branches() if kind == "branch" else {name: git.resolve(f"refs/tags/{name}") for name in git.tags()}
    return sorted(name for name, sha in heads.items() if sha == commit.commit.sha)


def _require_limit(limit: int) -> int:
    if not 1 <= limit <= _MOST:
        raise GraphQLError(_OUT_OF_RANGE)
    return limit


def _declare(kind: str, plural: str) -> None:
    @REFERENCES.field(f"tipping{plural}({_LIMIT}): CommitParentNames")
    def tipping(ctx: ReadContext, commit: ProjectCommit, limit: int) -> list[str]:
        """Those that point to the commit."""
        return _list_tipping(ctx, commit, kind)[: _require_limit(limit)]

    @REFERENCES.field(f"containing{plural}(excludeTipped: Boolean! = false, {_LIMIT}): CommitParentNames")
    def containing(ctx: ReadContext, commit: ProjectCommit, exclude_tipped: bool, limit: int) -> list[str]:
        """Those that contain the commit, also without those that point to it."""
        found = [ref.name for ref in commits.list_containing_refs(ctx.world, commit) if ref.type == kind]
        # As on the platform, the limit counts what is left out then.
        shown, excluded = found[: _require_limit(limit)], _list_tipping(ctx, commit, kind) if exclude_tipped else ()
        return [name for name in shown if name not in excluded]


_declare("branch", "Branches")
_declare("tag", "Tags")
