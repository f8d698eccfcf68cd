"""Environments, deployments and what guards them; feature flags."""

from typing import Any, Final, Literal

from attrs import field

from fakeplat.core.store.frozen import frozen
from fakeplat.model.repository import Access

EnvironmentState = Literal["available", "stopped"]
AutoStopSetting = Literal["always", "with_action"]
EnvironmentTier = Literal["production", "staging", "testing", "development", "other"]

_PRODUCTION: Final = ("prod", "production")


@frozen
class Environment:
    """An environment of a project; names are case-sensitive.

    ``slug`` is made from the first name and never changes. ``auto_stop_at`` is when the environment stops by itself.
    ``tier`` is guessed from the first name, unless it is given. ``auto_delete_at`` is when the environment, which has
    to be stopped by then, is deleted. ``auto_stop_setting``: it stops by itself, or only if a job stops it. The fields
    that follow say where its dashboard in the cluster is.
    """

    id: int
    project_id: int
    name: str
    created_at: str
    updated_at: str
    state: EnvironmentState = "available"
    external_url: str | None = None
    slug: str = ""
    auto_stop_at: str | None = None
    tier: EnvironmentTier = "other"
    auto_delete_at: str | None = None
    auto_stop_setting: AutoStopSetting = "always"
    description: str | None = None
    kubernetes_namespace: str | None = None
    flux_resource_path: str | None = None
    cluster_agent_id: int | None = None

    @property
    def is_available(self) -> bool:
        """Whether the environment is not stopped."""
        return self.state == "available"

    @property
    def is_production(self) -> bool:
        """Whether the name, or its folder, says that this is where users are served."""
        return (self.folder or self.name).lower() in _PRODUCTION

    @property
    def folder(self) -> str | None:
        """The part of the name before the first slash, which groups environments such as review apps."""
        folder, slash, _ = self.name.partition("/")
        return folder if slash else None


@frozen
class DeploymentRule(Access):
    """Who approves deployments to a protected environment, and how many of them have to."""

    required_approvals: int = 1


@frozen
class ProtectedEnvironment:
    """The environments of a project with a name, to which only some may deploy. There may be none with this name."""

    id: int
    project_id: int
    name: str
    deploy: tuple[Access, ...]
    updated_at: str
    required_approval_count: int = 0
    approval_rules: tuple[DeploymentRule, ...] = ()


@frozen
class GroupProtectedEnvironment:
    """The environments of a tier, which is the name, in the projects of a group, to which only some may deploy."""

    id: int
    group_id: int
    name: str
    deploy: tuple[Access, ...]
    updated_at: str
    required_approval_count: int = 0
    approval_rules: tuple[DeploymentRule, ...] = ()


DeploymentStatus = Literal["created", "running", "success", "failed", "canceled", "skipped", "blocked"]

FINISHED: Final[tuple[DeploymentStatus, ...]] = ("success", "failed", "canceled")


@frozen
class Deployment:
    """A deployment of a commit to an environment.

    ``job_id`` is the job that deploys; None for a deployment from outside. ``on_stop`` is the name of the job that
    stops the environment. ``merge_request_ids`` are the merge requests that were deployed.
    """

    id: int
    iid: int
    project_id: int
    environment_id: int
    ref: str
    sha: str
    created_at: str
    updated_at: str
    tag: bool = False
    status: DeploymentStatus = "created"
    user_id: int | None = None
    job_id: int | None = None
    on_stop: str | None = None
    finished_at: str | None = None
    merge_request_ids: tuple[int, ...] = ()

    @property
    def is_active(self) -> bool:
        """Whether the deployment is not finished."""
        return self.status in ("created", "blocked", "running")


ApprovalStatus = Literal["approved", "rejected"]


@frozen
class DeploymentApproval:
    """What a user said of a blocked deployment. ``represented_as`` is the name of the rule that it was said for."""

    id: int
    deployment_id: int
    user_id: int
    status: ApprovalStatus
    created_at: str
    updated_at: str
    comment: str | None = None
    represented_as: str | None = None


@frozen
class FreezePeriod:
    """A recurring period between the occurrences of two cron expressions, in a time zone."""

    id: int
    project_id: int
    freeze_start: str
    freeze_end: str
    created_at: str
    updated_at: str
    cron_timezone: str = "UTC"


FlagVersion = Literal["legacy_flag", "new_version_flag"]


@frozen
class LegacyScope:
    """The state of a flag of the first version in the environments that match a scope."""

    id: int
    environment_scope: str
    created_at: str
    updated_at: str
    active: bool = False
    strategies: tuple[Any, ...] = ({"name": "default", "parameters": {}},)


@frozen
class StrategyScope:
    """The environments in which a strategy applies."""

    id: int
    environment_scope: str = "*"


@frozen
class Strategy:
    """A rule that decides for whom a flag of the second version is on."""

    id: int
    name: str = ""
    parameters: Any = field(factory=dict)
    scopes: tuple[StrategyScope, ...] = ()
    user_list_id: int | None = None


@frozen
class FeatureFlag:
    """A feature flag. ``scopes`` are those of the first version, ``strategies`` those of the second.

    ``issue_ids`` are issues that were linked on the flag's page.
    """

    id: int
    project_id: int
    iid: int
    name: str
    created_at: str
    updated_at: str
    description: str | None = None
    active: bool = True
    version: FlagVersion = "legacy_flag"
    scopes: tuple[LegacyScope, ...] = ()
    strategies: tuple[Strategy, ...] = ()
    issue_ids: tuple[int, ...] = ()


@frozen
class FeatureFlagUserList:
    """A list of users, by the ids that they have outside the platform, separated by commas."""

    id: int
    project_id: int
    iid: int
    name: str
    user_xids: str
    created_at: str
    updated_at: str
