"""The instance: statistics, background jobs and avatars. Source: docs/platform/version-and-metadata.md."""

from typing import Any, Final

from fakeplat.core.operations.errors import Forbidden
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params
from fakeplat.domain.people import users
from fakeplat.entities import urls
from fakeplat.model.people import Group
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext

area: Final = Area("Instance", login=Login.ALWAYS, located_first=True)
metrics: Final = Area("Sidekiq metrics", login=Login.ALWAYS)
open_area: Final = Area("Instance", login=Login.NEVER)
_ROOT_ID: Final = 1


@area.operation("GET", "application/statistics", ability=Ability.READ_INSTANCE)
def get_application_statistics(ctx: ReadContext) -> dict[str, str]:
    """Get the numbers of records on the instance."""
    world = ctx.world
    counts = {
        "forks": sum(project.forked_from_id is not None for project in world.projects.all()),
        "issues": len(world.issues),
        "merge_requests": len(world.merge_requests),
        "notes": len(world.notes),
        "snippets": len(world.snippets),
        "ssh_keys": len(world.ssh_keys) + len(world.deploy_keys),
        "milestones": len(world.milestones),
        "users": len(world.users),
        "projects": len(world.projects),
        "groups": sum(isinstance(namespace, Group) for namespace in world.namespaces.all()),
        "active_users": users.count_active(world),
    }
    return {name: f"{count:,}" for name, count in counts.items()}


@area.operation("GET", "geo_nodes", ability=Ability.READ_INSTANCE, tier="premium")
def list_geo_nodes(_ctx: ReadContext) -> list[dict[str, Any]]:
    """List the Geo nodes: there are none."""
    return []


def _queues() -> dict[str, Any]:
    return {"queues": {"default": {"backlog": 0, "latency": 0}}}


def _processes(ctx: ReadContext) -> dict[str, Any]:
    # Scheduled tasks run with the clock, so the only process is never busy.
    return {
        "processes": [
            {
                "hostname": ctx.hostname,
                "pid": 1,
                "tag": "sidekiq",
                "started_at": ctx.world.users[_ROOT_ID].created_at,
                "queues": ["default"],
                "labels": [],
                "concurrency": 1,
                "busy": 0,
            }
        ]
    }


def _jobs() -> dict[str, Any]:
    return {"jobs": {"processed": 0, "failed": 0, "enqueued": 0, "dead": 0}}


@metrics.operation("GET", "sidekiq/queue_metrics", ability=Ability.READ_INSTANCE)
def get_sidekiq_queue_metrics(_ctx: ReadContext) -> dict[str, Any]:
    """Get the queues of background jobs."""
    return _queues()


@metrics.operation("GET", "sidekiq/process_metrics", ability=Ability.READ_INSTANCE)
def get_sidekiq_process_metrics(ctx: ReadContext) -> dict[str, Any]:
    """Get the processes that work on background jobs."""
    return _processes(ctx)


@metrics.operation("GET", "sidekiq/job_stats", ability=Ability.READ_INSTANCE)
def get_sidekiq_job_stats(_ctx: ReadContext) -> dict[str, Any]:
    """Get the numbers of background jobs."""
    return _jobs()


@metrics.operation("GET", "sidekiq/compound_metrics", ability=Ability.READ_INSTANCE)
def get_sidekiq_compound_metrics(ctx: ReadContext) -> dict[str, Any]:
    """Get queues, processes and numbers of background jobs."""
    return {**_queues(), **_processes(ctx), **_jobs()}


class GetAvatar(Params):
    """The public email address of a user, and the size of a generated image in pixels."""

    email: str
    size: int | None = None


@open_area.operation("GET", "avatar", params=GetAvatar, refusals=(403,))
def get_avatar(ctx: ReadContext, p: GetAvatar) -> dict[str, str | None]:
    """Get the URL of the avatar for an email address."""
    if ctx.viewer is None and "public" in ctx.world.settings.restricted_visibility_levels:
        raise Forbidden("Unauthorized access", reason="public profiles are restricted, and nobody is signed in")
    user = next((user for user in ctx.world.users.all() if p.email and user.public_email == p.email), None)
    uploaded = urls.avatar_url(ctx, "user", user.id, user.avatar) if user else None
    if uploaded or not ctx.world.settings.gravatar_enabled:
        return {"avatar_url": uploaded}
    # Images are generated for screens with two dots per pixel.
    size = 2 * (p.size if p.size and p.size > 0 else _AVATAR_SIZE)
    return {"avatar_url": urls.generated_avatar_url(ctx, p.email, size)}


_AVATAR_SIZE: Final = 40
