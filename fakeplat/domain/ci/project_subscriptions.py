"""Subscriptions to the pipelines of other projects (paid). Source: docs/platform/graphql.md."""

from typing import Final

from fakeplat.core.store.scheduler import ScheduledTask, task_handler
from fakeplat.domain.ci import pipeline_creation
from fakeplat.domain.validation import TAKEN, ValidationErrors
from fakeplat.model.ci import Pipeline, ProjectSubscription
from fakeplat.model.people import User
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext
from fakeplat.policy.features import has_feature

_RUN: Final = "run_project_subscription"
TIER: Final = "premium"


def list_upstream(world: World, project: Project) -> list[ProjectSubscription]:
    """Return the subscriptions of a project, newest first."""
    return list(world.project_subscriptions.where("downstream", project.id).in_reverse())


def list_downstream(world: World, project: Project) -> list[ProjectSubscription]:
    """Return the subscriptions of other projects to a project, newest first."""
    return list(world.project_subscriptions.where("upstream", project.id).in_reverse())


def create(ctx: WriteContext, downstream: Project, upstream: Project, author: User) -> ProjectSubscription:
    """Subscribe a project to the pipelines of a public one; 400 if it is not public or has too many subscriptions."""
    table, limit = ctx.world.project_subscriptions, ctx.world.settings.ci_project_subscriptions
    errors = ValidationErrors()
    is_taken = table.find("pair", (downstream.id, upstream.id)) is not None
    errors.when(is_taken, "upstream_project_id", TAKEN)
    errors.when(upstream.visibility != "public", "upstream_project", "needs to be public")
    is_full = 0 < limit <= len(list_downstream(ctx.world, upstream))
    errors.when(is_full, "base", f"Maximum number of ci project subscriptions ({limit}) exceeded")
    errors.refuse()
    return table.add(ProjectSubscription(table.next_id(), downstream.id, upstream.id, author.id))


def follow_pipeline(ctx: WriteContext, _before: Pipeline, pipeline: Pipeline) -> None:
    """Start the pipelines of subscribed projects when the pipeline of a tag has ended."""
    if not (pipeline.tag and pipeline.is_completed):
        return
    project = ctx.world.projects[pipeline.project_id]
    subscriptions = list_downstream(ctx.world, project)
    if subscriptions and has_feature(ctx.world, TIER, project):
        for subscription in reversed(subscriptions):
            ctx.schedule(_RUN, ("project_subscriptions", subscription.id), ctx.now())


@task_handler(_RUN)
def _run(ctx: WriteContext, task: ScheduledTask) -> None:
    """Create the pipeline of a subscribed project for its default branch. If that is refused, nobody is told."""
    subscription = ctx.world.project_subscriptions[task.subject[1]]
    downstream = ctx.world.projects[subscription.downstream_project_id]
    user = ctx.world.users.get(subscription.author_id or downstream.creator_id or 0)
    if user is None or downstream.default_branch is None:
        return
    ctx.act_as(user)
    with ctx.attempt():
        pipeline_creation.create_pipeline(ctx, downstream, downstream.default_branch, source="pipeline")
