"""Rules that protect tags of images: who may push and delete them. Source: docs/platform/registry.md."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, Final, Required, TypedDict, Unpack

from attrs import evolve

from fakeplat.core.operations.errors import Forbidden, RecordNotFound, Unprocessable
from fakeplat.core.regexps import compile_regexp
from fakeplat.domain.validation import BLANK, TAKEN, ValidationErrors, explain_regex_error, too_long
from fakeplat.model.people import Level
from fakeplat.model.projects import Project
from fakeplat.model.registry import ContainerTag, ContainerTagProtectionRule
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, level_on
from fakeplat.policy.behaviours import IMAGE_TAGS_ARE_IMMUTABLE, IMAGE_TAGS_ARE_PROTECTED
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe
from fakeplat.policy.features import has_feature
from fakeplat.policy.minimum_levels import Action, is_below

_MAX_RULES: Final = 5
_MAX_PATTERN: Final = 100
_TOO_MANY: Final = "Maximum number of protection rules have been reached."
_ONE_LEVEL: Final = "Access levels should either both be present or both be nil"
_NOT_IMMUTABLE: Final = "Cannot create an immutable tag rule from a protection rule"
_NOT_AVAILABLE: Final = "Not available"
_UNAUTHORIZED: Final = "Unauthorized to create an immutable protection rule for container image tags"
_LEVEL_ORDER: Final = ("maintainer", "owner", "admin")


def list_rules(world: World, project: Project) -> list[ContainerTagProtectionRule]:
    """Return the rules of a project that name roles; the API does not list the others."""
    return [rule for rule in world.container_tag_protection_rules.where("project", project.id) if not rule.is_immutable]


def list_effective(ctx: ReadContext, project: Project) -> list[ContainerTagProtectionRule]:
    """Return the rules of a project, with those that are immutable where they have an effect."""
    if not _knows_immutable(ctx, project):
        return list_rules(ctx.world, project)
    return [*ctx.world.container_tag_protection_rules.where("project", project.id)]


def get_rule(world: World, project: Project, id_: int) -> ContainerTagProtectionRule:
    """Return the rule of a project with an id, or refuse with 404."""
    rule = world.container_tag_protection_rules.get(id_)
    if rule is None or rule.project_id != project.id:
        raise RecordNotFound(reason=lambda: f"{describe(world, project)} has no rule {id_} for tags of images")
    return rule


class RuleLevels(TypedDict, total=False):
    """The roles that a rule names."""

    minimum_access_level_for_push: str | None
    minimum_access_level_for_delete: str | None


class RuleChanges(RuleLevels, total=False):
    """What changes of a rule."""

    tag_name_pattern: str


class NewRule(RuleLevels, total=False):
    """What a new rule says, and when it came about."""

    tag_name_pattern: Required[str]
    created_at: str
    updated_at: str


def add(ctx: WriteContext, project: Project, **fields: Unpack[NewRule]) -> ContainerTagProtectionRule:
    """Create a rule, or refuse with what is wrong with it as a record."""
    rule = _build(ctx, project, **fields)
    validate_rule(ctx.world, rule).refuse()
    return ctx.world.container_tag_protection_rules.add(rule)


def _build(ctx: WriteContext, project: Project, **fields: Unpack[NewRule]) -> ContainerTagProtectionRule:
    id_ = ctx.world.container_tag_protection_rules.next_id()
    times = {"created_at": ctx.now_iso, "updated_at": fields.get("created_at", ctx.now_iso)}
    values: dict[str, Any] = {**times, **fields}
    return ContainerTagProtectionRule(id_, project.id, **values)


def create(ctx: WriteContext, project: Project, **fields: Unpack[NewRule]) -> ContainerTagProtectionRule:
    """Create a rule, or refuse with 422; a project has five at most."""
    table = ctx.world.container_tag_protection_rules
    if len(table.ids("project", project.id)) >= _MAX_RULES:
        raise Unprocessable(_TOO_MANY)
    rule = _build(ctx, project, **fields)
    if rule.is_immutable:
        _authorize_immutable(ctx, project)
    errors = validate_rule(ctx.world, rule)
    if errors:
        raise Unprocessable(errors.full_messages())
    return table.add(rule)


def _authorize_immutable(ctx: ReadContext, project: Project) -> None:
    if not ctx.profile.has(IMAGE_TAGS_ARE_IMMUTABLE):
        raise Unprocessable(_NOT_AVAILABLE, reason="a rule without roles comes with a later release")
    if not _knows_immutable(ctx, project) or level_on(ctx, project) < Level.OWNER:
        raise Unprocessable(_UNAUTHORIZED, reason="owners create rules without roles, in the highest tier")


def update(
    ctx: WriteContext, rule: ContainerTagProtectionRule, **fields: Unpack[RuleChanges]
) -> ContainerTagProtectionRule:
    """Change a rule, or refuse with 422; what is immutable stays so, and what is not never becomes it."""
    if rule.is_immutable:
        raise Unprocessable({"error": "Operation not allowed"}, reason="immutable rules are not changed")
    changed = ctx.world.container_tag_protection_rules.change(rule, updated_at=ctx.now_iso, **fields)
    if changed.is_immutable:
        raise Unprocessable({"error": [_NOT_IMMUTABLE]})
    errors = validate_rule(ctx.world, changed)
    if errors:
        raise Unprocessable({"error": errors.full_messages()})
    return changed


def validate_rule(world: World, rule: ContainerTagProtectionRule) -> ValidationErrors:
    """Return what is wrong with a rule."""
    errors, pattern = ValidationErrors(), rule.tag_name_pattern
    others = world.container_tag_protection_rules.where("project", rule.project_id)
    errors.when(not pattern.strip(), "tag_name_pattern", BLANK)
    is_taken = any(other.id != rule.id and other.tag_name_pattern == pattern for other in others)
    errors.when(is_taken, "tag_name_pattern", TAKEN)
    too_long(errors, "tag_name_pattern", pattern, _MAX_PATTERN)
    problem = explain_regex_error(pattern)
    errors.when(problem, "tag_name_pattern", f"not valid RE2 syntax: {problem}")
    levels = (rule.minimum_access_level_for_push, rule.minimum_access_level_for_delete)
    errors.when(levels.count(None) == 1, "base", _ONE_LEVEL)
    return errors


def authorize_removal(ctx: ReadContext, project: Project, rule: ContainerTagProtectionRule) -> None:
    """Raise Forbidden if the caller may not delete a rule: maintainers may, owners if it is immutable."""
    authorize(ctx, Ability.ADMIN_CONTAINER_IMAGE, project)
    if rule.is_immutable and level_on(ctx, project) < Level.OWNER:
        raise Forbidden(reason="immutable rules are deleted by owners")


# What rules protect


def list_denied(ctx: ReadContext, project: Project, action: Action) -> tuple[str, ...]:
    """Return the patterns of the tags that the caller's role may not push or delete."""
    if not ctx.profile.has(IMAGE_TAGS_ARE_PROTECTED):
        return ()
    return tuple(
        rule.tag_name_pattern
        for rule in list_rules(ctx.world, project)
        if is_below(ctx, project, getattr(rule, f"minimum_access_level_for_{action}"))
    )


