"""Rules that say where branches are to be merged. Source: docs/platform/graphql.md."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from fakeplat.domain.purging import purge
from fakeplat.domain.repository import target_branch_rules
from fakeplat.graphql.errors import ResourceNotAvailable, collect_errors
from fakeplat.graphql.ids import declare_id, parse_id
from fakeplat.graphql.lookups import require_project_with_id
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Type, mutation
from fakeplat.model.projects import Project
from fakeplat.model.repository import TargetBranchRule
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature

_SINCE: Final = "<=18.9"
_KIND: Final = "Projects::TargetBranchRule"
_TIER: Final = "premium"
RULE = Type("ProjectTargetBranchRule", "A rule about target branches.", has_count=True, since=_SINCE)
declare_id(RULE, _KIND)
RULE.attributes(
    {
        "name: String!": "The name or pattern of the branches.",
        "targetBranch: String!": "The branch into which they are to be merged.",
        "createdAt: Time!": "Timestamp of the creation.",
    }
)


@PROJECT.field("targetBranchRules: ProjectTargetBranchRuleConnection", since=_SINCE)
def list_rules(ctx: ReadContext, project: Project) -> Sequence[TargetBranchRule]:
    """The rules about target branches, newest first; paid tiers only."""
    return target_branch_rules.list_rules(ctx.world, project) if has_feature(ctx.world, _TIER, project) else ()


def _authorize(ctx: ReadContext, project: Project) -> None:
    if not (can(ctx, Ability.ADMIN_PROJECT, project) and has_feature(ctx.world, _TIER, project)):
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} may not change rules, or the tier has none")


@mutation(
    "projectTargetBranchRuleCreate",
    input_fields='''
"""The global ID of the project."""
projectId: ProjectID!
"""The name or pattern of the branches."""
name: String!
"""The branch into which they are to be merged."""
targetBranch: String!
''',
    payload_fields='"""The rule."""\ntargetBranchRule: ProjectTargetBranchRule',
    since=_SINCE,
)
def create_rule(ctx: WriteContext, project_id: str, name: str, target_branch: str) -> Mapping[str, Any]:
    """Create a rule about target branches."""
    project = require_project_with_id(ctx, project_id)
    _authorize(ctx, project)
    with collect_errors(target_branch_rule=None):
        return {"target_branch_rule": target_branch_rules.create(ctx, project, name, target_branch)}


@mutation(
    "projectTargetBranchRuleDestroy",
    input_fields='"""The global ID of the rule."""\nid: ProjectsTargetBranchRuleID!',
    payload_fields="",
    since=_SINCE,
)
def destroy_rule(ctx: WriteContext, id: str) -> Mapping[str, Any]:
    """Delete a rule about target branches."""
    rule = ctx.world.target_branch_rules.get(parse_id(ctx, id, _KIND))
    if rule is None:
        raise ResourceNotAvailable(f"{id} does not exist")
    _authorize(ctx, ctx.world.projects[rule.project_id])
    purge(ctx, rule)
    return {}
