"""The mutation that validates a CI configuration. Source: docs/platform/graphql.md ('CI/CD settings')."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from fakeplat.domain.ci import linting
from fakeplat.domain.ci.linting import LintOptions, LintResult
from fakeplat.graphql.ci import configurations
from fakeplat.graphql.ci.configurations import ConfiguredJob, Group, Need, Stage
from fakeplat.graphql.lookups import require_project
from fakeplat.graphql.schema_builder import Type, mutation
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.context import ReadContext, WriteContext

_SINCE: Final = "<=18.5"
CONFIG: Final = Type("CiConfigV2", "A CI configuration after its validation.", since=_SINCE)
STAGE: Final = Type("CiConfigStageV2", "A stage of a configuration.", since=_SINCE)
STAGE.attributes({"name: String": "The name."})
GROUP: Final = Type("CiConfigGroupV2", "The parts of a job.", since=_SINCE)
GROUP.attributes({"name: String": "The name.", "size: Int": "The number of jobs."})
JOB: Final = Type("CiConfigJobV2", "A job of a configuration.", since=_SINCE)
_VALUES: Final = (
    ("name: String", "name", "The name."),
    ("stage: String", "stage", "The stage."),
    ("script: [String!]", "script", "The commands."),
    ("beforeScript: [String!]", "before_script", "The commands before."),
    ("afterScript: [String!]", "after_script", "The commands after."),
    ("tags: [String!]", "tag_list", "The tags of its runners."),
    ("environment: String", "environment", "The environment."),
    ("when: String", "when", "When it runs."),
    ("allowFailure: Boolean", "allow_failure", "Whether it may fail."),
    ("only: CiConfigJobRestriction", "only", "The refs with it."),
    ("except: CiConfigJobRestriction", "except", "The refs without it."),
)


def _declare(signature: str, key: str, description: str) -> None:
    def value(_ctx: ReadContext, job: ConfiguredJob) -> Any:
        return job.values.get(key)

    JOB.field(signature, description=description)(value)


for _row in _VALUES:
    _declare(*_row)
for _signature, _function in {
    "status: CiConfigStatus": configurations.status_of,
    "errors: [String!]": configurations.errors_of,
    "warnings: [String!]": configurations.warnings_of,
    "mergedYaml: String": configurations.merged_yaml,
    "includes: [CiConfigInclude!]": configurations.includes_of,
}.items():
    CONFIG.field(_signature)(_function)


@CONFIG.field("stages: [CiConfigStageV2!]")
def stages_of(ctx: ReadContext, result: LintResult) -> Sequence[Stage]:
    """The stages that have jobs."""
    return configurations.stages_of(ctx, result)


@STAGE.field("groups: [CiConfigGroupV2!]")
def groups_of(ctx: ReadContext, stage: Stage) -> Sequence[Group]:
    """The jobs, with the parts of one together."""
    return configurations.groups_of(ctx, stage)


@GROUP.field("jobs: [CiConfigJobV2!]")
def jobs_of(_ctx: ReadContext, group: Group) -> Sequence[ConfiguredJob]:
    """The jobs."""
    return group.jobs


@JOB.field("groupName: String")
def group_name(_ctx: ReadContext, job: ConfiguredJob) -> str:
    """The name without the number of a part."""
    return job.group_name


@JOB.field("needs: [CiConfigNeed!]")
def needs_of(ctx: ReadContext, job: ConfiguredJob) -> Sequence[Need]:
    """The jobs that it needs."""
    return configurations.needs_of(ctx, job)


@mutation(
    "ciLint",
    input_fields='''
"""The full path of the project."""
projectPath: ID!
"""The configuration."""
content: String!
"""The branch or tag for which a pipeline is simulated; by default the default branch."""
ref: String
"""Whether the creation of a pipeline is simulated."""
dryRun: Boolean
''',
    payload_fields='"""The configuration after its validation."""\nconfig: CiConfigV2',
    since=_SINCE,
)
def ci_lint(
    ctx: WriteContext, project_path: str, content: str, ref: str | None = None, dry_run: bool | None = None
) -> Mapping[str, Any]:
    """Validate a CI configuration, which changes nothing."""
    project = require_project(ctx, project_path)
    authorize(ctx, Ability.CREATE_PIPELINE, project)
    options = LintOptions(dry_run=bool(dry_run), with_jobs=True, ref=ref)
    return {"config": linting.lint_in_project(ctx, project, content, options)}
