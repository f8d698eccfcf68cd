"""Where runners can be installed, and how. Source: docs/platform/graphql.md."""

from collections.abc import Sequence
from typing import Final, TypedDict, Unpack

from graphql import GraphQLError

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.ci import runner_platforms
from fakeplat.domain.ci.runner_platforms import Architecture, Platform
from fakeplat.graphql.schema_builder import QUERY, Type
from fakeplat.policy.context import ReadContext

_SINCE: Final = "<=13.6"
_IDS: Final = "<=14.3"
PLATFORM: Final = Type("RunnerPlatform", "Where runners can be installed.", since=_SINCE)
PLATFORM.attributes({"name: String!": "The name.", "humanReadableName: String!": "The name for people."})
ARCHITECTURE: Final = Type("RunnerArchitecture", "A kind of machines.", since=_SINCE)
ARCHITECTURE.attributes({"name: String!": "The name.", "downloadLocation: String!": "The address of the program."})
SETUP: Final = Type("RunnerSetup", "How to install and register a runner.", since=_SINCE)
SETUP.attributes(
    {"installInstructions: String!": "How to install it.", "registerInstructions: String": "How to register it."}
)


@frozen
class RunnerSetup:
    """How to install and register a runner."""

    install_instructions: str
    register_instructions: str | None


@QUERY.field("runnerPlatforms: RunnerPlatformConnection", since=_SINCE)
def list_platforms(_ctx: ReadContext) -> Sequence[Platform]:
    """Where runners can be installed."""
    return runner_platforms.PLATFORMS


@PLATFORM.field("architectures: RunnerArchitectureConnection")
def architectures_of(_ctx: ReadContext, platform: Platform) -> Sequence[Architecture] | None:
    """The kinds of machines; null for containers."""
    return platform.architectures or None


class Owner(TypedDict, total=False):
    """Arguments that have no effect: the commands are the same for all."""

    project_id: str | None
    group_id: str | None


@QUERY.field(
    f'runnerSetup(platform: String!, architecture: String!, projectId: ProjectID @lifetime(since: "{_IDS}"), '
    f'groupId: GroupID @lifetime(since: "{_IDS}")): RunnerSetup',
    since=_SINCE,
)
def setup(ctx: ReadContext, platform: str, architecture: str, **_owner: Unpack[Owner]) -> RunnerSetup:
    """How to install and register a runner."""
    found = runner_platforms.find_platform(platform)
    if found is None:
        raise GraphQLError("Invalid OS")
    installation = runner_platforms.find_installation(found, architecture)
    if installation is None:
        raise GraphQLError("Architecture not found for OS")
    return RunnerSetup(installation, runner_platforms.find_registration(found, ctx.origin))
