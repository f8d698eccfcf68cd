"""Tokens of jobs, as which jobs call the API and git, and runners report about them.

The platform creates a token with each job; here it is created when it is first needed. It is revoked when the job is
completed, but still identifies the job to runners, which fetch the artifacts of earlier jobs with their tokens.
"""

from hmac import compare_digest

from fakeplat.domain.people import tokens
from fakeplat.domain.people.bots import get_or_create_bot
from fakeplat.model.ci import Job
from fakeplat.model.people import Token
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext


def find(world: World, job: Job) -> Token | None:
    """Return the token of a job, if it has been created."""
    return next(iter(world.tokens.where("job", job.id)), None)


def ensure(ctx: WriteContext, job: Job) -> Token:
    """Return the token of a job, creating it on first use."""
    return find(ctx.world, job) or _create(ctx, job)


def _create(ctx: WriteContext, job: Job) -> Token:
    user = ctx.world.users.get(job.user_id) if job.user_id is not None else None
    # A job whose user was deleted still runs, but has no rights: internal users cannot sign in.
    owner = user or get_or_create_bot(ctx, "ghost")
    project = ctx.world.projects[job.project_id]
    token = tokens.create(ctx, owner, "job", name=f"job {job.id}", scopes=(), project=project, job=job)
    return ctx.world.tokens.change(token, revoked=True) if job.is_completed else token


def identifies(world: World, job: Job, value: str) -> bool:
    """Return whether a value is the token of a job, which may be completed."""
    token = find(world, job)
    return token is not None and compare_digest(token.value.encode(), value.encode(errors="replace"))