def list_protected(ctx: ReadContext, project: Project) -> tuple[str, ...]:
    """Return the patterns of the tags that some role or nobody may delete, which cleanup policies spare."""
    if not ctx.profile.has(IMAGE_TAGS_ARE_PROTECTED):
        return ()
    rules = list_rules(ctx.world, project)
    return (*(rule.tag_name_pattern for rule in rules), *list_immutable(ctx, project))


def list_immutable(ctx: ReadContext, project: Project) -> tuple[str, ...]:
    """Return the patterns of the tags that nobody changes once they exist."""
    return tuple(rule.tag_name_pattern for rule in list_effective(ctx, project) if rule.is_immutable)


def _knows_immutable(ctx: ReadContext, project: Project) -> bool:
    return ctx.profile.has(IMAGE_TAGS_ARE_IMMUTABLE) and has_feature(ctx.world, "ultimate", project)


def combine_matching(ctx: ReadContext, project: Project, name: str) -> ContainerTagProtectionRule | None:
    """Return the matching rule that nobody passes, or one with the highest roles of those that match a tag."""
    matching = [rule for rule in list_effective(ctx, project) if is_matched([rule.tag_name_pattern], name)]
    immutable = next((rule for rule in matching if rule.is_immutable), None)
    if immutable is not None or not matching:
        return immutable
    highest = partial(max, key=_LEVEL_ORDER.index)
    return evolve(
        matching[0],
        minimum_access_level_for_push=highest(rule.minimum_access_level_for_push or "" for rule in matching),
        minimum_access_level_for_delete=highest(rule.minimum_access_level_for_delete or "" for rule in matching),
    )


def is_matched(patterns: Iterable[str], name: str) -> bool:
    """Return whether a pattern matches the name of a tag somewhere."""
    return any(compile_regexp(pattern).is_in(name) for pattern in patterns)


def is_protected(ctx: ReadContext, project: Project, name: str) -> bool:
    """Return whether a rule keeps the caller from deleting a tag."""
    return is_matched((*list_denied(ctx, project, "delete"), *list_immutable(ctx, project)), name)


def authorize_deletion(ctx: ReadContext, project: Project, tag: ContainerTag) -> None:
    """Raise Forbidden if a rule keeps the caller from deleting a tag."""
    if is_protected(ctx, project, tag.name):
        raise Forbidden(reason=f"a rule protects the tag {tag.name}")


def select_unprotected(
    ctx: ReadContext, project: Project, tags: Sequence[ContainerTag], *, by_policy: bool
) -> list[ContainerTag]:
    """Return the tags that the caller, or the cleanup policy of the project, may delete."""
    if by_policy:
        patterns = list_protected(ctx, project)
    else:
        patterns = (*list_denied(ctx, project, "delete"), *list_immutable(ctx, project))
    return [tag for tag in tags if not is_matched(patterns, tag.name)]
