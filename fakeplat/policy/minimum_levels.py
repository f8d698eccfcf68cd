"""Levels that rules require for pushing and deleting packages and images. Source: docs/platform/packages.md."""

from collections.abc import Mapping
from typing import Final, Literal

from fakeplat.model.people import Level
from fakeplat.model.projects import Project
from fakeplat.policy.authorization import level_on
from fakeplat.policy.context import ReadContext

_LEVELS: Final[Mapping[str, int]] = {"maintainer": Level.MAINTAINER, "owner": Level.OWNER}
Action = Literal["push", "delete"]


def is_below(ctx: ReadContext, project: Project, minimum: str | None) -> bool:
    """Return whether the caller lacks a minimum access level; administrators never do, deploy tokens always."""
    if not minimum or ctx.admin:
        return False
    # Only administrators have their level.
    return ctx.deploy_token is not None or minimum not in _LEVELS or level_on(ctx, project) < _LEVELS[minimum]
