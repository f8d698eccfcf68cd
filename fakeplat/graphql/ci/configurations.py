"""Validation of CI configurations, and templates of them.

Source: docs/platform/graphql.md, docs/platform/pipelines-jobs.md.
"""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from fakeplat.ci_config.documents import to_text
from fakeplat.core.release import Lifetime
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.ci import jobs, linting
from fakeplat.domain.ci.linting import LintOptions, LintResult
from fakeplat.domain.templates import templates
from fakeplat.domain.templates.templates import Template
from fakeplat.graphql.errors import ResourceNotAvailable
from fakeplat.graphql.lookups import find_visible_project
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import QUERY, Enumeration, Type
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can
from fakeplat.policy.context import ReadContext

_SINCE: Final = "<=13.8"
_DETAILS: Final = "<=13.9"
Enumeration(
    "CiConfigStatus",
    "Whether a configuration is valid.",
    {"VALID": (True, "It is valid."), "INVALID": (False, "It is not.")},
    since=_SINCE,
)
CONFIG: Final = Type("CiConfig", "A CI configuration after its validation.", since=_SINCE)
STAGE: Final = Type("CiConfigStage", "A stage of a configuration.", since=_SINCE)
STAGE.attributes({"name: String": "The name."})
GROUP: Final = Type("CiConfigGroup", "The parts of a job.", since=_SINCE)
GROUP.attributes({"name: String": "The name.", "size: Int": "The number of jobs."})
JOB: Final = Type("CiConfigJob", "A job of a configuration.", since=_SINCE)
NEED: Final = Type("CiConfigNeed", "A job that another one needs.", since=_SINCE)
NEED.attributes({"name: String": "The name."})
RESTRICTION: Final = Type("CiConfigJobRestriction", "The refs to which a job is restricted.", since=_DETAILS)


@frozen
class ConfiguredJob:
    """A job of a configuration. ``values`` is what a validation says of it."""

    values: Mapping[str, Any]

    @property
    def id(self) -> str:
        """The name, which is unique."""
        return str(self.values["name"])

    @property
    def group_name(self) -> str:
        """The name without the number of a part."""
        return jobs.strip_part(self.id)


@frozen
class Group:
    """Jobs that are the parts of one job."""

    name: str
    jobs: tuple[ConfiguredJob, ...]

    @property
    def id(self) -> str:
        """The name, which is unique."""
        return self.name

    @property
    def size(self) -> int:
        """The number of jobs."""
        return len(self.jobs)


@frozen
class Stage:
    """The jobs of a stage."""

    name: str
    jobs: tuple[ConfiguredJob, ...]

    @property
    def id(self) -> str:
        """The name, which is unique."""
        return self.name


@frozen
class Need:
    """A job that another one needs."""

    name: str

    @property
    def id(self) -> str:
        """The name, which is unique."""
        return self.name


@QUERY.field(
    'ciConfig(projectPath: ID!, content: String!, dryRun: Boolean, sha: String @lifetime(since: "<=14.3"), '
    'skipVerifyProjectSha: Boolean @lifetime(since: "16.5")): CiConfig',
    since=_SINCE,
)
def validate(
    ctx: ReadContext,
    project_path: str,
    content: str,
    dry_run: bool | None = None,
    sha: str | None = None,
    skip_verify_project_sha: bool | None = None,  # noqa: ARG001  # it is not looked for
) -> LintResult:
    """Validate a CI configuration of a project, at a commit or at the head of the default branch."""
    project = find_visible_project(ctx, project_path)
    if project is None or not can(ctx, Ability.CREATE_PIPELINE, project):
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} may not create pipelines in {project_path}")
    return linting.lint_in_project(
        ctx, project, content, LintOptions(dry_run=bool(dry_run), with_jobs=True, content_ref=sha)
    )


@CONFIG.field("status: CiConfigStatus")
def status_of(_ctx: ReadContext, result: LintResult) -> bool:
    """Whether it is valid."""
    return result.valid


@CONFIG.field("errors: [String!]")
def errors_of(_ctx: ReadContext, result: LintResult) -> Sequence[str]:
    """What is wrong with it."""
    return result.errors


@CONFIG.field("warnings: [String!]", since="<=14.9")
def warnings_of(_ctx: ReadContext, result: LintResult) -> Sequence[str]:
    """What may be wrong with it."""
    return result.warnings


@CONFIG.field("mergedYaml: String")
def merged_yaml(_ctx: ReadContext, result: LintResult) -> str | None:
    """The text with what it includes."""
    return result.merged_yaml


@CONFIG.field("stages: CiConfigStageConnection")
def stages_of(_ctx: ReadContext, result: LintResult) -> list[Stage]:
    """The stages that have jobs."""
    found = [ConfiguredJob(values) for values in result.jobs or ()] if result.valid else []
    return [Stage(name, tuple(members)) for name, members in groupby(found, key=lambda job: str(job.values["stage"]))]


@STAGE.field("groups: CiConfigGroupConnection")
def groups_of(_ctx: ReadContext, stage: Stage) -> list[Group]:
    """The jobs, with the parts of one together."""
    by_name: dict[str, list[ConfiguredJob]] = {}
    for job in stage.jobs:
        by_name.setdefault(job.group_name, []).append(job)
    return [Group(name, tuple(members)) for name, members in by_name.items()]


@GROUP.field("jobs: CiConfigJobConnection")
def jobs_of(_ctx: ReadContext, group: Group) -> Sequence[ConfiguredJob]:
    """The jobs."""
    return group.jobs


