"""Push rules of projects and groups: find, create, update and inherit."""

from typing import Final, TypedDict, Unpack

from attrs import evolve

from fakeplat.domain.people.members import source_of
from fakeplat.domain.validation import ValidationErrors, explain_regex_error, too_long
from fakeplat.model.people import Group
from fakeplat.model.projects import Routable
from fakeplat.model.repository import PushRule
from fakeplat.model.world import World
from fakeplat.policy.behaviours import PATTERNS_ARE_LIMITED
from fakeplat.policy.context import WriteContext
from fakeplat.policy.features import has_feature
from fakeplat.policy.levels import ancestors

_EXPRESSIONS: Final = (
    "commit_message_regex",
    "commit_message_negative_regex",
    "author_email_regex",
    "file_name_regex",
    "branch_name_regex",
)
_LONG: Final = 511
_LONGEST: Final = {"commit_message_negative_regex": 2047}


def find_rule(world: World, container: Routable) -> PushRule | None:
    """Return the push rule of a project or group itself, or None."""
    return world.push_rules.find("source", source_of(container))


class RuleFields(TypedDict, total=False):
    """Fields of a push rule."""

    created_at: str
    commit_message_regex: str | None
    commit_message_negative_regex: str | None
    branch_name_regex: str | None
    deny_delete_tag: bool
    member_check: bool
    prevent_secrets: bool
    author_email_regex: str | None
    file_name_regex: str | None
    max_file_size: int
    commit_committer_check: bool | None
    reject_unsigned_commits: bool | None
    commit_committer_name_check: bool
    reject_non_dco_commits: bool | None


def create(ctx: WriteContext, container: Routable, **fields: Unpack[RuleFields]) -> PushRule:
    """Create the push rule of a project or group, which must not have one."""
    table = ctx.world.push_rules
    values: RuleFields = {"created_at": ctx.now_iso, **_normalize(fields)}
    rule = PushRule(id=table.next_id(), source=source_of(container), **values)
    _validate(ctx, rule)
    return table.add(rule)


def update(ctx: WriteContext, rule: PushRule, **changes: Unpack[RuleFields]) -> PushRule:
    """Change fields of a push rule."""
    changed = evolve(rule, **_normalize(changes))
    _validate(ctx, changed)
    return ctx.world.push_rules.replace(rule, changed)


def inherit(ctx: WriteContext, container: Routable) -> None:
    """Copy the push rule of the nearest group with one to a new project or group."""
    # Records of a scenario, which have no acting user, get what their own entries say.
    if ctx.user is None or not has_feature(ctx.world, "premium", container):
        return
    parent_id = container.parent_id if isinstance(container, Group) else getattr(container, "namespace_id", None)
    rules = (find_rule(ctx.world, group) for group in ancestors(ctx.world, parent_id))
    rule = next((rule for rule in rules if rule is not None), None)
    if rule is not None:
        table = ctx.world.push_rules
        table.add(evolve(rule, id=table.next_id(), source=source_of(container), created_at=ctx.now_iso))


def _normalize(fields: RuleFields) -> RuleFields:
    """Return the fields as the platform stores them: a check that nobody enforces becomes null when it is off."""
    stored = fields.copy()
    if "commit_committer_check" in stored:
        stored["commit_committer_check"] = stored["commit_committer_check"] or None
    if "reject_unsigned_commits" in stored:
        stored["reject_unsigned_commits"] = stored["reject_unsigned_commits"] or None
    if "reject_non_dco_commits" in stored:
        stored["reject_non_dco_commits"] = stored["reject_non_dco_commits"] or None
    return stored


def _validate(ctx: WriteContext, rule: PushRule) -> None:
    errors = ValidationErrors()
    errors.when(rule.max_file_size < 0, "max_file_size", "must be greater than or equal to 0")
    for name in _EXPRESSIONS:
        error = explain_regex_error(getattr(rule, name) or "")
        errors.when(error, name, f"not valid RE2 syntax: {error}")
        if ctx.profile.has(PATTERNS_ARE_LIMITED):
            too_long(errors, name, getattr(rule, name), _LONGEST.get(name, _LONG))
    errors.refuse()
