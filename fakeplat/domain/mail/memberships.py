"""Mails about access to projects and groups: requested, granted, changed and denied.

Source: docs/platform/mail.md ('Events and recipients').
"""

from collections.abc import Iterator, Sequence

from fakeplat.domain.mail import messages
from fakeplat.domain.mail.messages import Message, defuse, disables_mail
from fakeplat.domain.mail.recipients import (
    Audience,
    get_address,
    get_setting,
)
from fakeplat.domain.people import access_requests, namespaces
from fakeplat.domain.urls import container_url
from fakeplat.model.outgoing import OutgoingMail
from fakeplat.model.people import AccessRequest, Group, Invitation, Level, User, UserNamespace
from fakeplat.model.projects import Container, Member, Project
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext


def write_granted(ctx: ReadContext, member: Member) -> Iterator[OutgoingMail]:
    """Write the mail about a new membership, or another access level."""
    container, user = _find_container(ctx.world, member.source), ctx.world.users.get(member.user_id)
    if container is None or user is None or _is_personal(ctx.world, container, user):
        return
    kind, name = _describe(ctx.world, container)
    role = Level(member.access_level).name.title()
    text = f"You have been granted {role} access to the {name} {kind}."
    audience = Audience(ctx, container)
    audience.add([user.id], "mention")
    texts = [text, f"Leave the {kind}: {container_url(ctx, container)}?leave=1"]
    for recipient in audience.list_recipients():
        yield _write(ctx, container, recipient.user, f"Access to the {name} {kind} was granted", texts)


def _is_personal(world: World, container: Container, user: User) -> bool:
    """Return whether the project is in the user's own namespace: then nobody has to tell them."""
    if not isinstance(container, Project):
        return False
    namespace = world.namespaces[container.namespace_id]
    return isinstance(namespace, UserNamespace) and namespace.owner_id == user.id


def write_invitation(ctx: ReadContext, invitation: Invitation) -> Iterator[OutgoingMail]:
    """Write the mail to an address that was invited."""
    container = _find_container(ctx.world, invitation.source)
    if container is None:
        return
    kind, name = _describe(ctx.world, container)
    by = ctx.world.users.get(invitation.created_by) if invitation.created_by is not None else None
    role = Level(invitation.access_level).name.title()
    subject = f"{by.name if by else 'You are'} invited {'you ' if by else ''}to join {container.name}"
    texts = [
        f"You have been invited to join the {name} {kind} as a {role}.",
        f"Accept the invitation: {ctx.origin}/-/invites/{invitation.invite_token}",
        f"Decline the invitation: {ctx.origin}/-/invites/{invitation.invite_token}/decline",
    ]
    project = container if isinstance(container, Project) else None
    message = Message(parts=(subject,), paragraphs=texts, view=container_url(ctx, container), container=project)
    yield messages.write(ctx, message, invitation.invite_email)


def write_requested(ctx: ReadContext, request: AccessRequest) -> Iterator[OutgoingMail]:
    """Write the mails about a request for access: to those who may grant it and were there last."""
    container, user = _find_container(ctx.world, request.source), ctx.world.users.get(request.user_id)
    if container is None or user is None or disables_mail(ctx.world, container):
        return
    if get_setting(ctx.world, user.id, container).level == "disabled":
        return
    kind, name = _describe(ctx.world, container)
    text = f"{defuse(user.name)} ( {ctx.origin}/{user.username} ) requested access to the {name} {kind}."
    texts = [text, f"Requests: {container_url(ctx, container)}/-/{kind}_members"]
    for approver in _list_approvers(ctx, container):
        yield _write(ctx, container, approver, f"Request to join the {name} {kind}", texts)


def _list_approvers(ctx: ReadContext, container: Container) -> list[User]:
    """Return the maintainers of a project, else the owners of its group; of a group its owners."""
    direct = access_requests.list_approvers(ctx, container)
    if direct or isinstance(container, Group):
        return direct
    group = ctx.world.namespaces[container.namespace_id]
    return access_requests.list_approvers(ctx, group) if isinstance(group, Group) else []


def write_denied(ctx: ReadContext, request: AccessRequest, actor: User | None) -> Iterator[OutgoingMail]:
    """Write the mail about a request that somebody else denied."""
    container, user = _find_container(ctx.world, request.source), ctx.world.users.get(request.user_id)
    # A request also goes when it is granted.
    is_member = ctx.world.members.find("pair", (request.source, request.user_id)) is not None
    if container is None or user is None or is_member or (actor is not None and actor.id == user.id):
        return
    kind, name = _describe(ctx.world, container)
    audience = Audience(ctx, container)
    audience.add([user.id], "mention")
    text = f"Your request to join the {name} {kind} has been denied."
    for recipient in audience.list_recipients():
        yield _write(ctx, container, recipient.user, f"Access to the {name} {kind} was denied", [text])


def _find_container(world: World, source: tuple[str, int]) -> Container | None:
    kind, id_ = source
    container = world.projects.get(id_) if kind == "project" else world.namespaces.get(id_)
    return container if isinstance(container, Project | Group) else None


def _describe(world: World, container: Container) -> tuple[str, str]:
    """Return what a container is, and its full name."""
    if isinstance(container, Project):
        above = namespaces.full_name(world, world.namespaces[container.namespace_id])
        return "project", f"{above} / {container.name}"
    return "group", namespaces.full_name(world, container)


def _write(ctx: ReadContext, container: Container, user: User, subject: str, paragraphs: Sequence[str]) -> OutgoingMail:
    project = container if isinstance(container, Project) else None
    message = Message(parts=(subject,), paragraphs=paragraphs, view=container_url(ctx, container), container=project)
    return messages.write(ctx, message, get_address(ctx.world, user, container), user.id)
