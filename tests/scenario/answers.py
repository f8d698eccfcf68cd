"""All responses to all implemented GETs of the API, with names in place of ids, to compare two worlds."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice, product
from typing import Any, NamedTuple
from urllib.parse import quote

import orjson

from fakeplat.core.operations.http_messages import JSON, Request, Response
from fakeplat.core.operations.operation import OPERATIONS, PREFIX, Operation
from fakeplat.domain.people.namespaces import full_path, project_path
from fakeplat.model.people import Group
from fakeplat.model.world import World
from fakeplat.pipeline.routing import lacks_tier
from fakeplat.platform import Platform

ANONYMOUS = "nobody"
ABSENT = "no-such-thing"
EVERYTHING = "per_page=100"
QUERIES = {
    "list_users": ("order_by=id&sort=asc", "order_by=updated_at", "with_custom_attributes=true", "external=true"),
    "list_projects": ("order_by=id", "order_by=updated_at", "order_by=last_activity_at&statistics=true", "simple=true"),
    "get_project": ("statistics=true&license=true", "with_custom_attributes=true"),
    "get_user": ("with_custom_attributes=true",),
    "list_groups": ("all_available=true&with_custom_attributes=true", "order_by=id"),
    "list_project_groups": ("with_shared=true",),
    "list_tags": ("order_by=name",),
    "list_commits": ("all=true&with_stats=true",),
    "compare_repository_refs": ("from=v1.0&to=master",),
}
CONTAINERS = {"project": "get_project", "group": "get_group"}
REFS = {
    "branches": ("master", "feature"),
    "tags": ("v1.0",),
    "commits": ("master", "v1.0"),
    "protected_branches": ("master", "release/*"),
    "protected_tags": ("v*",),
}
# Their answers are tokens, which have the ids of the world's own.
ISSUING_TOKENS = {
    "get_package_conan_user_authenticate",
    "get_project_package_conan_user_authenticate",
    "get_package_conan_user_authenticate_by_id",
}
_ID_KEY = re.compile(r"(?!theme_|color_scheme_)(\w+_)?id")
_ID_IN_TEXT = re.compile(
    r"(?<=/projects/)\d+|(?<=/groups/)\d+|(?<=/users/)\d+|(?<=/avatar/)\d+(?=/)|(?<=project_)\d+(?=_bot)"
)


class RequestKey(NamedTuple):
    """A viewer, an operation, the names in its path, and the query."""

    viewer: str
    operation: str
    about: tuple[str, ...]
    query: str


def collect_responses(platform: Platform, viewers: tuple[str, ...]) -> dict[RequestKey, tuple[int, Any]]:
    """Return status and body of every response for each viewer."""
    world, results = platform.view, {}
    names = collect_names(world)
    use_tokens(platform, viewers)
    operations = [*list_get_operations(world)]
    for viewer in viewers:
        token = token_of(world, viewer)
        headers = {"private-token": token} if token else {}
        visible = visible_names(platform, headers, names)
        for operation in operations:
            for about, path in list_paths(operation, names if operation.name in CONTAINERS.values() else visible):
                for query in ("", *QUERIES.get(operation.name, ())):
                    response = platform.handle(Request("GET", path, f"{EVERYTHING}&{query}", headers))
                    content = replace_ids(response_content(response), names)
                    results[RequestKey(viewer, operation.name, about, query)] = (response.status, content)
    return results


def use_tokens(platform: Platform, viewers: Iterable[str]) -> None:
    """Let each viewer send a request, so that later ones do not record a use of their tokens."""
    for viewer in viewers:
        if token := token_of(platform.view, viewer):
            platform.handle(Request("GET", f"{PREFIX}/version", "", {"private-token": token}))


def visible_names(platform: Platform, headers: dict[str, str], names: dict[int, str]) -> dict[int, str]:
    """Return the names without the containers that a viewer cannot see: all of their parts are 404, too."""
    return {
        id_: name
        for id_, name in names.items()
        if (kind := name.partition(" ")[0]) not in CONTAINERS
        or platform.handle(Request("GET", f"{PREFIX}/{kind}s/{id_}", "", headers)).status != 404
    }


def response_content(response: Response) -> Any:
    """Return a response's JSON, or its bytes."""
    is_json = dict(response.headers).get("Content-Type") == JSON
    return orjson.loads(response.body) if is_json and response.body else response.body


