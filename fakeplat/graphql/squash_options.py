"""How merges into protected branches squash. Source: docs/platform/graphql.md ('Branch rules, target branches')."""

from collections.abc import Mapping
from typing import Any, Final

from graphql import GraphQLError

from fakeplat.core.operations.errors import BadRequest
from fakeplat.graphql.branch_rules import RULE, Rule, get_rule
from fakeplat.graphql.errors import collect_errors
from fakeplat.graphql.schema_builder import Enumeration, Type, mutation
from fakeplat.model.projects import SquashOption
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature

_SINCE: Final = "17.9"
_TIER: Final = "premium"
_TEXTS: Final[Mapping[SquashOption, tuple[str, str]]] = {
    "never": ("Do not allow", "Squashing is never performed and the checkbox is hidden."),
    "always": (
        "Require",
        "Squashing is always performed. Checkbox is visible and selected, and users cannot change it.",
    ),
    "default_on": ("Encourage", "Checkbox is visible and selected by default."),
    "default_off": ("Allow", "Checkbox is visible and unselected by default."),
}
_ID: Final = '"""The global ID of the rule."""\nbranchRuleId: ProjectsBranchRuleID!'
OPTION = Type("SquashOption", "How merges into a protected branch squash.", since=_SINCE)
Enumeration(
    "SquashOptionSetting",
    "Ways of squashing.",
    {
        "NEVER": ("never", "Commits are never squashed."),
        "ALLOWED": ("default_off", "Users may choose it."),
        "ENCOURAGED": ("default_on", "It is chosen unless users do not want it."),
        "ALWAYS": ("always", "Commits are always squashed."),
    },
    since=_SINCE,
)


@OPTION.field("option: String!")
def option_of(_ctx: ReadContext, option: SquashOption) -> str:
    """What the option is called."""
    return _TEXTS[option][0]


@OPTION.field("helpText: String!")
def help_text_of(_ctx: ReadContext, option: SquashOption) -> str:
    """What the option means."""
    return _TEXTS[option][1]


@RULE.field("squashOption: SquashOption", since=_SINCE)
def squash_option_of_rule(ctx: ReadContext, rule: Rule) -> SquashOption | None:
    """How merges into the branch squash, if that is not left to the project; paid tiers only."""
    return rule.branch.squash_option if has_feature(ctx.world, _TIER, rule.project) else None


@mutation(
    "branchRuleSquashOptionUpdate",
    input_fields=f'{_ID}\n"""The way of squashing."""\nsquashOption: SquashOptionSetting!',
    payload_fields='"""The way of squashing."""\nsquashOption: SquashOption',
    since=_SINCE,
)
def update_squash_option(ctx: WriteContext, branch_rule_id: str, squash_option: SquashOption) -> Mapping[str, Any]:
    """Set how merges into a branch squash; only for a rule of exactly one branch."""
    rule = get_rule(ctx, branch_rule_id)
    with collect_errors(squash_option=None):
        if not has_feature(ctx.world, _TIER, rule.project):
            raise BadRequest("Updating BranchRule not supported")
        if "*" in rule.branch.name:
            raise BadRequest(
                "Squash option protected branch cannot be used with wildcard branch rules. Use an exact branch name."
            )
        ctx.world.protected_branches.change(rule.branch, squash_option=squash_option, updated_at=ctx.now_iso)
    return {"squash_option": squash_option}


@mutation("branchRuleSquashOptionDelete", input_fields=_ID, payload_fields="", since=_SINCE)
def delete_squash_option(ctx: WriteContext, branch_rule_id: str) -> Mapping[str, Any]:
    """Leave it to the project again how merges into a branch squash."""
    rule = get_rule(ctx, branch_rule_id)
    if not has_feature(ctx.world, _TIER, rule.project):
        raise GraphQLError("Squash options feature disabled")
    if rule.branch.squash_option is None:
        # The platform asks for the permission on an option that there is not.
        return {"errors": ["Not authorized"]}
    ctx.world.protected_branches.change(rule.branch, squash_option=None, updated_at=ctx.now_iso)
    return {}
