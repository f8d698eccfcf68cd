"""The agents that the jobs of a project may use: its own, and those whose configuration names it or a group of it.

Source: docs/platform/cluster-agents.md. The configuration of an agent is a file at the default
branch of its project, ``.gitlab/agents/<name>/config.yaml``.
"""

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, Final, NamedTuple

from fakeplat.ci_config.documents import FormatError, parse_mapping
from fakeplat.domain.ci import ci_files
from fakeplat.domain.people import namespaces
from fakeplat.domain.repository import repositories
from fakeplat.model.clusters import ClusterAgent
from fakeplat.model.people import Namespace
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.features import has_feature
from fakeplat.policy.levels import ancestors_of

Configuration = Mapping[str, Any]
_FOLDER: Final = ".gitlab/agents"
_USERS: Final = "user_access"
_MAX_ENTRIES: Final = 100
_FREE_ACCESS: Final = ("agent",)
_PAID_ACCESS: Final = (*_FREE_ACCESS, "impersonate", "ci_job", "ci_user")
_NOTHING: Final[Configuration] = {}


class Authorization(NamedTuple):
    """An agent that jobs may use, and how."""

    agent: ClusterAgent
    configuration: Configuration

    @property
    def id(self) -> int:
        """The id of the agent."""
        return self.agent.id


class Circumstances(NamedTuple):
    """What restricts the use of an agent: the environment of the job, and whether its ref is protected."""

    environment: str | None
    is_protected: bool


def list_authorizations(world: World, project: Project) -> list[Authorization]:
    """Return the agents that jobs of a project may use. What is closest to the project decides how."""
    root = namespaces.root_of(world, world.namespaces[project.namespace_id])
    agents = [agent for agent in world.cluster_agents.all() if _is_below(world, agent, root.id)]
    configured = [(agent, _read_configuration(world, agent)) for agent in agents]
    found = [
        *_list_named(world, project, configured, "projects", [namespaces.project_path(world, project)]),
        *(Authorization(agent, _NOTHING) for agent in agents if agent.project_id == project.id),
        *_list_named(world, project, configured, "groups", _list_group_paths(world, project)),
    ]
    by_agent: dict[int, Authorization] = {}
    for authorization in found:
        by_agent.setdefault(authorization.agent.id, authorization)
    return list(by_agent.values())


def select_allowed(authorizations: Sequence[Authorization], at: Circumstances) -> list[Authorization]:
    """Return the authorizations without those that are for other environments, or for protected refs only."""
    return [each for each in authorizations if _admits(each.configuration, at)]


def _admits(configuration: Configuration, at: Circumstances) -> bool:
    patterns = configuration.get("environments")
    if patterns and (at.environment is None or not any(fnmatchcase(at.environment, each) for each in patterns)):
        return False
    return at.is_protected or not configuration.get("protected_branches_only")


def _is_below(world: World, agent: ClusterAgent, root_id: int) -> bool:
    namespace = world.namespaces[world.projects[agent.project_id].namespace_id]
    return namespaces.root_of(world, namespace).id == root_id


def _list_group_paths(world: World, project: Project) -> list[str]:
    """Return the paths of the groups above a project, the closest first."""
    return [namespaces.full_path(world, group) for group in ancestors_of(world, project)]


def _list_named(
    world: World,
    project: Project,
    configured: Sequence[tuple[ClusterAgent, Configuration]],
    kind: str,
    paths: Sequence[str],
) -> Iterator[Authorization]:
    for agent, configuration in configured:
        entries = dict(_list_entries(configuration, kind))
        closest = next((entries[path.lower()] for path in paths if path.lower() in entries), None)
        if closest is not None and _has_access(world, project, closest):
            yield Authorization(agent, closest)


def list_user_authorizations(world: World, project: Project) -> list[Authorization]:
    """Return the agents that Developers of a project may use, as their configurations name it or a group of it."""
    root = namespaces.root_of(world, world.namespaces[project.namespace_id])
    named = {
        "projects": [namespaces.project_path(world, project)],
        "groups": _list_group_paths(world, project),
    }
    configured = [(agent, _read_configuration(world, agent)) for agent in world.cluster_agents.all()]
    return [
        Authorization(agent, _select_identity(configuration))
        for kind, paths in named.items()
        for agent, configuration in configured
        if _is_below(world, agent, root.id)
        if {path.lower() for path in paths} & dict(_list_entries(configuration, kind, _USERS)).keys()
    ]


def find_user_authorization(world: World, agent: ClusterAgent) -> Authorization | None:
    """Return how users may use an agent; None if its configuration names no project or group that there is."""
    configuration = _read_configuration(world, agent)
    own = world.projects[agent.project_id]
    root = namespaces.root_of(world, world.namespaces[own.namespace_id])
    paths = [path for kind in ("projects", "groups") for path in dict(_list_entries(configuration, kind, _USERS))]
    named = [_find_namespace(world, path) for path in paths]
    if not any(each is not None and namespaces.root_of(world, each).id == root.id for each in named):
        return None
    return Authorization(agent, _select_identity(configuration))


def _find_namespace(world: World, path: str) -> Namespace | None:
    """Return the group at a path, or the namespace of the project there."""
    project = namespaces.find_project_by_path(world, path)
    return world.namespaces[project.namespace_id] if project is not None else namespaces.find_by_path(world, path)


def _select_identity(configuration: Configuration) -> Configuration:
    access = configuration[_USERS]
    return {"access_as": access["access_as"]} if "access_as" in access else _NOTHING


def list_configured_names(world: World, project: Project) -> list[str]:
    """Return the names of the agents whose configurations are at the default branch of a project."""
    git, branch = repositories.open_repository(world, project), project.default_branch or ""
    folder = git.entry(branch, _FOLDER) if git.find_branch(branch) else None
    if folder is None or folder.kind != "tree":
        return []
    names = [entry.name for entry in git.tree(branch, _FOLDER) if entry.kind == "tree"]
    return [name for name in names if git.entry(branch, _path_of(name)) is not None]


def _path_of(name: str) -> str:
    return f"{_FOLDER}/{name}/config.yaml"


def _list_entries(
    configuration: Configuration, kind: str, section: str = "ci_access"
) -> Iterator[tuple[str, Configuration]]:
    access = configuration.get(section)
    entries = access.get(kind) if isinstance(access, dict) else None
    for entry in entries[:_MAX_ENTRIES] if isinstance(entries, list) else ():
        if isinstance(entry, dict) and isinstance(entry.get("id"), str):
            yield entry["id"].lower(), {name: value for name, value in entry.items() if name != "id"}


def _has_access(world: World, project: Project, configuration: Configuration) -> bool:
    """Return whether the tier has the identity with which an agent acts, by default its own."""
    identity = configuration.get("access_as")
    available = _PAID_ACCESS if has_feature(world, "premium", project) else _FREE_ACCESS
    return not isinstance(identity, dict) or not identity or any(name in identity for name in available)


def _read_configuration(world: World, agent: ClusterAgent) -> Configuration:
    """Return the configuration of an agent; an empty one if there is none that can be read."""
    project = world.projects[agent.project_id]
    text = ci_files.read_file_at(world, project, project.default_branch or "HEAD", _path_of(agent.name))
    try:
        return {str(name): value for name, value in parse_mapping(text or "{}", has_references=False).items()}
    except FormatError:
        return _NOTHING
