"""Recipes of Conan in paths: their names, and the projects that have them. Source: docs/platform/packages.md."""

from typing import Final

from fakeplat.api.packages.access import get_project
from fakeplat.core.operations.errors import InvalidParams, NotFound, NotFoundWithMessage
from fakeplat.core.operations.operation import Area
from fakeplat.core.operations.scope import NO_SCOPE, Segment
from fakeplat.domain.ci import job_token_scope
from fakeplat.domain.instance import features
from fakeplat.domain.packages import conan, packages
from fakeplat.domain.packages.conan import Recipe
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.behaviours import CONAN_NEEDS_LOGIN, CONAN_RECIPES_WITHOUT_USER, CONAN_REVISIONS
from fakeplat.policy.context import ReadContext

_FLAG: Final = "conan_package_revisions_support"
_NAMES: Final = ("package_name", "package_version", "package_username", "package_channel")
_RECIPE: Final = "/".join(f":{name}" for name in _NAMES)
INSTANCE: Final = "packages/conan/v1"
PROJECT: Final = f"projects/:id/{INSTANCE}"
REVISIONS: Final = "projects/:id/packages/conan/v2"


def _needs_login(world: World) -> bool:
    return world.profile.has(CONAN_NEEDS_LOGIN)


area: Final = Area("Packages (Conan)", login=_needs_login, raw_body=True, deploy_tokens=True, package_token="conan")


def has_revisions(ctx: ReadContext) -> bool:
    """Return whether the platform serves revisions, which earlier releases do if a feature is switched on."""
    return ctx.profile.has(CONAN_REVISIONS) or features.is_enabled(ctx.world, _FLAG)


def check_revisions(ctx: ReadContext) -> None:
    """Raise 404 unless the platform serves revisions."""
    if not has_revisions(ctx):
        reason = f"the feature {_FLAG} is off by default in this release"
        raise NotFoundWithMessage(f"404 '{_FLAG}' feature flag is disabled Not Found", reason=reason)


def _locate_in_instance(ctx: ReadContext, names: tuple[str, str, str, str]) -> Recipe:
    _check_components(ctx, names)
    if names[2] == conan.NONE:
        raise NotFound(reason="the repository of the instance finds projects by the usernames of recipes")
    _check_owner(ctx, *names[2:])
    return _locate(ctx, conan.path_of_username(names[2]), names)


def _locate_in_project(ctx: ReadContext, values: tuple[str, str, str, str, str]) -> Recipe:
    reference, *names = values
    _check_components(ctx, names)
    _check_owner(ctx, *names[2:])
    return _locate(ctx, reference, names)


def _locate_in_revisions(ctx: ReadContext, values: tuple[str, str, str, str, str]) -> Recipe:
    check_revisions(ctx)
    return _locate_in_project(ctx, values)


def _locate(ctx: ReadContext, reference: str, names: tuple[str, ...] | list[str]) -> Recipe:
    return Recipe(get_project(ctx, reference), *names)


def _check_components(ctx: ReadContext, values: tuple[str, ...] | list[str]) -> None:
    may_be_none = ("package_username", "package_channel") if ctx.profile.has(CONAN_RECIPES_WITHOUT_USER) else ()
    invalid = [
        name
        for name, value in zip(_NAMES, values, strict=True)
        if not conan.is_component(value) and not (name in may_be_none and value == conan.NONE)
    ]
    if invalid:
        raise InvalidParams(*(f"{name} is invalid" for name in invalid), reason=f"{'/'.join(values)} is no recipe")


def _check_owner(ctx: ReadContext, username: str, channel: str) -> None:
    if (username == conan.NONE) != (channel == conan.NONE):
        raise packages.build_refusal(
            ctx, f"{'username' if username == conan.NONE else 'channel'} can't be solely blank"
        )


def authorize_recipe(ctx: ReadContext, ability: Ability, recipe: Recipe) -> None:
    """Refuse unless the caller has an ability in the project of a recipe."""
    authorize(ctx, ability, recipe.project)
    job_token_scope.authorize_job(ctx, recipe.project)


IN_INSTANCE: Final = NO_SCOPE / Segment(f"{INSTANCE}/conans/{_RECIPE}", locate=_locate_in_instance)
IN_PROJECT: Final = NO_SCOPE / Segment(f"{PROJECT}/conans/{_RECIPE}", locate=_locate_in_project)
FILES_IN_INSTANCE: Final = NO_SCOPE / Segment(f"{INSTANCE}/files/{_RECIPE}", locate=_locate_in_instance)
FILES_IN_PROJECT: Final = NO_SCOPE / Segment(f"{PROJECT}/files/{_RECIPE}", locate=_locate_in_project)
WITH_REVISIONS: Final = NO_SCOPE / Segment(f"{REVISIONS}/conans/{_RECIPE}", locate=_locate_in_revisions)
"""The scopes of recipes. The function of an operation gets the recipe."""

INSTANCE_ROOT: Final = NO_SCOPE / Segment(INSTANCE)
PROJECT_ROOT: Final = NO_SCOPE / Segment(PROJECT)
REVISIONS_ROOT: Final = NO_SCOPE / Segment(REVISIONS)
"""The scopes of operations that name no recipe; they do not ask whether there is such a project."""
