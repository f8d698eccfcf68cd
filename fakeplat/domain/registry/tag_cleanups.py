"""Deletion of tags in bulk, by their names, their number and their age. Source: docs/platform/registry.md."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from fakeplat.core import durations
from fakeplat.core.operations.errors import BadRequest
from fakeplat.core.regexps import RegexpError, compile_regexp
from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.scheduler import ScheduledTask, task_handler
from fakeplat.core.timestamps import HOUR, SECOND, to_iso
from fakeplat.domain.purging import purge
from fakeplat.domain.registry import container_repositories, tag_protection_rules
from fakeplat.domain.registry.container_repositories import subject_of
from fakeplat.model.registry import ContainerRepository, ContainerTag
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import WriteContext

_CLEANUP: Final = "cleanup_container_tags"
_ALWAYS_KEPT: Final = "latest"
_TOO_EARLY: Final = (
    "This request has already been made. You can run this at most once an hour for a given container repository"
)


@frozen
class CleanupCriteria:
    """Which tags to delete: those whose names match ``name_regex``, with exceptions.

    ``name_regex_keep``: names to keep. ``keep_n``: the number of newest matching tags to keep. ``older_than``: an age
    in words (``1month``); younger tags are kept.
    """

    name_regex: str | None = None
    name_regex_keep: str | None = None
    keep_n: int | None = None
    older_than: str | None = None


class _InvalidCriteria(Exception):
    """Criteria with which the platform's worker fails."""


def request_cleanup(ctx: WriteContext, repository: ContainerRepository, criteria: CleanupCriteria) -> None:
    """Delete tags in the background in the name of the caller; 400 if that was requested within the last hour."""
    if ctx.now() < repository.cleanup_leased_until:
        until = to_iso(repository.cleanup_leased_until)
        raise BadRequest(
            _TOO_EARLY, reason=f"the next bulk deletion in repository {repository.id} is possible at {until}"
        )
    ctx.world.container_repositories.change(repository, cleanup_leased_until=ctx.now() + HOUR)
    _schedule(ctx, repository, criteria, user_id=ctx.signed_in_user.id)


def start_policy_cleanup(ctx: WriteContext, repository: ContainerRepository, policy: Mapping[str, Any]) -> None:
    """Delete the tags that the cleanup policy of the project selects."""
    criteria = CleanupCriteria(
        policy.get("name_regex"), policy.get("name_regex_keep"), policy.get("keep_n"), policy.get("older_than")
    )
    ctx.world.container_repositories.change(repository, cleanup_policy_started_at=ctx.now_iso)
    _schedule(ctx, repository, criteria, user_id=None)


def _schedule(
    ctx: WriteContext, repository: ContainerRepository, criteria: CleanupCriteria, *, user_id: int | None
) -> None:
    at = ctx.now() + container_repositories.DELAY
    ctx.schedule(_CLEANUP, subject_of(repository), at, in_progress=True, criteria=criteria, user_id=user_id)


@task_handler(_CLEANUP)
def _clean_up_when_due(ctx: WriteContext, task: ScheduledTask) -> None:
    repository = ctx.world.container_repositories[task.subject[1]]
    if not container_repositories.is_allowed(ctx, task, Ability.DESTROY_CONTAINER_IMAGE, repository):
        return
    try:
        tags = select_tags(container_repositories.list_tags(ctx.world, repository), task.args["criteria"], ctx.now())
    except _InvalidCriteria:
        # As on the platform, nobody is told, and a run of the policy stays marked as started.
        return
    user_id, project = task.args["user_id"], ctx.world.projects[repository.project_id]
    deleter = ctx if user_id is None else ctx.as_user(ctx.world.users[user_id])
    purge(ctx, *tag_protection_rules.select_unprotected(deleter, project, tags, by_policy=user_id is None))
    if user_id is None:
        ctx.world.container_repositories.change(repository, cleanup_policy_started_at=None)


def select_tags(tags: Sequence[ContainerTag], criteria: CleanupCriteria, now: int) -> list[ContainerTag]:
    """Return the tags to delete. The tag ``latest`` is never one of them, and does not count for ``keep_n``."""
    selected = _select_by_name([tag for tag in tags if tag.name != _ALWAYS_KEPT], criteria)
    if criteria.keep_n is not None:
        selected = _drop_newest(selected, criteria.keep_n, now)
    return selected if criteria.older_than is None else _select_older(selected, criteria.older_than, now)


def _select_by_name(tags: Sequence[ContainerTag], criteria: CleanupCriteria) -> list[ContainerTag]:
    try:
        # The platform does not put the expression into a group: ``a|b`` matches names that begin with a or end with b.
        # Without an expression, only an empty name matches.
        matches = compile_regexp(rf"\A{criteria.name_regex or ''}\z")
        kept = compile_regexp(rf"\A{criteria.name_regex_keep or ''}\z")
    except RegexpError:
        raise _InvalidCriteria from None
    return [tag for tag in tags if matches.is_in(tag.name) and not kept.is_in(tag.name)]


def _drop_newest(tags: Sequence[ContainerTag], count: int, now: int) -> list[ContainerTag]:
    """Return the tags without the newest; a tag of an unknown age counts as new."""
    if count < 0:
        raise _InvalidCriteria
    return sorted(tags, key=lambda tag: tag.created_at or to_iso(now), reverse=True)[count:]


def _select_older(tags: Sequence[ContainerTag], older_than: str, now: int) -> list[ContainerTag]:
    """Return the tags that are older than a duration; a tag of an unknown age is not."""
    seconds = durations.parse_seconds(older_than)
    if seconds is None:
        raise _InvalidCriteria
    limit = to_iso(now - seconds * SECOND)
    return [tag for tag in tags if tag.created_at is not None and tag.created_at < limit]
