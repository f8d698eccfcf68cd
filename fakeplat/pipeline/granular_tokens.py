"""What the operations need of fine-grained tokens: which permissions, and in which project or group.

``granular_permissions.csv`` has a row for each operation. Source: docs/platform/fine-grained-tokens.md.
"""

import csv
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from fakeplat.core.operations.errors import InsufficientGranularScope, NotFound
from fakeplat.core.operations.operation import PREFIX, Operation
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.people import namespaces
from fakeplat.model.people import Token
from fakeplat.model.projects import Container, Project
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext
from fakeplat.policy.granular_scopes import Boundary, authorize_token, check_enabled

TABLE: Final = Path(__file__).with_name("granular_permissions.csv")
_UNSUPPORTED: Final = "This operation doesn't support fine-grained personal access tokens."
Params = Mapping[str, object]


class Requirement(NamedTuple):
    """What an operation needs: all ``permissions``, within a boundary of one of the kinds in ``access``.

    Permissions are written as in refusals (``Work Item: Read``). An operation without any is open to every token, or
    has credentials of its own. ``public``: what everybody may read needs none.
    """

    access: tuple[str, ...]
    permissions: tuple[str, ...]
    public: bool


@cache
def list_requirements() -> Mapping[str, Requirement]:
    """Return the requirement of each operation."""
    with TABLE.open(encoding="utf-8") as file:
        return {row["operation"]: _parse_requirement(row) for row in csv.DictReader(file)}


def _parse_requirement(row: Mapping[str, str]) -> Requirement:
    permissions = tuple(part for part in row["permissions"].split("; ") if part)
    return Requirement(tuple(row["access"].split()), permissions, bool(row["public"]))


def authorize_operation(ctx: ReadContext, token: Token, operation: Operation, params: Params) -> None:
    """Refuse a fine-grained token that lacks the permissions of an operation.

    ``params`` are the values of the path and the parameters. 404 if the project or group does not exist, or if the
    user of the token does not see it.
    """
    requirement = list_requirements().get(operation.name)
    if requirement is not None and not requirement.permissions:
        return
    check_enabled(ctx, token)
    if requirement is None:
        raise InsufficientGranularScope(_UNSUPPORTED, reason=f"no permission is known for {operation.name}")
    boundaries = list(_find_boundaries(ctx.world, requirement, operation.path, params))
    if not boundaries:
        raise NotFound(reason="the request names no project or group of this world")
    if not (requirement.public and any(_is_open(ctx, operation, boundary) for boundary in boundaries)):
        authorize_token(ctx, token, boundaries, requirement.permissions)


def _is_open(ctx: ReadContext, operation: Operation, boundary: Boundary) -> bool:
    """Return whether an operation is open to anonymous callers in a public project or group."""
    container = boundary.container
    if container is None or container.visibility != "public":
        return False
    ability = operation.ability
    return not isinstance(ability, Ability) or can(ctx.as_anonymous(), ability, container)


def _find_boundaries(world: World, requirement: Requirement, path: str, params: Params) -> Iterator[Boundary]:
    """Yield the boundaries of a request that are of the kinds of the requirement; a project or group comes first."""
    container = _find_container(world, path.removeprefix(f"{PREFIX}/"), params)
    boundary = None if container is None else Boundary.of(container)
    is_contained = boundary is not None and boundary.kind in requirement.access
    if boundary is not None and is_contained:
        yield boundary
    if "user" in requirement.access:
        yield Boundary("user")
    if "instance" in requirement.access and not is_contained:
        yield Boundary("instance")


def _find_container(world: World, path: str, params: Params) -> Container | None:
    """Return the project or group that a request is about, None if it names none."""
    for prefix, find in _BY_PATH.items():
        if path.startswith(prefix):
            name = path.removeprefix(prefix).partition("/")[0]
            return find(world, str(params.get(name, "")))
    named = [find(world, str(params[name])) for name, find in _BY_PARAMETER.items() if params.get(name)]
    return next((container for container in named if container is not None), None)


def _find_project_of_runner(world: World, reference: str) -> Container | None:
    runner = world.runners.get(parse_number(reference) or 0)
    if runner is None:
        return None
    if runner.group_id is not None:
        return namespaces.find_group(world, str(runner.group_id))
    return next((world.projects[row.project_id] for row in world.runner_projects.where("runner", runner.id)), None)


def _find_project_of_images(world: World, reference: str) -> Project | None:
    repository = world.container_repositories.get(parse_number(reference) or 0)
    return None if repository is None else world.projects[repository.project_id]


def _find_project_of_suggestion(world: World, reference: str) -> Project | None:
    suggestion = world.suggestions.get(parse_number(reference) or 0)
    if suggestion is None:
        return None
    kind, id_, *_ = world.notes[suggestion.note_id].subject
    merge_request = world.merge_requests.get(id_) if kind == "merge_request" else None
    return None if merge_request is None else world.projects[merge_request.project_id]


def _find_project_of_conan(world: World, reference: str) -> Project | None:
    return namespaces.find_project(world, reference.replace("+", "/"))


_BY_PATH: Final[Mapping[str, Callable[[World, str], Container | None]]] = {
    "projects/:": namespaces.find_project,
    "groups/:": namespaces.find_group,
    "group/:": namespaces.find_group,
    "namespaces/:": namespaces.find_group,
    "runners/:": _find_project_of_runner,
    "registry/repositories/:": _find_project_of_images,
    "suggestions/:": _find_project_of_suggestion,
}
"""How the start of a path names a project or group; the name of the parameter follows."""
_BY_PARAMETER: Final[Mapping[str, Callable[[World, str], Container | None]]] = {
    "package_username": _find_project_of_conan,
    "module_namespace": namespaces.find_group,
    "project_id": namespaces.find_project,
    "project_path": namespaces.find_project,
    "project": namespaces.find_project,
    "group_id": namespaces.find_group,
    "group_path": namespaces.find_group,
    "target_namespace": namespaces.find_group,
    "namespace": namespaces.find_group,
}
"""How a parameter names it elsewhere."""