@JOB.field("groupName: String")
def group_name(_ctx: ReadContext, job: ConfiguredJob) -> str:
    """The name without the number of a part."""
    return job.group_name


@JOB.field("needs: CiConfigNeedConnection")
def needs_of(_ctx: ReadContext, job: ConfiguredJob) -> list[Need]:
    """The jobs that it needs."""
    return [Need(need["name"]) for need in job.values.get("needs") or ()]


def _declare(signature: str, key: str, description: str, since: str = "") -> None:
    def value(_ctx: ReadContext, job: ConfiguredJob) -> Any:
        return job.values.get(key)

    JOB.field(signature, since=since, description=description)(value)


_declare("name: String", "name", "The name.")
_declare("stage: String", "stage", "The stage.")
_declare("script: [String!]", "script", "The commands.", _DETAILS)
_declare("beforeScript: [String!]", "before_script", "The commands before.", _DETAILS)
_declare("afterScript: [String!]", "after_script", "The commands after.", _DETAILS)
_declare("tags: [String!]", "tag_list", "The tags of its runners.", _DETAILS)
_declare("environment: String", "environment", "The environment.", _DETAILS)
_declare("when: String", "when", "When it runs.", _DETAILS)
_declare("allowFailure: Boolean", "allow_failure", "Whether it may fail.", _DETAILS)
_declare("only: CiConfigJobRestriction", "only", "The refs with it.", _DETAILS)
_declare("except: CiConfigJobRestriction", "except", "The refs without it.", _DETAILS)


@RESTRICTION.field("refs: [String!]")
def refs_of(_ctx: ReadContext, restriction: Mapping[str, Any]) -> Sequence[str] | None:
    """The refs."""
    refs: Sequence[str] | None = restriction.get("refs")
    return refs


# Included files

_INCLUDES: Final = "<=15.0"
_KINDS: Final = ("remote", "local", "file", "template")
Enumeration(
    "CiConfigIncludeType",
    "How a file is included.",
    {
        **{kind: (kind, f"The value {kind}.") for kind in _KINDS},
        "component": ("component", "The value component.", Lifetime(since="<=16.2")),
    },
    since=_INCLUDES,
)
INCLUDE: Final = Type("CiConfigInclude", "An included file.", since=_INCLUDES)
INCLUDE.attributes(
    {
        "type: CiConfigIncludeType": "How it is included.",
        "location: String": "Where it is.",
        "blob: String": "The URL of its page.",
        "raw: String": "The URL of its content.",
        "extra: JSON": "What else is known of it.",
        "contextProject: String": "The project that includes it.",
        "contextSha: String": "The commit that includes it.",
    }
)


@CONFIG.field("includes: [CiConfigInclude!]", since=_INCLUDES)
def includes_of(_ctx: ReadContext, result: LintResult) -> Sequence[Mapping[str, Any]]:
    """The included files."""
    return result.includes or ()


# What a configuration asks of those who start pipelines

VARIABLE: Final = Type("CiConfigVariable", "A variable of a configuration.", since="15.3")


@frozen
class ConfiguredVariable:
    """A variable of a configuration. ``values`` is what the configuration says of it."""

    key: str
    values: Mapping[str, Any]


VARIABLE.attributes({"key: String": "The name."})


@PROJECT.field('ciConfigVariables(ref: String! @lifetime(since: "<=16.2")): [CiConfigVariable!]', since="15.3")
def variables_of(ctx: ReadContext, project: Project, ref: str | None = None) -> list[ConfiguredVariable] | None:
    """The variables of the configuration at a ref, for those who may create pipelines."""
    may_create = can(ctx, Ability.CREATE_PIPELINE, project)
    found = linting.list_root_variables(ctx, project, ref or project.default_branch or "") if may_create else None
    return None if found is None else [ConfiguredVariable(name, values) for name, values in found]


@VARIABLE.field("value: String")
def value_of(_ctx: ReadContext, variable: ConfiguredVariable) -> str | None:
    """The value."""
    value = variable.values.get("value")
    return None if value is None else to_text(value)


@VARIABLE.field("description: String")
def description_of(_ctx: ReadContext, variable: ConfiguredVariable) -> str | None:
    """What users are told about it."""
    description: str | None = variable.values.get("description")
    return description


@VARIABLE.field("valueOptions: [String!]")
def options_of(_ctx: ReadContext, variable: ConfiguredVariable) -> list[str] | None:
    """The values that users can choose."""
    options = variable.values.get("options")
    return None if options is None else [to_text(each) for each in options]


# Limits of plans

LIMITS: Final = Type("ProjectPlanLimits", "Limits of the plan of a project.", since="16.9")


@PROJECT.field("projectPlanLimits: ProjectPlanLimits", since="16.9")
def plan_limits(ctx: ReadContext, project: Project) -> Project | None:
    """The limits, for those who may read pipeline schedules."""
    return project if can(ctx, Ability.READ_PIPELINE_SCHEDULE, project) else None


@LIMITS.field("ciPipelineSchedules: Int")
def most_schedules(ctx: ReadContext, _project: Project) -> int:
    """The most pipeline schedules that it can have."""
    return int(ctx.world.settings.ci_pipeline_schedules)


# Templates

TEMPLATE: Final = Type("CiTemplate", "A template of a configuration.", since="<=14.0")
TEMPLATE.attributes({"name: String!": "The name.", "content: String!": "The configuration."})


@PROJECT.field("ciTemplate(name: String!): CiTemplate", since="<=14.0")
def find_template(_ctx: ReadContext, _project: Project, name: str) -> Template | None:
    """The template of configurations with a name."""
    return templates.find_template("gitlab_ci_ymls", name)
