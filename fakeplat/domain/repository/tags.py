"""Tags: finding, making and removing them. Source: docs/platform/tags.md."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from fakeplat.core.operations.errors import BadRequest, NotFound
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.repository import protection, repositories
from fakeplat.domain.repository.repositories import git_person
from fakeplat.model.projects import Project
from fakeplat.model.repositories import TAGS
from fakeplat.model.world import World
from fakeplat.policy.authorization import caller_name
from fakeplat.policy.context import WriteContext

if TYPE_CHECKING:
    from fakeplat.git.repository import Repository as Git


@frozen
class ProjectTag:
    """A tag of a project and what it points to: a commit, or an annotated tag that leads to ``commit``.

    ``commit`` is None where a tag leads to no commit; ``message`` where it is not annotated.
    """

    project_id: int
    name: str
    target: str
    commit: str | None
    message: str | None


def list_tags(world: World, project: Project) -> list[ProjectTag]:
    """All tags, by name."""
    git = repositories.open_repository(world, project)
    commits = git.names.peeled()
    return [_at(project, git, name, commits) for name in git.tags()]


def get_tag(world: World, project: Project, name: str) -> ProjectTag:
    """The tag of a name, or 404."""
    git = repositories.open_repository(world, project)
    if TAGS + name not in git.refs:
        raise NotFound("Tag", reason=f"there is no tag {name!r}; there are: {', '.join(git.tags()) or 'none'}")
    return _at(project, git, name, git.names.peeled())


def _at(project: Project, git: "Git", name: str, commits: Mapping[str, str]) -> ProjectTag:
    ref = TAGS + name
    annotated = git.tag(name)
    message = None if annotated is None else annotated.message.rstrip("\n")
    return ProjectTag(project.id, name, git.refs[ref], commits.get(ref), message)


def updated_at(world: World, project: Project, tag: ProjectTag) -> int:
    """When a tag's commit was committed, in seconds since 1970; 0 where it leads to none."""
    if tag.commit is None:
        return 0
    return repositories.open_repository(world, project).objects.commit(tag.commit).committer.when


def create(ctx: WriteContext, project: Project, name: str, revision: str, message: str | None = None) -> ProjectTag:
    """A tag where a revision stands: annotated if there is a message, by the caller."""
    from fakeplat.git import writing
    from fakeplat.git.errors import BadName, UnknownRevision
    from fakeplat.git.name_checks import check_tag, find_conflicting_ref

    git = repositories.open_repository(ctx.world, project)
    try:
        ref = check_tag(name)
    except BadName:
        raise BadRequest("Tag name invalid", reason=f"git takes no tag {name!r}") from None
    if name == "HEAD":
        raise BadRequest("Tag name invalid", reason="HEAD stands for the default branch")
    if ref in git.refs:
        raise BadRequest(f"Tag {name} already exists", reason=f"tag {name!r} is at {git.refs[ref]}")
    other = find_conflicting_ref(name, git.tags())
    if other is not None:
        raise BadRequest("Tag name invalid", reason=f"tag {other!r} is in the way: one would be inside the other")
    try:
        sha = git.resolve(revision)
    except UnknownRevision:
        raise BadRequest(
            f"Target {revision} is invalid", reason=f"{revision!r} is no branch, tag or visible commit"
        ) from None
    if not protection.can_create_tag(ctx, project, name):
        over = ", ".join(one.name for one in protection.list_tag_rules(ctx.world, project, name))
        raise BadRequest(
            protection.NO_NEW_TAG, reason=f"{name!r} is protected by {over}, which does not admit {caller_name(ctx)}"
        )
    if message:
        sha = writing.tag(git.objects, name, sha, message, git_person(ctx, ctx.signed_in_user))
    repositories.move_refs(ctx, project, {ref: sha}, ctx.user)
    return get_tag(ctx.world, project, name)


def delete(ctx: WriteContext, project: Project, tag: ProjectTag) -> None:
    """Remove a tag; a protected one is refused."""
    over = protection.list_tag_rules(ctx.world, project, tag.name)
    if over:
        raise BadRequest(
            protection.TAG_STAYS, reason=f"{tag.name!r} is protected by {over[0].name!r}; unprotect it first"
        )
    repositories.move_refs(ctx, project, {TAGS + tag.name: None}, ctx.user)
