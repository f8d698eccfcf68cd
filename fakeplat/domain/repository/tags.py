"""Tags: list, create and delete. Source: docs/platform/tags.md."""

import re
from collections.abc import Mapping
from functools import cmp_to_key, partial
from typing import TYPE_CHECKING, Final, Literal

from fakeplat.core.operations.errors import BadRequest, NotFound
from fakeplat.core.operations.reasons import list_names
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.repository import protection, repositories
from fakeplat.domain.repository.repositories import git_person
from fakeplat.model.projects import Project
from fakeplat.model.repository import TAGS
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, caller_name
from fakeplat.policy.behaviours import MAINTAINERS_DELETE_PROTECTED_TAGS
from fakeplat.policy.context import WriteContext

if TYPE_CHECKING:
    from fakeplat.git.records import Person
    from fakeplat.git.repository import Repository as Git

_SIGNATURES: Final[Mapping[str, Literal["PGP", "X509", "SSH"]]] = {
    "-----BEGIN PGP SIGNATURE-----": "PGP",
    "-----BEGIN SIGNED MESSAGE-----": "X509",
    "-----BEGIN SSH SIGNATURE-----": "SSH",
}
_VERSION_PARTS: Final = re.compile("[0-9]+|[A-Za-z]+")


@frozen
class ProjectTag:
    """A tag of a project and what it points to: a commit, or an annotated tag that leads to ``commit``.

    ``commit`` is None if the tag leads to no commit, ``message`` if it is not annotated.
    """

    project_id: int
    name: str
    target: str
    commit: str | None
    message: str | None
    tagger: "Person | None" = None


def _compare_versions(one: str, other: str) -> int:
    """Compare the names of tags as versions: negative if the first is the lower one.

    Numbers are compared as such and are higher than words. What follows a version is lower than it if it begins with a
    word (``1.0-rc1``), and higher if it begins with a number (``1.0.1``).
    """
    parts, other_parts = _VERSION_PARTS.findall(one), _VERSION_PARTS.findall(other)
    for part, other_part in zip(parts, other_parts, strict=False):
        rank, other_rank = _rank_part(part), _rank_part(other_part)
        if rank != other_rank:
            return -1 if rank < other_rank else 1
    longer = parts[len(other_parts) :] or other_parts[len(parts) :]
    if not longer:
        return 0
    return 1 if longer[0].isdigit() == (len(parts) > len(other_parts)) else -1


def _rank_part(part: str) -> tuple[bool, int, str]:
    return (True, int(part), "") if part.isdigit() else (False, 0, part)


version_order: Final = cmp_to_key(_compare_versions)
"""The key by which names of tags are sorted as versions."""


def list_tags(world: World, project: Project) -> list[ProjectTag]:
    """Return all tags, by name."""
    git = repositories.open_repository(world, project)
    return [_read_tag(project, git, name) for name in git.tags()]


def find_tag(world: World, project: Project, name: str) -> ProjectTag | None:
    """Return the tag with a name, or None."""
    git = repositories.open_repository(world, project)
    return _read_tag(project, git, name) if TAGS + name in git.refs else None


def get_tag(world: World, project: Project, name: str) -> ProjectTag:
    """Return the tag with a name, or raise 404."""
    tag = find_tag(world, project, name)
    if tag is None:
        raise NotFound("Tag", reason=partial(_no_tag_reason, repositories.open_repository(world, project), name))
    return tag


def _no_tag_reason(git: "Git", name: str) -> str:
    return f"there is no tag {name!r}; existing tags: {list_names([*git.tags()])}"


def _read_tag(project: Project, git: "Git", name: str) -> ProjectTag:
    ref = TAGS + name
    annotated = git.tag(name)
    message = None if annotated is None else annotated.message.rstrip("\n")
    tagger = None if annotated is None else annotated.tagger
    return ProjectTag(project.id, name, git.refs[ref], git.names.find_commit(ref), message, tagger)


def find_signature_type(tag: ProjectTag) -> Literal["PGP", "X509", "SSH"] | None:
    """Return the kind of signature that ends the message of an annotated tag; None without one."""
    beginning = next((text for text in _SIGNATURES if tag.message is not None and text in tag.message), None)
    return None if beginning is None else _SIGNATURES[beginning]


def updated_at(world: World, project: Project, tag: ProjectTag) -> int:
    """Return the commit time of a tag's commit in seconds since 1970; 0 if it leads to none."""
    if tag.commit is None:
        return 0
    return repositories.open_repository(world, project).objects.commit(tag.commit).committer.when


def create(ctx: WriteContext, project: Project, name: str, revision: str, message: str | None = None) -> ProjectTag:
    """Create a tag at a revision; with a message it is annotated, with the caller as tagger."""
    from fakeplat.git import writing
    from fakeplat.git.errors import BadName, UnknownRevision
    from fakeplat.git.name_checks import check_tag, find_conflicting_ref

    git = repositories.open_repository(ctx.world, project)
    try:
        ref = check_tag(name)
    except BadName:
        raise BadRequest("Tag name invalid", reason=f"{name!r} is not a valid tag name in git") from None
    if name == "HEAD":
        raise BadRequest("Tag name invalid", reason="HEAD is reserved for the default branch")
    if ref in git.refs:
        raise BadRequest(f"Tag {name} already exists", reason=f"tag {name!r} is at {git.refs[ref]}")
    conflicting = find_conflicting_ref(ref, git.refs)
    if conflicting is not None:
        raise BadRequest(
            "Tag name invalid", reason=f"the ref {conflicting} conflicts: a ref cannot be a folder of other refs"
        )
    try:
        sha = git.resolve(revision)
    except UnknownRevision:
        raise BadRequest(
            f"Target {revision} is invalid", reason=f"{revision!r} is no branch, tag or visible commit"
        ) from None
    # After everything else, because the platform checks protection in the hook that runs when the ref moves.
    if not protection.can_create_tag(ctx, project, name):
        rules = ", ".join(rule.name for rule in protection.list_tag_rules(ctx.world, project, name))
        raise BadRequest(
            protection.CANNOT_CREATE_TAG,
            reason=f"{name!r} is protected by {rules}, which does not admit {caller_name(ctx)}",
        )
    if message:
        sha = writing.tag(git.objects, name, sha, message, git_person(ctx, ctx.signed_in_user))
    repositories.move_refs(ctx, project, {ref: sha}, ctx.user)
    return get_tag(ctx.world, project, name)


def delete(ctx: WriteContext, project: Project, tag: ProjectTag) -> None:
    """Delete a tag; a protected one is refused by 400, in later releases by 403 for callers below Maintainer."""
    rules = protection.list_tag_rules(ctx.world, project, tag.name)
    if rules and ctx.profile.has(MAINTAINERS_DELETE_PROTECTED_TAGS):
        authorize(ctx, Ability.ADMIN_PROTECTED, project)
    elif rules:
        raise BadRequest(
            protection.CANNOT_DELETE_TAG, reason=f"{tag.name!r} is protected by {rules[0].name!r}; unprotect it first"
        )
    repositories.move_refs(ctx, project, {TAGS + tag.name: None}, ctx.user)
