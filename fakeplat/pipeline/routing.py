"""Routing: the operation of a request, or the refusal for a path, method, release or tier that is not served."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache, partial
from typing import Final

from fakeplat import catalog
from fakeplat.api import UNBUILT_ROUTES
from fakeplat.catalog.unbuilt import unbuilt_operations
from fakeplat.core.operations.errors import Gone, PageNotAllowed, Refusal, RouteNotFound
from fakeplat.core.operations.http_messages import Request
from fakeplat.core.operations.operation import OPERATIONS, PREFIX, SCIM_PREFIX, LazyRoute, Operation
from fakeplat.core.operations.router import Match, Router
from fakeplat.core.release import EVERYTHING, Profile
from fakeplat.model.instance import Instance
from fakeplat.model.world import World
from fakeplat.policy.documented import Ruling

_PARAMETER: Final = re.compile(r"(?<=/)[:*]\w+")
_ALL_PAGES: Final = "/*path"
_SECTION: Final = "/-/:section"


@cache
def _router(profile: Profile, *, api: bool, stale_count: int) -> Router[LazyRoute]:  # noqa: ARG001 - part of the key
    """Return a release's router of the API, or of all other paths. ``stale_count`` only invalidates the cache."""
    built = list(OPERATIONS.lazy_routes())
    # What has been built since the table was generated is in it twice.
    paths = {(route.method, route.path) for route in built}
    unbuilt = [route for route in UNBUILT_ROUTES if (route.method, route.path) not in paths]
    routes = [
        route for route in (*built, *unbuilt) if route.path.startswith("/api/") == api and profile.has(route.lifetime)
    ]
    return _build_router(routes)


def _build_router(routes: Sequence[LazyRoute]) -> Router[LazyRoute]:
    digits = [(route.path, name) for route in routes for name in route.digits]
    endings = [(route.path, ending) for route in routes for ending in route.endings]
    dashed = [(route.path, route.dashed) for route in routes if route.dashed]
    return Router(routes, digits, endings, dashed)


def _match(method: str, path: str, profile: Profile) -> Match[LazyRoute]:
    """Match a request to a route of a release, and import its module; all modules if no release has such a route."""
    # An import may show that the stored lazy routes are out of date. The router that matched was then built from
    # wrong routes, so the match is repeated with a new one.
    while True:
        stale_count = OPERATIONS.stale_count
        match = _match_stored(method, path, profile)
        route = match.route or _match_stored(method, path, EVERYTHING).route
        if route is None:
            OPERATIONS.load_all()
        elif route.module:
            OPERATIONS.load(route.name)
        if OPERATIONS.stale_count == stale_count:
            return match


@lru_cache(512)  # a client writes to few paths: a project's issues, an alert's endpoint
def _match_operation(
    method: str,
    path: str,
    profile: Profile,
    stale_count: int,  # noqa: ARG001 - part of the key
) -> Match[Operation]:
    """Match a request to an operation of a release."""
    route, texts, allowed = _match(method, path, profile)
    if route is None or not route.module or _is_of_other_release(method, path, route):
        return Match(None, {}, allowed)
    return Match(OPERATIONS[route.name], texts)


def _match_stored(method: str, path: str, profile: Profile) -> Match[LazyRoute]:
    router = _router(profile, api=path.startswith("/api/"), stale_count=OPERATIONS.stale_count)
    return router.match(method, path)


def route(request: Request, world: World) -> tuple[Operation, Mapping[str, str]]:
    """Return the operation and the texts of its path parameters; raise a refusal if no route matches."""
    operation, texts, allowed = _match_operation(request.method, request.path, world.profile, OPERATIONS.stale_count)
    if operation is None:
        raise _refuse_route(request, world, allowed)
    if lacks_tier(operation, world.instance):
        raise _refuse_tier(operation, world.instance)
    return operation, texts


def _is_of_other_release(method: str, path: str, route: LazyRoute) -> bool:
    """Return whether only a route of many pages has a path for which another release has one of its own."""
    if route.path != _ALL_PAGES and not route.path.endswith(_SECTION):
        return False
    other = _match_stored(method, path, EVERYTHING).route
    return other is not None and other.path != route.path


def lacks_tier(operation: Operation, instance: Instance) -> bool:
    """Return whether an instance refuses an operation for its tier, before it locates any records."""
    # On the hosted offering the tier depends on the namespace, so it is checked when that is located.
    tier = operation.tier_in(instance.profile)
    if not tier or instance.hosted or instance.has(tier):
        return False
    return not catalog.is_located_below_tier(operation.name)


def _refuse_tier(operation: Operation, instance: Instance) -> Refusal:
    tier = operation.tier_in(instance.profile)
    reason = f"{operation.name} requires the tier {tier}; instance.tier is {instance.tier}"
    return catalog.tier_refusal(operation.name, reason)


def _refuse_route(request: Request, world: World, allowed: Sequence[str]) -> Refusal:
    instance = world.instance
    if request.path.startswith("/api/v3/"):
        return Gone()
    refusal = catalog.refusal(instance, request.method, request.path)
    if refusal is not None:
        return refusal
    other = _match_stored(request.method, request.path, EVERYTHING).route
    other_or_unbuilt = other or catalog.find_unbuilt(request.method, request.path)
    if other_or_unbuilt is not None:
        name, lifetime = other_or_unbuilt.name, other_or_unbuilt.lifetime
        return RouteNotFound(reason=partial(catalog.explain_missing_in_release, name, lifetime, instance))
    allowed = sorted({*allowed, *catalog.unbuilt_methods(instance, request.path)})
    if request.path.startswith((PREFIX, SCIM_PREFIX)) and allowed:
        methods = ", ".join(sorted({*allowed, "HEAD"} if "GET" in allowed else allowed))
        reason = f"{request.path} allows {methods}, not {request.method}"
        # The platform's API ends with a route of all paths and methods; that of SCIM does not.
        if request.path.startswith(PREFIX) and not Ruling.OTHER_METHODS_ARE_NOT_ALLOWED.holds(world):
            return RouteNotFound(reason=reason)
        return PageNotAllowed("405 Not Allowed", reason=reason, headers=(("Allow", methods),))
    return RouteNotFound(reason=partial(catalog.explain_unknown_path, request.method, request.path))


def find_taken_routes() -> Iterator[LazyRoute]:
    """Yield the routes of unbuilt operations whose requests a built one would take; see `UNBUILT_ROUTES`."""
    built = _build_router([route for route in OPERATIONS.lazy_routes() if route.path.startswith("/api/")])
    for operation in unbuilt_operations():
        paths = (_PARAMETER.sub(value, operation.path) for value in ("1", "x"))
        if any(built.match(operation.method, path).route is not None for path in paths):
            route = LazyRoute("", operation.name, operation.method, operation.path)
            yield route._replace(since=operation.since, until=operation.until)
