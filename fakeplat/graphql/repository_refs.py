"""Mutations of branches and tags.

Source: docs/platform/graphql.md, docs/platform/branches.md, docs/platform/tags.md.
"""

from collections.abc import Mapping
from typing import Any, Final

from fakeplat.core.operations.errors import NotFound
from fakeplat.domain.repository import branches, commits, tags
from fakeplat.domain.repository.branches import Branch
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.domain.repository.tags import ProjectTag
from fakeplat.graphql.errors import MutationFailed, collect_errors
from fakeplat.graphql.lookups import require_project
from fakeplat.graphql.schema_builder import Type, mutation
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.context import ReadContext, WriteContext

Payload = Mapping[str, Any]
_SINCE: Final = "<=18.5"
_WHICH: Final = '"""The full path of the project."""\nprojectPath: ID!\n"""The name."""\nname: String!\n'
_GIVES_BRANCH: Final = '"""The branch."""\nbranch: Branch'
_GIVES_TAG: Final = '"""The tag."""\ntag: Tag'

BRANCH = Type("Branch", "A branch.")
BRANCH.attributes({"name: String!": "The name."})
TAG = Type("Tag", "A tag.", since=_SINCE)
TAG.attributes({"name: String!": "The name.", "message: String": "The message."})


@BRANCH.field("commit: Commit")
def commit_of_branch(ctx: ReadContext, branch: Branch) -> ProjectCommit | None:
    """The newest commit."""
    return commits.find_commit(ctx.world, ctx.world.projects[branch.project_id], branch.sha)


@TAG.field("commit: Commit")
def commit_of_tag(ctx: ReadContext, tag: ProjectTag) -> ProjectCommit | None:
    """The commit that it points to."""
    project = ctx.world.projects[tag.project_id]
    return None if tag.commit is None else commits.find_commit(ctx.world, project, tag.commit)


def _require_project(ctx: WriteContext, project_path: str) -> Project:
    project = require_project(ctx, project_path)
    authorize(ctx, Ability.PUSH_CODE, project)
    return project


@mutation(
    "createBranch",
    input_fields=f'{_WHICH}"""Where the branch begins: a branch, a tag or a commit."""\nref: String!',
    payload_fields=_GIVES_BRANCH,
)
def create_branch(ctx: WriteContext, project_path: str, name: str, ref: str) -> Payload:
    """Create a branch."""
    project = _require_project(ctx, project_path)
    with collect_errors(branch=None):
        return {"branch": branches.create(ctx, project, name, ref)}


@mutation("branchDelete", input_fields=_WHICH, payload_fields=_GIVES_BRANCH, since=_SINCE)
def branch_delete(ctx: WriteContext, project_path: str, name: str) -> Payload:
    """Delete a branch."""
    project = _require_project(ctx, project_path)
    branch = branches.find_branch(ctx.world, project, name)
    if branch is None:
        raise MutationFailed(["No such branch"], {"branch": None})
    with collect_errors(branch=branch):
        branches.delete(ctx, project, branch)
    return {"branch": None}


@mutation(
    "tagCreate",
    input_fields=f'{_WHICH}"""What the tag points to: a branch, a tag or a commit."""\nref: String!\n'
    '"""The message of an annotated tag."""\nmessage: String',
    payload_fields=_GIVES_TAG,
    since=_SINCE,
)
def tag_create(ctx: WriteContext, project_path: str, name: str, ref: str, message: str | None = None) -> Payload:
    """Create a tag."""
    project = _require_project(ctx, project_path)
    with collect_errors(tag=None):
        return {"tag": tags.create(ctx, project, name, ref, message)}


@mutation("tagDelete", input_fields=_WHICH, payload_fields=_GIVES_TAG, since=_SINCE)
def tag_delete(ctx: WriteContext, project_path: str, name: str) -> Payload:
    """Delete a tag."""
    project = _require_project(ctx, project_path)
    try:
        tag = tags.get_tag(ctx.world, project, name)
    except NotFound:
        raise MutationFailed(["No such tag"], {"tag": None}) from None
    with collect_errors(tag=tag):
        tags.delete(ctx, project, tag)
    return {"tag": None}
