"""The projects and groups of records of any kind, and of the global ids and paths that name them."""

import re
from collections.abc import Mapping
from typing import Any, Final

from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.notes import noteables
from fakeplat.domain.people import namespaces
from fakeplat.model.ci import Runner
from fakeplat.model.people import Group
from fakeplat.model.projects import Container, Project
from fakeplat.model.world import World

_GLOBAL_ID: Final = re.compile(r"gid://[a-z]+/(?P<kind>[A-Za-z:]+)/(?P<id>[0-9a-f]+)")
_OWNERS: Final[Mapping[str, str]] = {
    "project_id": "projects",
    "group_id": "namespaces",
    "pipeline_id": "pipelines",
    "job_id": "jobs",
    "state_id": "terraform_states",
    "package_id": "packages",
    "release_id": "releases",
    "incident_id": "issues",
}
"""The fields that name the record to which another one belongs, and the tables of these."""
_SUBJECTS: Final = ("source", "subject")
"""The fields that name it by kind and id."""
_PARTS: Final = ("project", "pipeline", "merge_request", "commit", "entry", "row", "rule")
"""The attributes with records from which what is shown was computed."""
_TABLES: Final[Mapping[str, str]] = {
    "Board": "boards",
    "Ci::Bridge": "jobs",
    "Ci::Build": "jobs",
    "Ci::Pipeline": "pipelines",
    "Ci::PipelineSchedule": "pipeline_schedules",
    "Ci::Processable": "jobs",
    "Ci::Runner": "runners",
    "Ci::Trigger": "triggers",
    "Clusters::Agent": "cluster_agents",
    "CommitStatus": "jobs",
    "ContainerRegistry::Protection::Rule": "container_protection_rules",
    "ContainerRegistry::Protection::TagRule": "container_tag_protection_rules",
    "ContainerRepository": "container_repositories",
    "Deployment": "deployments",
    "DiffNote": "notes",
    "DiscussionNote": "notes",
    "Environment": "environments",
    "Epic": "epics",
    "Group": "namespaces",
    "IncidentManagement::IssuableResourceLink": "resource_links",
    "IncidentManagement::TimelineEvent": "timeline_events",
    "Issue": "issues",
    "Iteration": "iterations",
    "Iterations::Cadence": "iteration_cadences",
    "LegacyDiffNote": "notes",
    "MergeRequest": "merge_requests",
    "Note": "notes",
    "Packages::Package": "packages",
    "Packages::PackageFile": "package_files",
    "Packages::Protection::Rule": "package_protection_rules",
    "Project": "projects",
    "ProjectSnippet": "snippets",
    "Projects::BranchRule": "protected_branches",
    "ProtectedBranch": "protected_branches",
    "Releases::Link": "release_links",
    "Snippet": "snippets",
    "Terraform::State": "terraform_states",
    "WorkItem": "issues",
}
"""The tables of the kinds in global ids."""
_NAMING: Final = (
    "project_path",
    "group_path",
    "namespace_path",
    "project_id",
    "group_id",
    "noteable_id",
    "target_id",
    "note_id",
    "cluster_agent_id",
    "id",
)
"""The arguments of mutations that name a record of a project or group, the first of them that is given."""


def find_container(world: World, record: object) -> Container | None:
    """Return the project or group to which a record of any kind belongs, None for a record of the instance."""
    if isinstance(record, Project | Group):
        return record
    if isinstance(record, Runner):
        return _find_container_of_runner(world, record)
    for owner in _list_owners(world, record):
        if owner is not None:
            return find_container(world, owner)
    return None


def _list_owners(world: World, record: object) -> list[Any]:
    """Return what a record names as that to which it belongs."""
    ids = {name: id_ for name in _OWNERS if (id_ := getattr(record, name, None)) is not None}
    named = [getattr(world, _OWNERS[name]).get(id_) for name, id_ in ids.items()]
    subjects = [subject for name in _SUBJECTS if isinstance(subject := getattr(record, name, None), tuple)]
    return [
        *named,
        *(_find_subject(world, subject) for subject in subjects),
        *(getattr(record, name, None) for name in _PARTS),
    ]


def _find_subject(world: World, subject: noteables.Subject) -> object | None:
    kind, id_, *_ = subject
    if kind == "project":
        return world.projects.get(id_)
    if kind == "group":
        return world.namespaces.get(id_)
    record = noteables.find_record(world, subject)
    return None if record is None else noteables.container_of(world, record)


def _find_container_of_runner(world: World, runner: Runner) -> Container | None:
    """Return the group of a runner, or the first of its projects."""
    if runner.group_id is not None:
        return find_container(world, world.namespaces.get(runner.group_id))
    return next((world.projects[row.project_id] for row in world.runner_projects.where("runner", runner.id)), None)


def find_named_container(world: World, arguments: Mapping[str, object]) -> Container | None:
    """Return the project or group of the record that the arguments of a mutation name, None if there is none."""
    reference = next((str(arguments[name]) for name in _NAMING if arguments.get(name)), "")
    match = _GLOBAL_ID.fullmatch(reference)
    if match is None:
        return namespaces.find_project_by_path(world, reference) or _find_group(world, reference)
    if match["kind"].endswith("Discussion"):
        return find_container(world, next(iter(world.notes.where("discussion", match["id"])), None))
    number = parse_number(match["id"]) or 0
    record = getattr(world, _TABLES[match["kind"]]).get(number) if match["kind"] in _TABLES else None
    # Ids of issues and of epics do not meet.
    if record is None and match["kind"] == "WorkItem":
        record = world.epics.get(number)
    return find_container(world, record)


def _find_group(world: World, path: str) -> Group | None:
    namespace = namespaces.find_by_path(world, path)
    return namespace if isinstance(namespace, Group) else None
