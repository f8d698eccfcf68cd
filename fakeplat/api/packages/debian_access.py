"""The Debian registries of projects and groups, where a feature is on. Source: docs/platform/packages.md."""

from collections.abc import Callable
from typing import Annotated, Final

from fakeplat.api.packages.access import (
    authorize_or_challenge,
    get_group_of_packages,
    get_group_or_challenge,
    get_project,
    refuse_wrong_password,
    require_password,
)
from fakeplat.core.operations.scope import NO_SCOPE, Scope, Segment
from fakeplat.core.params.params import Check
from fakeplat.domain.instance import features
from fakeplat.domain.packages import debian
from fakeplat.model.people import Group
from fakeplat.model.projects import Container, Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.context import ReadContext

Distribution = Annotated[str, Check(lambda name: None if debian.DISTRIBUTION.fullmatch(name) else "is invalid")]
Component = Annotated[str, Check(lambda name: None if debian.COMPONENT.fullmatch(name) else "is invalid")]


def require_feature(ctx: ReadContext, container: Container) -> None:
    """Refuse with 404 unless the feature is on, which it is not by default."""
    name = "debian_group_packages" if isinstance(container, Group) else "debian_packages"
    features.check_enabled(ctx.world, name, container)


def _get_project(ctx: ReadContext, reference: str) -> Project:
    project = get_project(ctx, reference)
    require_feature(ctx, project)
    authorize(ctx, Ability.READ_PACKAGE, project)
    return project


def _get_group(ctx: ReadContext, reference: str) -> Group:
    group = get_group_of_packages(ctx, reference)
    require_feature(ctx, group)
    authorize(ctx, Ability.READ_PACKAGE, group)
    return group


def _get_challenged_project(ctx: ReadContext, reference: str) -> Project:
    refuse_wrong_password(ctx)
    project = authorize_or_challenge(ctx, reference, Ability.READ_PACKAGE)
    require_feature(ctx, project)
    return project


def _get_challenged_group(ctx: ReadContext, reference: str) -> Group:
    refuse_wrong_password(ctx)
    group = get_group_or_challenge(ctx, reference)
    require_feature(ctx, group)
    authorize(ctx, Ability.READ_PACKAGE, group)
    return group


def _signed_in(locate: Callable[[ReadContext, str], Container]) -> Callable[[ReadContext, str], Container]:
    """Return a function that finds the same, and then asks anonymous callers for a password."""

    def locate_signed_in(ctx: ReadContext, reference: str) -> Container:
        container = locate(ctx, reference)
        require_password(ctx)
        return container

    return locate_signed_in


DISTRIBUTIONS: Final[tuple[Scope, Scope]] = (
    NO_SCOPE / Segment("projects/:id", locate=_get_project, word="project"),
    NO_SCOPE / Segment("groups/:id/-", locate=_get_group, word="group"),
)
CHANGED_DISTRIBUTIONS: Final[tuple[Scope, Scope]] = (
    NO_SCOPE / Segment("projects/:id", locate=_signed_in(_get_project), word="project"),
    NO_SCOPE / Segment("groups/:id/-", locate=_signed_in(_get_group), word="group"),
)
"""Where distributions are read and changed."""
UPLOADS: Final = NO_SCOPE / Segment("projects/:id", locate=_signed_in(_get_challenged_project), word="project")
PROJECT: Final = NO_SCOPE / Segment("projects/:id", locate=_get_challenged_project, word="project")
GROUP: Final = NO_SCOPE / Segment("groups/:id/-", locate=_get_challenged_group, word="group")
REPOSITORIES: Final[tuple[Scope, Scope]] = (PROJECT, GROUP)
"""Where apt and dput find their repositories."""
