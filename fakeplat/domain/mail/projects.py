"""Mails about projects and groups: releases, moves, exports and alerts.

Source: docs/platform/mail.md ('Events and recipients', 'Subjects').
"""

from collections.abc import Iterable, Iterator

from fakeplat.domain.mail import messages
from fakeplat.domain.mail.messages import Message, disables_mail
from fakeplat.domain.mail.recipients import Audience, Recipient, get_address, list_maintainers
from fakeplat.domain.people import members, namespaces
from fakeplat.domain.urls import namespace_url, project_url, release_url, ssh_url
from fakeplat.model.alerts import Alert
from fakeplat.model.outgoing import OutgoingMail
from fakeplat.model.people import Group
from fakeplat.model.projects import Container, Project
from fakeplat.model.releases import Release
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext


def write_release(ctx: ReadContext, release: Release) -> Iterator[OutgoingMail]:
    """Write the mails about a new release, to those who watch the project or asked for this event."""
    project = ctx.world.projects.get(release.project_id)
    if project is None:
        return
    author = ctx.world.users.get(release.author_id or 0)

    def can_read(reader: ReadContext) -> bool:
        return can(reader, Ability.READ_RELEASE, project)

    audience = Audience(ctx, project, action="new_release", actor=author, can_read=can_read)
    audience.add_observers()
    title = release.name if release.name == release.tag_name else f"{release.name} - {release.tag_name}"
    page = release_url(ctx, project, release.tag_name)
    texts = [f"A new Release {release.name} for {project.name} was published: {page}"]
    texts += [text for text in (release.description,) if text]
    message = Message((project.name, f"New release: {title}"), texts, view=page, sender=author, container=project)
    yield from _deliver(ctx, message, audience.list_recipients())


def write_moved(ctx: ReadContext, before: Project, after: Project) -> Iterator[OutgoingMail]:
    """Write the mails about a project with another path, to those who maintain it."""
    audience = Audience(
        ctx, after, action="moved_project", can_read=lambda reader: can(reader, Ability.ADMIN_PROJECT, after)
    )
    audience.add((member.user_id for member in members.list_inherited(ctx.world, after)), "custom")
    old_path = f"{namespaces.full_path(ctx.world, ctx.world.namespaces[before.namespace_id])}/{before.path}"
    texts = [
        f"Project {old_path} was moved to another location.",
        f"The project is now located at {_full_name(ctx.world, after)}: {project_url(ctx, after)}",
        f"To update the remote url in your local repository: git remote set-url origin {ssh_url(ctx, after)}",
    ]
    message = Message((after.name, "Project was moved"), texts, view=project_url(ctx, after), container=after)
    yield from _deliver(ctx, message, audience.list_recipients())


def write_exported(ctx: ReadContext, source: tuple[str, int], user_id: int) -> Iterator[OutgoingMail]:
    """Write the mail about a finished export, to whom asked for it."""
    kind, id_ = source
    table = ctx.world.projects if kind == "project" else ctx.world.namespaces
    if table.get(id_) is None:
        return
    container = members.container_of(ctx.world, source)
    if not isinstance(container, Project | Group):
        return
    audience = Audience(ctx, container)
    audience.add([user_id], "mention")
    project = container if isinstance(container, Project) else None
    word = "Group" if project is None else "Project"
    page = namespace_url(ctx, container) + "/-" if isinstance(container, Group) else project_url(ctx, container)
    message = Message(
        (container.name, f"{word} was exported"),
        [f"{word} {container.name} was exported successfully.", f"Download: {page}/download_export"],
        container=project,
    )
    yield from _deliver(ctx, message, audience.list_recipients(), container)


def write_alert(ctx: ReadContext, alert: Alert) -> Iterator[OutgoingMail]:
    """Write the mails about a new alert, to those who maintain the project."""
    project = ctx.world.projects.get(alert.project_id)
    if project is None or disables_mail(ctx.world, project):
        return
    page = f"{project_url(ctx, project)}/-/alert_management/{alert.iid}/details"
    texts = [f"An alert has been triggered in {_full_name(ctx.world, project)}: {alert.title}"]
    texts += [f"Description: {text}" for text in (alert.description,) if text]
    message = Message((project.name, f"Alert: {alert.title}"), texts, view=page, container=project)
    # Whatever their notification levels are.
    yield from _deliver(ctx, message, [Recipient(user) for user in list_maintainers(ctx, project)])


def _full_name(world: World, project: Project) -> str:
    return f"{namespaces.full_name(world, world.namespaces[project.namespace_id])} / {project.name}"


def _deliver(
    ctx: ReadContext, message: Message, recipients: Iterable[Recipient], container: Container | None = None
) -> Iterator[OutgoingMail]:
    for recipient in recipients:
        address = get_address(ctx.world, recipient.user, container or message.container)
        yield messages.write(ctx, message, address, recipient.user.id, recipient.reason)