def list_get_operations(world: World) -> Iterator[Operation]:
    """Yield those that a world has: what its release or tier lacks is refused, whatever is in the world."""
    # A platform without a workbench has no endpoints.
    return (
        operation
        for operation in OPERATIONS
        if operation.method == "GET" and operation.area.prefix == PREFIX and not operation.area.endpoint
        if operation.name not in ISSUING_TOKENS
        if world.profile.has(operation.lifetime) and not lacks_tier(operation, world.instance)
    )


def token_of(world: World, viewer: str) -> str | None:
    if viewer == ANONYMOUS:
        return None
    user = world.users.find("username", viewer)
    assert user is not None, viewer
    return next(token.value for token in world.tokens.where("user", user.id) if not token.revoked)


def collect_names(world: World) -> dict[int, str]:
    """Return the names of all records by id; ids of different kinds do not overlap."""
    names: dict[int, str] = {}
    for user in world.users.all():
        names[user.id] = "user " + _ID_IN_TEXT.sub("N", user.username)
    for namespace in world.namespaces.all():
        kind = "group" if isinstance(namespace, Group) else "namespace"
        names[namespace.id] = f"{kind} {full_path(world, namespace)}"
    for project in world.projects.all():
        names[project.id] = f"project {project_path(world, project)}"
    return names


def list_paths(operation: Operation, names: dict[int, str]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the paths of an operation for all existing records, and one path if it is about others."""
    parts = operation.path.split("/")
    choices = [
        list_choices(parts[position - 1], part, names) if part[:1] in (":", "*") else {part: ""}
        for position, part in enumerate(parts)
    ]
    selections = product(*(choice.items() for choice in choices))
    # An absent record is absent in every container.
    for selection in islice(selections, 1) if {ABSENT: ABSENT} in choices else selections:
        about = tuple(name for _, name in selection if name)
        yield about, "/".join(text for text, _ in selection)


def list_choices(before: str, parameter: str, names: dict[int, str]) -> dict[str, str]:
    """Return the values of a path parameter, each with its name."""
    kinds = {"users": "user", "members": "user", "all": "user", "projects": "project", "groups": "group"}
    kind = kinds.get(before)
    if before in REFS:
        return {quote(name, safe=""): name for name in (*REFS[before], ABSENT)}
    if before == "custom_attributes":
        return {ABSENT: ABSENT, "team": "team"}
    if kind is None and before != "namespaces":
        return {ABSENT: ABSENT}
    return {str(id_): name for id_, name in names.items() if kind is None or name.startswith(f"{kind} ")}


def replace_ids(value: Any, names: dict[int, str]) -> Any:
    """Return a JSON value with names in place of ids."""
    if isinstance(value, list):
        return [replace_ids(item, names) for item in value]
    if isinstance(value, dict):
        return {key: _replace_value(key, inner, names) for key, inner in value.items()}
    return _ID_IN_TEXT.sub(lambda id_: names.get(int(id_[0]), "N"), value) if isinstance(value, str) else value


def _replace_value(key: str, value: Any, names: dict[int, str]) -> Any:
    if isinstance(value, int) and _ID_KEY.fullmatch(key):
        return names.get(value, "N")
    return replace_ids(value, names)


def compare_values(before: Any, after: Any, location: str = "") -> Iterator[str]:
    """Yield the differences of two values, leaf by leaf."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in {**before, **after}:
            yield from compare_values(before.get(key, ABSENT), after.get(key, ABSENT), f"{location}.{key}")
    elif isinstance(before, list | tuple) and isinstance(after, list | tuple) and len(before) == len(after):
        for number, pair in enumerate(zip(before, after, strict=True)):
            yield from compare_values(*pair, f"{location}[{number}]")
    elif before != after:
        yield f"{location}: {before!r} became {after!r}"
