"""Rules that protect image repositories and tags of images.

Source: docs/platform/graphql.md, docs/platform/registry.md.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypedDict, Unpack, cast

from graphql import GraphQLError

from fakeplat.core.operations.errors import RecordNotFound
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.purging import purge
from fakeplat.domain.registry import protection_rules, tag_protection_rules
from fakeplat.graphql.errors import collect_errors
from fakeplat.graphql.ids import global_id, parse_id
from fakeplat.graphql.lookups import require_project
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.registry import TAG
from fakeplat.graphql.schema_builder import Enumeration, Interface, Scalar, Type, mutation
from fakeplat.model.projects import Project
from fakeplat.model.registry import ContainerProtectionRule, ContainerTag, ContainerTagProtectionRule
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, can
from fakeplat.policy.context import ReadContext, WriteContext

Payload = Mapping[str, Any]
_FIRST: Final = "16.6"
_CHANGES: Final = "16.7"
_RENAMED: Final = "<=18.5"
_TAGS: Final = "17.8"
_IMMUTABLE: Final = "17.11"
_KIND: Final = "ContainerRegistry::Protection::Rule"
_TAG_KIND: Final = "ContainerRegistry::Protection::TagRule"
_ROLES: Final = {
    "MAINTAINER": ("maintainer", "Maintainers."),
    "OWNER": ("owner", "Owners."),
    "ADMIN": ("admin", "Administrators."),
}
_PUSH: Final = "The lowest role that may push."
_DELETE: Final = "The lowest role that may delete."


class RuleFields(TypedDict, total=False):
    """Attributes of a rule for image repositories."""

    repository_path_pattern: str | None
    minimum_access_level_for_push: str | None
    minimum_access_level_for_delete: str | None


class TagRuleFields(TypedDict, total=False):
    """Attributes of a rule for tags."""

    tag_name_pattern: str | None
    minimum_access_level_for_push: str | None
    minimum_access_level_for_delete: str | None


def _refuse_blank(fields: Mapping[str, str | None], name: str, shown: str) -> None:
    if name in fields and not (fields[name] or "").strip():
        raise GraphQLError(f"{shown} can't be blank")


# Image repositories

Scalar("ContainerRegistryProtectionRuleID", "The global ID of a rule that protects image repositories.", since=_FIRST)
Enumeration(
    "ContainerRegistryProtectionRuleAccessLevel", "The lowest role that may push.", _ROLES, since=_FIRST, until=_RENAMED
)
Enumeration("ContainerProtectionRepositoryRuleAccessLevel", "The lowest role of a rule.", _ROLES, since="16.10")
FIRST_RULE: Final = Type(
    "ContainerRegistryProtectionRule", "A rule that protects image repositories.", since=_FIRST, until=_RENAMED
)
RULE: Final = Type("ContainerProtectionRepositoryRule", "A rule that protects image repositories.", since="16.10")
for _type, _level in (
    (FIRST_RULE, "ContainerRegistryProtectionRuleAccessLevel"),
    (RULE, "ContainerProtectionRepositoryRuleAccessLevel"),
):
    _type.attributes(
        {
            "repositoryPathPattern: String!": "The paths of the image repositories, with `*`.",
            f"minimumAccessLevelForPush: {_level}": _PUSH,
            f"minimumAccessLevelForDelete: {_level}": _DELETE,
        }
    )


@FIRST_RULE.field("id: ContainerRegistryProtectionRuleID!")
@RULE.field("id: ContainerRegistryProtectionRuleID!")
def id_of(ctx: ReadContext, rule: ContainerProtectionRule) -> str:
    """The global ID."""
    return global_id(ctx, _KIND, rule.id)


@PROJECT.field("containerProtectionRepositoryRules: ContainerProtectionRepositoryRuleConnection", since="16.10")
def rules_of(ctx: ReadContext, project: Project) -> Sequence[ContainerProtectionRule]:
    """The rules that protect image repositories, for those who administer these; newest first."""
    readable = can(ctx, Ability.ADMIN_CONTAINER_IMAGE, project)
    return [*reversed(ctx.world.container_protection_rules.where("project", project.id))] if readable else []


def _get_rule(ctx: ReadContext, text: str) -> ContainerProtectionRule:
    rule = ctx.world.container_protection_rules.get(parse_id(ctx, text, _KIND))
    if rule is None:
        raise RecordNotFound(reason=f"{text} does not exist")
    authorize(ctx, Ability.ADMIN_CONTAINER_IMAGE, ctx.world.projects[rule.project_id])
    return rule


def _give(rule: ContainerProtectionRule) -> Payload:
    return dict.fromkeys(("container_registry_protection_rule", "container_protection_repository_rule"), rule)


def create_rule(ctx: WriteContext, project_path: str, **fields: Unpack[RuleFields]) -> Payload:
    """Protect image repositories of a project."""
    values = cast(Mapping[str, str | None], fields)
    _refuse_blank(values, "repository_path_pattern", "repositoryPathPattern")
    project = require_project(ctx, project_path)
    authorize(ctx, Ability.ADMIN_CONTAINER_IMAGE, project)
    with collect_errors():
        return _give(protection_rules.create(ctx, project, values))


def update_rule(ctx: WriteContext, id: str, **fields: Unpack[RuleFields]) -> Payload:
    """Change a rule that protects image repositories."""
    values = cast(Mapping[str, str | None], fields)
    _refuse_blank(values, "repository_path_pattern", "repositoryPathPattern")
    rule = _get_rule(ctx, id)
    with collect_errors():
        return _give(protection_rules.update(ctx, rule, values))


def delete_rule(ctx: WriteContext, id: str) -> Payload:
    """Delete a rule that protects image repositories."""
    rule = _get_rule(ctx, id)
    purge(ctx, rule)
    return _give(rule)


@frozen
class _Names:
    """What the mutations of rules for image repositories are called in a range of releases."""

    type_name: str
    created_since: str
    changed_since: str
    until: str = ""

    @property
    def payload(self) -> str:
        """The field of payloads."""
        return f'"""The rule."""\n{self.type_name[0].lower()}{self.type_name[1:]}: {self.type_name}'

    def levels(self) -> str:
        """The fields of inputs."""
        level = f"{self.type_name}AccessLevel"
        return (
            f'"""{_PUSH}"""\nminimumAccessLevelForPush: {level}\n"""{_DELETE}"""\nminimumAccessLevelForDelete: {level}'
        )


_PATTERN: Final = '"""The paths of the image repositories, with `*`."""\nrepositoryPathPattern: String'
_ID: Final = '"""The global ID of the rule."""\nid: ContainerRegistryProtectionRuleID!'


def _declare_mutations(names: _Names) -> None:
    def declare(verb: str, call: Callable[..., Payload], input_fields: str, since: str) -> None:
        name = f"{verb}{names.type_name}"
        declared = mutation(
            name, input_fields=input_fields, payload_fields=names.payload, since=since, until=names.until
        )
        declared(call)

    path = f'"""The full path of the project."""\nprojectPath: ID!\n{_PATTERN}!\n{names.levels()}'
    declare("create", create_rule, path, names.created_since)
    declare("update", update_rule, f"{_ID}\n{_PATTERN}\n{names.levels()}", names.changed_since)
    declare("delete", delete_rule, _ID, names.changed_since)


_declare_mutations(_Names("ContainerRegistryProtectionRule", _FIRST, _CHANGES, _RENAMED))
_declare_mutations(_Names("ContainerProtectionRepositoryRule", _RENAMED, _RENAMED))


# Tags

Scalar("ContainerRegistryProtectionTagRuleID", "The global ID of a rule that protects tags of images.", since=_TAGS)
Enumeration("ContainerProtectionTagRuleAccessLevel", "The lowest role of a rule for tags.", _ROLES, since=_TAGS)
_LEVELS: Final = {
    "minimumAccessLevelForPush: ContainerProtectionTagRuleAccessLevel": _PUSH,
    "minimumAccessLevelForDelete: ContainerProtectionTagRuleAccessLevel": _DELETE,
}
Interface("AccessLevelInterface", "The lowest roles that may push and delete tags of images.", _LEVELS, since=_RENAMED)
TAG_RULE: Final = Type(
    "ContainerProtectionTagRule",
    "A rule that protects tags of images.",
    implements=("AccessLevelInterface",),
    since=_TAGS,
)
PROTECTION: Final = Type(
    "ContainerProtectionAccessLevel",
    "The highest roles that the rules for a tag require.",
    implements=("AccessLevelInterface",),
    since="17.9",
)
TAG_RULE.attributes({"tagNamePattern: String!": "The names of the tags, a regular expression."})
for _type in (TAG_RULE, PROTECTION):
    _type.attributes(_LEVELS)


@TAG_RULE.field("id: ContainerRegistryProtectionTagRuleID!")
def id_of_tag_rule(ctx: ReadContext, rule: ContainerTagProtectionRule) -> str:
    """The global ID."""
    return global_id(ctx, _TAG_KIND, rule.id)


@TAG_RULE.field("immutable: Boolean!", since=_IMMUTABLE)
@PROTECTION.field("immutable: Boolean!", since=_IMMUTABLE)
def is_immutable(_ctx: ReadContext, rule: ContainerTagProtectionRule) -> bool:
    """Whether nobody may change matching tags."""
    return rule.is_immutable


@PROJECT.field("containerProtectionTagRules: ContainerProtectionTagRuleConnection", since=_TAGS)
def tag_rules_of(ctx: ReadContext, project: Project) -> Sequence[ContainerTagProtectionRule]:
    """The rules that protect tags of images, for those who administer these; newest first."""
    readable = can(ctx, Ability.ADMIN_CONTAINER_IMAGE, project)
    return [*reversed(tag_protection_rules.list_effective(ctx, project))] if readable else []


@TAG.field("protection: ContainerProtectionAccessLevel", since="17.9")
def protection_of(ctx: ReadContext, tag: ContainerTag) -> ContainerTagProtectionRule | None:
    """The highest roles that the rules for the tag require."""
    project = ctx.world.projects[ctx.world.container_repositories[tag.repository_id].project_id]
    return tag_protection_rules.combine_matching(ctx, project, tag.name)


def _get_tag_rule(ctx: ReadContext, text: str) -> tuple[Project, ContainerTagProtectionRule]:
    rule = ctx.world.container_tag_protection_rules.get(parse_id(ctx, text, _TAG_KIND))
    if rule is None:
        raise RecordNotFound(reason=f"{text} does not exist")
    return ctx.world.projects[rule.project_id], rule


_GIVES: Final = '"""The rule."""\ncontainerProtectionTagRule: ContainerProtectionTagRule'
_TAG_ID: Final = '"""The global ID of the rule."""\nid: ContainerRegistryProtectionTagRuleID!'
_TAG_PATTERN: Final = '"""The names of the tags, a regular expression."""\ntagNamePattern: String'
_TAG_LEVELS: Final = "\n".join(f'"""{text}"""\n{signature}' for signature, text in _LEVELS.items())


@mutation(
    "createContainerProtectionTagRule",
    input_fields=f'"""The full path of the project."""\nprojectPath: ID!\n{_TAG_PATTERN}!\n{_TAG_LEVELS}',
    payload_fields=_GIVES,
    since=_TAGS,
)
def create_tag_rule(ctx: WriteContext, project_path: str, **fields: Unpack[TagRuleFields]) -> Payload:
    """Protect tags of images of a project."""
    _refuse_blank(cast(Mapping[str, str | None], fields), "tag_name_pattern", "tagNamePattern")
    project = require_project(ctx, project_path)
    authorize(ctx, Ability.ADMIN_CONTAINER_IMAGE, project)
    with collect_errors():
        new = cast(tag_protection_rules.NewRule, fields)
        return {"container_protection_tag_rule": tag_protection_rules.create(ctx, project, **new)}


@mutation(
    "updateContainerProtectionTagRule",
    input_fields=f"{_TAG_ID}\n{_TAG_PATTERN}\n{_TAG_LEVELS}",
    payload_fields=_GIVES,
    since=_TAGS,
)
def update_tag_rule(ctx: WriteContext, id: str, **fields: Unpack[TagRuleFields]) -> Payload:
    """Change a rule that protects tags of images."""
    _refuse_blank(cast(Mapping[str, str | None], fields), "tag_name_pattern", "tagNamePattern")
    project, rule = _get_tag_rule(ctx, id)
    authorize(ctx, Ability.ADMIN_CONTAINER_IMAGE, project)
    with collect_errors():
        changes = cast(tag_protection_rules.RuleChanges, fields)
        return {"container_protection_tag_rule": tag_protection_rules.update(ctx, rule, **changes)}


@mutation("deleteContainerProtectionTagRule", input_fields=_TAG_ID, payload_fields=_GIVES, since=_TAGS)
def delete_tag_rule(ctx: WriteContext, id: str) -> Payload:
    """Delete a rule that protects tags of images."""
    project, rule = _get_tag_rule(ctx, id)
    tag_protection_rules.authorize_removal(ctx, project, rule)
    purge(ctx, rule)
    return {"container_protection_tag_rule": rule}
