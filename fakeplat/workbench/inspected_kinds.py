"""The kinds of records of which there are views: how each is rendered, and which records belong to it."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from fakeplat.core.operations.entity import Entity, attr
from fakeplat.core.store.bitsets import iterate_bits
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.alerts import alerts
from fakeplat.domain.ci import jobs, pipeline_schedules, triggers, variables
from fakeplat.domain.deployments import feature_flag_user_lists, feature_flags, freeze_periods
from fakeplat.domain.merge_requests import approval_rules, merge_requests, suggestions
from fakeplat.domain.notes.system_notes import ALERT
from fakeplat.domain.people import members
from fakeplat.domain.planning import boards, labels, milestones
from fakeplat.domain.projects import deploy_keys, deploy_tokens, services
from fakeplat.entities.alerts import AlertView, SystemNoteView
from fakeplat.entities.ci.commit_statuses import CommitStatusView
from fakeplat.entities.ci.jobs import BridgeView, JobView
from fakeplat.entities.ci.pipeline_schedules import PipelineScheduleView
from fakeplat.entities.ci.pipelines import PipelineView
from fakeplat.entities.ci.resource_groups import ResourceGroupView
from fakeplat.entities.ci.runners import RunnerDetails
from fakeplat.entities.ci.triggers import TriggerView
from fakeplat.entities.ci.variables import GroupVariableView, PipelineVariableView, ProjectVariableView
from fakeplat.entities.deployments.deployments import DeploymentView, EnvironmentView
from fakeplat.entities.deployments.feature_flags import FeatureFlagView, UserListView
from fakeplat.entities.deployments.freeze_periods import FreezePeriodView
from fakeplat.entities.issues.issuables import FROM_PROJECT
from fakeplat.entities.issues.issue_links import IssueLinkView
from fakeplat.entities.issues.issues import SINGLE, IssueView
from fakeplat.entities.merge_requests.approval_rules import ProjectApprovalRuleView
from fakeplat.entities.merge_requests.merge_requests import MergeRequestView
from fakeplat.entities.merge_requests.suggestions import SuggestionView
from fakeplat.entities.notes.awards import AwardView
from fakeplat.entities.notes.notes import NoteView
from fakeplat.entities.notes.todos import TodoView
from fakeplat.entities.people.events import EventView
from fakeplat.entities.people.members import MemberView
from fakeplat.entities.people.namespaces import STATISTICS, GroupView
from fakeplat.entities.people.users import UserAdminDetail
from fakeplat.entities.planning.boards import BoardView
from fakeplat.entities.planning.labels import GroupLabelView, MilestoneView
from fakeplat.entities.projects.deploy_keys import DeployKeyInProject
from fakeplat.entities.projects.deploy_tokens import DeployTokenView
from fakeplat.entities.projects.projects import ADMINISTERED, ProjectWithAccess, StarrerView
from fakeplat.entities.projects.services import ServiceView
from fakeplat.entities.snippets import SnippetView
from fakeplat.model.alerts import Alert
from fakeplat.model.environments import Environment
from fakeplat.model.issues import Award, Issue
from fakeplat.model.jobs import Job, JobKind
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.namespaces import Group
from fakeplat.model.notes import Note
from fakeplat.model.pipelines import Pipeline
from fakeplat.model.projects import Project
from fakeplat.model.runners import Runner
from fakeplat.model.snippets import Snippet
from fakeplat.model.todos import Todo
from fakeplat.model.users import User
from fakeplat.model.world import World


@frozen
class RecordKind:
    """How records of a kind are viewed: the entity that renders them, and the records that belong to them."""

    view: type[Entity[Any]]
    options: tuple[str, ...] = ()
    parts: Mapping[str, tuple[Callable[[World, Any], Sequence[Any]], "type[Entity[Any]] | None"]] = {}  # never written


class InspectedProject(ProjectWithAccess):
    """A project with what tests need and no operation shows."""

    unleash_instance_id = attr()


def _projects_of(world: World, group: Group) -> Sequence[Project]:
    return world.projects.where("namespace", group.id)


def _subgroups_of(world: World, group: Group) -> Sequence[Any]:
    return world.namespaces.where("parent", group.id)


def _projects_of_user(world: World, user: User) -> Sequence[Project]:
    namespaces_of_user = world.namespaces.where("owner", user.id)
    return [project for namespace in namespaces_of_user for project in world.projects.where("namespace", namespace.id)]


def _notes_of(world: World, alert: Alert) -> Sequence[Note]:
    return world.notes.where("subject", (ALERT, alert.id))


def _issues_of(world: World, project: Project) -> Sequence[Issue]:
    return [world.issues[id_] for id_ in iterate_bits(world.issues.bits("facts", ("project", project.id)))]


def _merge_requests_of(world: World, project: Project) -> Sequence[MergeRequest]:
    return merge_requests.list_project_merge_requests(world, project)


def _personal_snippets_of(world: World, user: User) -> Sequence[Snippet]:
    return [snippet for snippet in world.snippets.where("author", user.id) if snippet.project_id is None]


def _jobs_of(world: World, project: Project) -> Sequence[Job]:
    return [job for job in world.jobs.where("project", project.id) if job.kind == "build"]


def _jobs_in(world: World, pipeline: Pipeline, *, kind: JobKind) -> Sequence[Job]:
    """Return the jobs of a kind in a pipeline, also retried ones."""
    return jobs.list_by_pipeline(world, pipeline.id, kind, retried=True)


def _runners_of(world: World, project: Project) -> Sequence[Runner]:
    links = world.runner_projects.where("project", project.id)
    return [world.runners[link.runner_id] for link in links]


RECORD_KINDS: Final[dict[type, RecordKind]] = {
    User: RecordKind(
        UserAdminDetail,
        parts={
            "projects": (_projects_of_user, None),
            "snippets": (_personal_snippets_of, None),
            "todos": (lambda world, user: world.todos.where("user", user.id), None),
        },
    ),
    Group: RecordKind(
        GroupView,
        parts={
            "members": (members.list_direct, MemberView),
            "projects": (_projects_of, None),
            "subgroups": (_subgroups_of, None),
            "labels": (lambda world, group: list(labels.list_own(world, group)), GroupLabelView),
            "milestones": (lambda world, group: list(milestones.list_own(world, group)), MilestoneView),
            "boards": (boards.list_boards, BoardView),
            "variables": (variables.list_variables, GroupVariableView),
            "runners": (lambda world, group: world.runners.where("group", group.id), RunnerDetails),
            "deploy_tokens": (deploy_tokens.list_deploy_tokens, DeployTokenView),
        },
    ),
    Issue: RecordKind(
        IssueView,
        (SINGLE,),
        {
            "notes": (lambda world, issue: world.notes.where("subject", ("issue", issue.id)), None),
            "award_emoji": (lambda world, issue: world.awards.where("subject", ("issue", issue.id)), None),
            "links": (lambda world, issue: world.issue_links.where("issue", issue.id), IssueLinkView),
        },
    ),
    Note: RecordKind(
        NoteView,
        parts={
            "award_emoji": (lambda world, note: world.awards.where("subject", ("note", note.id)), None),
            "suggestions": (suggestions.list_suggestions, SuggestionView),
        },
    ),
    Pipeline: RecordKind(
        PipelineView,
        parts={
            "jobs": (partial(_jobs_in, kind="build"), None),
            "bridges": (partial(_jobs_in, kind="bridge"), BridgeView),
            "statuses": (partial(_jobs_in, kind="external"), CommitStatusView),
            "variables": (lambda _, pipeline: pipeline.variables, PipelineVariableView),
        },
    ),
    Job: RecordKind(JobView),
    Environment: RecordKind(
        EnvironmentView,
        parts={
            "deployments": (lambda world, record: world.deployments.where("environment", record.id), DeploymentView)
        },
    ),
    Award: RecordKind(AwardView),
    Snippet: RecordKind(SnippetView),
    Todo: RecordKind(TodoView),
    MergeRequest: RecordKind(
        MergeRequestView,
        (FROM_PROJECT,),
        {
            "notes": (
                lambda world, merge_request: world.notes.where("subject", ("merge_request", merge_request.id)),
                None,
            ),
            "award_emoji": (
                lambda world, merge_request: world.awards.where("subject", ("merge_request", merge_request.id)),
                None,
            ),
        },
    ),
    Alert: RecordKind(AlertView, parts={"notes": (_notes_of, SystemNoteView)}),
    Project: RecordKind(
        InspectedProject,
        (STATISTICS, ADMINISTERED),
        {
            "members": (members.list_direct, MemberView),
            "starrers": (lambda world, project: world.stars.where("project", project.id), StarrerView),
            "issues": (_issues_of, None),
            "merge_requests": (_merge_requests_of, None),
            "snippets": (lambda world, project: world.snippets.where("project", project.id), None),
            "alerts": (alerts.list_project_alerts, None),
            "services": (services.list_active, ServiceView),
            "labels": (lambda world, project: list(labels.list_own(world, project)), GroupLabelView),
            "milestones": (lambda world, project: list(milestones.list_own(world, project)), MilestoneView),
            "boards": (boards.list_boards, BoardView),
            "approval_rules": (approval_rules.list_rules, ProjectApprovalRuleView),
            "events": (lambda world, project: world.events.where("project", project.id), EventView),
            "pipelines": (lambda world, project: world.pipelines.where("project", project.id), None),
            "jobs": (_jobs_of, None),
            "variables": (variables.list_variables, ProjectVariableView),
            "triggers": (triggers.list_triggers, TriggerView),
            "pipeline_schedules": (pipeline_schedules.list_schedules, PipelineScheduleView),
            "runners": (_runners_of, RunnerDetails),
            "resource_groups": (
                lambda world, project: world.resource_groups.where("project", project.id),
                ResourceGroupView,
            ),
            "environments": (lambda world, project: world.environments.where("project", project.id), None),
            "deployments": (lambda world, project: world.deployments.where("project", project.id), DeploymentView),
            "feature_flags": (feature_flags.list_feature_flags, FeatureFlagView),
            "feature_flag_user_lists": (feature_flag_user_lists.list_user_lists, UserListView),
            "freeze_periods": (freeze_periods.list_freeze_periods, FreezePeriodView),
            "deploy_keys": (deploy_keys.list_in_project, DeployKeyInProject),
            "deploy_tokens": (deploy_tokens.list_deploy_tokens, DeployTokenView),
        },
    ),
}
