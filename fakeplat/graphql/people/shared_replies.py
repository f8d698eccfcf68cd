"""Texts for comments that members of groups and projects share. Source: docs/platform/users.md ('Saved replies')."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from fakeplat.domain.people import saved_replies
from fakeplat.domain.people.members import source_of
from fakeplat.domain.purging import purge
from fakeplat.graphql.errors import ResourceNotAvailable, collect_errors
from fakeplat.graphql.ids import declare_id, parse_id
from fakeplat.graphql.people.groups import GROUP
from fakeplat.graphql.people.saved_replies import CONTENT, TEXTS
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Sdl, Type, mutation
from fakeplat.model.people import Group, Namespace, SavedReply
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature

Payload = Mapping[str, Any]
_OF_GROUPS: Final = "16.10"
_OF_PROJECTS: Final = "16.11"
_GROUP_KIND: Final = "Groups::SavedReply"
_PROJECT_KIND: Final = "Projects::SavedReply"
_KINDS: Final = {"group": _GROUP_KIND, "project": _PROJECT_KIND}
_GIVES_GROUP_REPLY: Final = '"""The text."""\nsavedReply: GroupSavedReply'
_GIVES_PROJECT_REPLY: Final = '"""The text."""\nsavedReply: ProjectSavedReply'

GROUP_REPLY = Type("GroupSavedReply", "A text for comments in a group.", since=_OF_GROUPS, has_count=True)
PROJECT_REPLY = Type("ProjectSavedReply", "A text for comments in a project.", since=_OF_PROJECTS, has_count=True)
for _type, _kind in ((GROUP_REPLY, _GROUP_KIND), (PROJECT_REPLY, _PROJECT_KIND)):
    _type.attributes(CONTENT)
    declare_id(_type, _kind, "The global ID of the text.")


def _may(ctx: ReadContext, ability: Ability, owner: Project | Group) -> bool:
    return has_feature(ctx.world, "premium", owner) and can(ctx, ability, owner)


@GROUP.field(
    "savedReplies(includeAncestorGroups: Boolean = false): GroupSavedReplyConnection", since=_OF_GROUPS, calls=1
)
def replies_of_group(
    ctx: ReadContext, group: Group, include_ancestor_groups: bool | None = None
) -> Sequence[SavedReply] | None:
    """The texts for comments in the group, for Guests; paid tiers only."""
    if not _may(ctx, Ability.READ_SAVED_REPLIES, group):
        return None
    subjects = saved_replies.list_subjects(ctx.world, group, with_ancestors=bool(include_ancestor_groups))
    return saved_replies.list_replies(ctx.world, subjects)


@PROJECT.field("savedReplies: ProjectSavedReplyConnection", since=_OF_PROJECTS)
def replies_of_project(ctx: ReadContext, project: Project) -> Sequence[SavedReply]:
    """The texts for comments in the project, for Guests; paid tiers only."""
    is_allowed = _may(ctx, Ability.READ_SAVED_REPLIES, project)
    return saved_replies.list_replies(ctx.world, [source_of(project)]) if is_allowed else ()


@GROUP.field("savedReply(id: GroupsSavedReplyID!): GroupSavedReply", since=_OF_GROUPS, calls=1)
def reply_of_group(ctx: ReadContext, group: Group, id: str) -> SavedReply | None:  # the argument's name on the wire
    """A text for comments in the group."""
    return _find_in(ctx, group, parse_id(ctx, id, _GROUP_KIND))


@PROJECT.field("savedReply(id: ProjectsSavedReplyID!): ProjectSavedReply", since=_OF_PROJECTS)
def reply_of_project(ctx: ReadContext, project: Project, id: str) -> SavedReply | None:
    """A text for comments in the project."""
    return _find_in(ctx, project, parse_id(ctx, id, _PROJECT_KIND))


def _find_in(ctx: ReadContext, owner: Project | Group, id_: int) -> SavedReply | None:
    reply = ctx.world.saved_replies.get(id_)
    is_own = reply is not None and reply.subject == source_of(owner)
    return reply if is_own and _may(ctx, Ability.READ_SAVED_REPLIES, owner) else None


# Changes


def _create(ctx: WriteContext, owner: Project | Namespace | None, text: str, name: str, content: str) -> Payload:
    subject = source_of(_require_owner(ctx, owner, text))
    with collect_errors():
        return {"saved_reply": saved_replies.create(ctx, subject, name, content)}


def _require_owner(ctx: WriteContext, owner: Project | Namespace | None, text: str) -> Project | Group:
    if not isinstance(owner, Project | Group) or not _may(ctx, Ability.ADMIN_SAVED_REPLIES, owner):
        raise ResourceNotAvailable(lambda: f"{text} does not exist, or {caller_name(ctx)} may not change its texts")
    return owner


@mutation(
    "groupSavedReplyCreate",
    input_fields=f'"""The global ID of the group."""\ngroupId: GroupID!\n{TEXTS}',
    payload_fields=_GIVES_GROUP_REPLY,
    since=_OF_GROUPS,
)
def create_in_group(ctx: WriteContext, group_id: str, name: str, content: str) -> Payload:
    """Keep a text for comments in a group."""
    return _create(ctx, ctx.world.namespaces.get(parse_id(ctx, group_id, "Group")), group_id, name, content)


@mutation(
    "projectSavedReplyCreate",
    input_fields=f'"""The global ID of the project."""\nprojectId: ProjectID!\n{TEXTS}',
    payload_fields=_GIVES_PROJECT_REPLY,
    since=_OF_PROJECTS,
)
def create_in_project(ctx: WriteContext, project_id: str, name: str, content: str) -> Payload:
    """Keep a text for comments in a project."""
    return _create(ctx, ctx.world.projects.get(parse_id(ctx, project_id, "Project")), project_id, name, content)


def _require_reply(ctx: WriteContext, text: str, kind: str) -> SavedReply:
    reply = ctx.world.saved_replies.get(parse_id(ctx, text, kind))
    if reply is None or _KINDS.get(reply.subject[0]) != kind:
        raise ResourceNotAvailable(lambda: f"{text} does not exist")
    owners = ctx.world.projects if kind == _PROJECT_KIND else ctx.world.namespaces
    _require_owner(ctx, owners.get(reply.subject[1]), text)
    return reply


def _declare_changes(field: str, kind: str, gives: Sdl, since: str) -> None:
    """Declare the mutations that change and delete texts of groups, or of projects."""
    which = f'"""The global ID of the text."""\nid: {kind.replace("::", "")}ID!'

    @mutation(f"{field}SavedReplyUpdate", input_fields=f"{which}\n{TEXTS}", payload_fields=gives, since=since)
    def update(ctx: WriteContext, id: str, name: str, content: str) -> Payload:
        """Change a text for comments that members share."""
        reply = _require_reply(ctx, id, kind)
        with collect_errors():
            return {"saved_reply": saved_replies.update(ctx, reply, name, content)}

    @mutation(f"{field}SavedReplyDestroy", input_fields=which, payload_fields=gives, since=since)
    def destroy(ctx: WriteContext, id: str) -> Payload:
        """Delete a text for comments that members share."""
        reply = _require_reply(ctx, id, kind)
        purge(ctx, reply)
        return {"saved_reply": reply}


_declare_changes("group", _GROUP_KIND, _GIVES_GROUP_REPLY, _OF_GROUPS)
_declare_changes("project", _PROJECT_KIND, _GIVES_PROJECT_REPLY, _OF_PROJECTS)
