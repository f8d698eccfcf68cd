"""The kinds of records of which there are views: how each is rendered, and which records belong to it."""

from collections.abc import Mapping
from typing import Final

from fakeplat.core.operations.entity import Entity
from fakeplat.model.ci import Job, JobKind, Pipeline
from fakeplat.model.world import World
from fakeplat.workbench.inspected import issuables, people, projects
from fakeplat.workbench.inspected.declaration import Listing, Part, Parts, RecordKind


def _jobs_of_kind(kind: JobKind) -> Listing:
    """Return a function that lists the jobs of a kind in a pipeline, also retried ones."""

    def find(world: World, pipeline: Pipeline) -> list[Job]:
        from fakeplat.domain.ci import jobs

        return list(jobs.list_by_pipeline(world, pipeline.id, kind, retried=True))

    return find


_PIPELINE_PARTS: Final[Parts] = {
    "jobs": Part(_jobs_of_kind("build"), "ci.jobs.JobView"),
    "bridges": Part(_jobs_of_kind("bridge"), "ci.jobs.BridgeView"),
    "statuses": Part(_jobs_of_kind("external"), "ci.commit_statuses.CommitStatusView"),
    "variables": Part(lambda _, pipeline: pipeline.variables, "ci.variables.PipelineVariableView"),
}

RECORD_KINDS: Final[Mapping[str, RecordKind]] = {
    "Project": RecordKind("projects.projects.InspectedProject", ("statistics", "administered"), projects.PROJECT_PARTS),
    "Group": RecordKind("people.namespaces.GroupView", parts=people.GROUP_PARTS),
    "User": RecordKind("people.users.UserAdminDetail", parts=people.USER_PARTS),
    "Issue": RecordKind("issues.issues.IssueView", ("single",), issuables.ISSUE_PARTS),
    "MergeRequest": RecordKind(
        "merge_requests.merge_requests.MergeRequestView", ("from:project",), issuables.MERGE_REQUEST_PARTS
    ),
    "Epic": RecordKind("epics.EpicView", parts=issuables.EPIC_PARTS),
    "Note": RecordKind("notes.notes.NoteView", parts=issuables.NOTE_PARTS),
    "Award": RecordKind("notes.awards.AwardView"),
    "Todo": RecordKind("notes.todos.TodoView"),
    "Snippet": RecordKind("snippets.SnippetView", parts=issuables.SNIPPET_PARTS),
    "Alert": RecordKind("alerts.AlertView", parts=issuables.ALERT_PARTS),
    "Pipeline": RecordKind("ci.pipelines.NamedPipelineView", parts=_PIPELINE_PARTS),
    "Job": RecordKind("ci.jobs.JobView"),
    "Environment": RecordKind("deployments.deployments.EnvironmentView", parts=projects.ENVIRONMENT_PARTS),
    "ClusterAgent": RecordKind("cluster_agents.ClusterAgentView", parts=projects.CLUSTER_AGENT_PARTS),
    "Release": RecordKind("releases.ReleaseView", parts=projects.RELEASE_PARTS),
    "Package": RecordKind("packages.PackageDetail", parts=projects.PACKAGE_PARTS),
    "ContainerRepository": RecordKind("registry.ContainerRepositoryView", parts=projects.CONTAINER_REPOSITORY_PARTS),
}
"""The kinds of records that are viewed in one way everywhere, or that others belong to, by the names of their classes.

The options are those of the entities' modules, such as `fakeplat.entities.issues.issues.SINGLE`.
"""


def find_kind(record: object) -> RecordKind | None:
    """Return how records like this one are viewed; None if that depends on what they belong to."""
    return RECORD_KINDS.get(type(record).__name__)


def list_parts(record: object) -> Parts:
    """Return the lists of the records that belong to a record, by name."""
    kind = find_kind(record)
    return kind.parts if kind else {}


def view_options(record: object, view: type[Entity[object]]) -> tuple[str, ...]:
    """Return the options with which a view renders a record."""
    kind = find_kind(record)
    return kind.options if kind and view is kind.view else ()
