"""Tags: finding, making and removing them. Source: docs/platform/tags.md."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from fakeplat.core.operations.errors import BadRequest, NotFound
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.repository import protection, repositories
from fakeplat.domain.repository.repositories import person
from fakeplat.model.projects import Project
from fakeplat.model.repositories import TAGS
from fakeplat.model.world import World
from fakeplat.policy.context import Doing
from fakeplat.policy.rulings import caller

if TYPE_CHECKING:
    from fakeplat.git.repository import Repository as Git


@frozen
class TagAt:
    """A tag of a project and what it points to: a commit, or an annotated tag that leads to ``commit``.

    ``commit`` is None where a tag leads to no commit; ``message`` where it is not annotated.
    """

    project_id: int
    name: str
    target: str
    commit: str | None
    message: str | None


def every(world: World, project: Project) -> list[TagAt]:
    """All tags, by name."""
    git = repositories.opened(world, project)
    commits = git.names.peeled()
    return [_at(project, git, name, commits) for name in git.tags()]


def get(world: World, project: Project, name: str) -> TagAt:
    """The tag of a name, or 404."""
    git = repositories.opened(world, project)
    if TAGS + name not in git.refs:
        raise NotFound("Tag", reason=f"there is no tag {name!r}; there are: {', '.join(git.tags()) or 'none'}")
    return _at(project, git, name, git.names.peeled())


def _at(project: Project, git: "Git", name: str, commits: Mapping[str, str]) -> TagAt:
    ref = TAGS + name
    annotated = git.tag(name)
    message = None if annotated is None else annotated.message.rstrip("\n")
    return TagAt(project.id, name, git.refs[ref], commits.get(ref), message)


def updated(world: World, project: Project, tag: TagAt) -> int:
    """When a tag's commit was committed, in seconds since 1970; 0 where it leads to none."""
    if tag.commit is None:
        return 0
    return repositories.opened(world, project).objects.commit(tag.commit).committer.when


def create(cx: Doing, project: Project, name: str, revision: str, message: str | None = None) -> TagAt:
    """A tag where a revision stands: annotated if there is a message, by the caller."""
    from fakeplat.git import writing
    from fakeplat.git.errors import BadName, UnknownRevision
    from fakeplat.git.names import check_tag, in_the_way

    git = repositories.opened(cx.world, project)
    try:
        ref = check_tag(name)
    except BadName:
        raise BadRequest("Tag name invalid", reason=f"git takes no tag {name!r}") from None
    if name == "HEAD":
        raise BadRequest("Tag name invalid", reason="HEAD stands for the default branch")
    if ref in git.refs:
        raise BadRequest(f"Tag {name} already exists", reason=f"tag {name!r} is at {git.refs[ref]}")
    other = in_the_way(name, git.tags())
    if other is not None:
        raise BadRequest("Tag name invalid", reason=f"tag {other!r} is in the way: one would be inside the other")
    try:
        sha = git.resolve(revision)
    except UnknownRevision:
        raise BadRequest(
            f"Target {revision} is invalid", reason=f"{revision!r} is no branch, tag or visible commit"
        ) from None
    if not protection.may_create_tag(cx, project, name):
        over = ", ".join(one.name for one in protection.tags_over(cx.world, project, name))
        raise BadRequest(
            protection.NO_NEW_TAG, reason=f"{name!r} is protected by {over}, which does not admit {caller(cx)}"
        )
    if message:
        sha = writing.tag(git.objects, name, sha, message, person(cx, cx.someone))
    repositories.move(cx, project, {ref: sha}, cx.user)
    return get(cx.world, project, name)


def delete(cx: Doing, project: Project, tag: TagAt) -> None:
    """Remove a tag; a protected one is refused."""
    over = protection.tags_over(cx.world, project, tag.name)
    if over:
        raise BadRequest(
            protection.TAG_STAYS, reason=f"{tag.name!r} is protected by {over[0].name!r}; unprotect it first"
        )
    repositories.move(cx, project, {TAGS + tag.name: None}, cx.user)
