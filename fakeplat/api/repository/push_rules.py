"""Push rules of projects and groups.

Pushes with git and commits of the API are checked against the rule of their project. New projects and subgroups get a
copy of the rule of their group.
"""

from typing import Annotated, Final

from fakeplat.api.scopes import PROJECT, get_group
from fakeplat.core.operations.errors import NotFound, Unprocessable
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.scope import NO_SCOPE, Segment
from fakeplat.core.params.params import Params, at_least_one_of
from fakeplat.core.release import Lifetime
from fakeplat.domain.purging import purge
from fakeplat.domain.repository import push_rules
from fakeplat.entities.repository.protected import GroupPushRuleView, ProjectPushRuleView
from fakeplat.model.people import Group
from fakeplat.model.projects import Routable
from fakeplat.model.repository import PushRule
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import decide
from fakeplat.policy.behaviours import GROUPS_NAME_PUSH_RULES, NAME_OF_PUSH_RULES
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe

area: Final = Area("Push rules", login=Login.ALWAYS, located_first=True)


class PushRuleFields(Params):
    """Fields of a push rule."""

    deny_delete_tag: bool = False
    member_check: bool = False
    prevent_secrets: bool = False
    commit_message_regex: str | None = None
    commit_message_negative_regex: str | None = None
    branch_name_regex: str | None = None
    author_email_regex: str | None = None
    file_name_regex: str | None = None
    max_file_size: int = 0
    commit_committer_check: bool | None = None
    reject_unsigned_commits: bool | None = None
    commit_committer_name_check: Annotated[bool, Lifetime(since="<=16.11")] = False
    reject_non_dco_commits: Annotated[bool | None, Lifetime(since="<=17.3")] = None

    rules = (
        at_least_one_of(
            "deny_delete_tag",
            "member_check",
            "prevent_secrets",
            "commit_message_regex",
            "commit_message_negative_regex",
            "branch_name_regex",
            "author_email_regex",
            "file_name_regex",
            "max_file_size",
            "commit_committer_check",
            "reject_unsigned_commits",
            "commit_committer_name_check",
            "reject_non_dco_commits",
        ),
    )


def _view(ctx: ReadContext, _p: object) -> type[GroupPushRuleView | ProjectPushRuleView]:
    return GroupPushRuleView if isinstance(ctx.container, Group) else ProjectPushRuleView


def _get_rule(ctx: ReadContext, container: Routable, *, is_named: bool) -> PushRule:
    rule = push_rules.find_rule(ctx.world, container)
    if rule is None:
        name = ctx.profile.choose(NAME_OF_PUSH_RULES) if is_named else ""
        raise NotFound(name, reason=lambda: f"{describe(ctx.world, container)} has no push rule")
    return rule


def _get_administered_group(ctx: ReadContext, reference: str) -> Group:
    """Return a group whose push rule the caller may change; who may not gets 404."""
    group = get_group(ctx, reference)
    decision = decide(ctx, Ability.CHANGE_PUSH_RULES, group)
    if not decision.allowed:
        raise NotFound(reason=decision.why)
    return group


_CONTAINERS: Final = (
    PROJECT,
    NO_SCOPE / Segment("groups/:id", locate=_get_administered_group, word="group"),
)


@area.operation(
    "GET",
    "push_rule",
    name=("get_push_rule", "get_group_push_rule"),
    scope=_CONTAINERS,
    ability=Ability.CHANGE_PUSH_RULES,
    view=_view,
    tier="premium",
)
def get_push_rule(ctx: ReadContext, container: Routable) -> PushRule | None:
    """Get the push rule of a project or group; null for a project without one."""
    is_group = isinstance(container, Group)
    return _get_rule(ctx, container, is_named=False) if is_group else push_rules.find_rule(ctx.world, container)


@area.operation(
    "POST",
    "push_rule",
    name=("create_push_rule", "create_group_push_rule"),
    scope=_CONTAINERS,
    ability=Ability.CHANGE_PUSH_RULES,
    params=PushRuleFields,
    view=_view,
    tier="premium",
    refusals=(400, 422),
)
def create_push_rule(ctx: WriteContext, container: Routable, p: PushRuleFields) -> PushRule:
    """Create the push rule of a project or group."""
    if push_rules.find_rule(ctx.world, container) is not None:
        is_group = isinstance(container, Group)
        raise Unprocessable("Group push rule exists, try updating" if is_group else "Project push rule exists")
    return push_rules.create(ctx, container, **p.given())


@area.operation(
    "PUT",
    "push_rule",
    name=("update_push_rule", "update_group_push_rule"),
    scope=_CONTAINERS,
    ability=Ability.CHANGE_PUSH_RULES,
    params=PushRuleFields,
    view=_view,
    tier="premium",
    refusals=(400, 404),
)
def update_push_rule(ctx: WriteContext, container: Routable, p: PushRuleFields) -> PushRule:
    """Update the push rule of a project or group."""
    is_named = not isinstance(container, Group) or ctx.profile.has(GROUPS_NAME_PUSH_RULES)
    return push_rules.update(ctx, _get_rule(ctx, container, is_named=is_named), **p.given())


@area.operation(
    "DELETE",
    "push_rule",
    name=("delete_push_rule", "delete_group_push_rule"),
    scope=_CONTAINERS,
    ability=Ability.CHANGE_PUSH_RULES,
    tier="premium",
    refusals=(404,),
)
def delete_push_rule(ctx: WriteContext, container: Routable) -> None:
    """Delete the push rule of a project or group."""
    # Only projects name what is missing.
    purge(ctx, _get_rule(ctx, container, is_named=not isinstance(container, Group)))
