"""The format of e-mails: sender, subject, headers of projects and threads, text, footer and HTML.

Source: docs/platform/mail.md ('Common format').
"""

import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, Final, Literal

from attrs import evolve

from fakeplat.core.rng import random_bytes
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.people.namespaces import full_path, project_path
from fakeplat.model.outgoing import OutgoingMail
from fakeplat.model.people import Group, User
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext
from fakeplat.policy.levels import ancestors_of

SHORT_SHA: Final = 8
_LIST_ID_LIMIT: Final = 255
_NO_NAME_CHARACTER: Final = re.compile(r"[^a-z0-9-]")
_DOT_IN_NAME: Final = re.compile(r"(?<=\w)\.(?=\w)")
_LINK: Final = re.compile(r"https?://[^\s<>()]+")
_REASONS: Final[Mapping[str, str]] = {
    "own_activity": "of your activity on",
    "assigned": "you have been assigned an item on",
    "mentioned": "you have been mentioned on",
}
_OTHER_REASON: Final = "of your account on"


@frozen
class Thread:
    """The place of a mail in a conversation. Ids of messages are without the host, such as ``issue_7``.

    Without a ``message_id``, the mail gets one that nothing else refers to. ``subject`` is what one can unsubscribe
    from, if anything.
    """

    message_id: str = ""
    in_reply_to: str = ""
    references: Sequence[str] = ()
    subject: tuple[Any, ...] | None = None

    def about(self, subject: tuple[object, ...]) -> "Thread":
        """Return the same place, from which one can unsubscribe."""
        return evolve(self, subject=subject)


@frozen
class Message:
    """What all recipients of an event are told.

    ``parts`` are joined to the subject. ``view`` is the address of what the mail is about, and ``action`` the name of
    the button that some mailboxes show for it. A mail in the name of a user has a ``sender``.
    """

    parts: Sequence[str]
    paragraphs: Sequence[str]
    view: str = ""
    action: str = ""
    sender: User | None = None
    container: Project | Group | None = None
    headers: Mapping[str, str] = {}
    thread: Thread | None = None
    footer: str = ""
    gives_reason: bool = True

    def with_headers(self, headers: Mapping[str, str]) -> "Message":
        """Return the message with more headers."""
        return evolve(self, headers={**self.headers, **headers})

    def as_first(self) -> "Message":
        """Return the message as the first of its thread, whose subject does not begin with ``Re:``."""
        return evolve(self, parts=(self.parts[0].removeprefix("Re: "), *self.parts[1:]))


def write_sender(ctx: ReadContext, name: str = "GitLab") -> dict[str, str]:
    """Return the headers of a mail that the instance sends in somebody's name."""
    shown = _quote(name)
    return {"From": f'"{shown}" <gitlab@{ctx.hostname}>', "Reply-To": f'"{shown}" <noreply@{ctx.hostname}>'}


def _quote(name: str) -> str:
    return _one_line(name).replace("\\", "\\\\").replace('"', '\\"')


def _one_line(text: str) -> str:
    return " ".join(text.split())


def write_project_headers(ctx: ReadContext, project: Project) -> dict[str, str]:
    """Return the headers that tell the project of a mail."""
    path = project_path(ctx.world, project)
    names = [_NO_NAME_CHARACTER.sub("-", part) for part in path.lower().split("/")]
    ending = f"{'.'.join(reversed(names))}.{ctx.hostname}>"
    place = f"<{project.id}.{ending}"
    return {
        "X-GitLab-Project": _one_line(project.name),
        "X-GitLab-Project-Id": str(project.id),
        "X-GitLab-Project-Path": path,
        "List-Id": f"{path} {place}" if len(path) + 1 + len(place) <= _LIST_ID_LIMIT else place,
    }


def _write_group_headers(ctx: ReadContext, group: Group) -> dict[str, str]:
    return {"X-GitLab-Group-Id": str(group.id), "X-GitLab-Group-Path": full_path(ctx.world, group)}


def disables_mail(world: World, container: Project | Group | None) -> bool:
    """Return whether a project or group, or a group above it, disables e-mail."""
    if container is None:
        return False
    groups = (namespace for namespace in ancestors_of(world, container) if isinstance(namespace, Group))
    return bool(isinstance(container, Project) and container.emails_disabled) or any(
        group.emails_disabled for group in groups
    )


def defuse(name: str) -> str:
    """Return a name in which nothing looks like a link."""
    return _DOT_IN_NAME.sub("_", name)


def write(ctx: ReadContext, message: Message, to: str, user_id: int = 0, reason: str = "") -> OutgoingMail:
    """Write a message to one recipient."""
    headers: dict[str, str] = {**write_sender(ctx, message.sender.name if message.sender else "GitLab")}
    if isinstance(message.container, Project):
        headers |= write_project_headers(ctx, message.container)
    elif message.container is not None:
        headers |= _write_group_headers(ctx, message.container)
    headers |= message.headers
    unsubscribe = ""
    if message.thread is not None:
        # Whatever tells this mail from others: a mail is written long after its event, without a counter.
        purpose = f"mail/{user_id}/{message.thread}/{message.paragraphs}"
        key = random_bytes(ctx.world.setup.seed, purpose, ctx.now()).hex()
        unsubscribe = _unsubscribe_url(ctx, key) if message.thread.subject else ""
        headers |= _write_thread(ctx, message.thread, key, unsubscribe)
        headers["X-GitLab-NotificationReason"] = reason
    headers |= {"Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All"}
    message = evolve(message, paragraphs=[*_list_texts_of_instance(ctx, "header_message"), *message.paragraphs])
    footer = _list_footer(ctx, message, reason, unsubscribe)
    text = "\n\n".join([*message.paragraphs, "\n".join(["-- ", *footer])])
    subject = _write_subject([*message.parts, *filter(None, (ctx.instance.email_subject_suffix,))])
    return OutgoingMail(to, subject, f"{text}\n", headers, reason, _write_html(ctx, message, footer))


def _write_subject(parts: Sequence[str]) -> str:
    return " | ".join(map(_one_line, parts))


def _write_thread(ctx: ReadContext, thread: Thread, key: str, unsubscribe: str) -> dict[str, str]:
    host = ctx.hostname
    own_id = thread.message_id or random_bytes(ctx.world.setup.seed, f"message/{key}", ctx.now()).hex()
    headers = {"Message-ID": f"<{own_id}@{host}>"}
    if thread.in_reply_to:
        headers["In-Reply-To"] = f"<{thread.in_reply_to}@{host}>"
    if thread.references:
        headers["References"] = " ".join(f"<{id_}@{host}>" for id_ in thread.references)
    if unsubscribe:
        headers["List-Unsubscribe"] = f"<{unsubscribe}?force=true>"
    return {**headers, "X-GitLab-Reply-Key": key}


def _unsubscribe_url(ctx: ReadContext, key: str) -> str:
    return f"{ctx.origin}/-/sent_notifications/{key}/unsubscribe"


def _list_footer(ctx: ReadContext, message: Message, reason: str, unsubscribe: str) -> list[str]:
    lines = [f"View it on GitLab: {message.view}"] if message.view else []
    if message.gives_reason:
        lines.append(f"You're receiving this email because {_REASONS.get(reason, _OTHER_REASON)} {ctx.hostname}.")
    if unsubscribe:
        lines.append(f"Unsubscribe from this thread: {unsubscribe}")
    if message.footer:
        lines.append(message.footer)
    if ctx.world.settings.email_additional_text and ctx.instance.has("premium"):
        lines.append(ctx.world.settings.email_additional_text)
    return [*lines, *_list_texts_of_instance(ctx, "footer_message")]


def _list_texts_of_instance(ctx: ReadContext, name: Literal["header_message", "footer_message"]) -> list[str]:
    appearances = (appearance for appearance in ctx.world.appearances if appearance.email_header_and_footer_enabled)
    return [text for appearance in appearances if (text := str(getattr(appearance, name)))]


def _write_html(ctx: ReadContext, message: Message, footer: Sequence[str]) -> str:
    """Return the HTML of a mail, with the action that mailboxes may offer; empty if the instance sends only text."""
    if not ctx.world.settings.html_emails_enabled:
        return ""
    paragraphs = "\n".join(f"<p>{_link(text)}</p>" for text in message.paragraphs)
    ending = "<br>\n".join(map(_link, footer))
    return f"<html><body>\n{paragraphs}\n<p>&#8212;<br>\n{ending}</p>\n{_write_action(message)}</body></html>\n"


def _link(text: str) -> str:
    return _LINK.sub(lambda match: f'<a href="{match[0]}">{match[0]}</a>', escape(text)).replace("\n", "<br>\n")


def _write_action(message: Message) -> str:
    if not message.action:
        return ""
    from orjson import dumps

    action = {"@type": "ViewAction", "name": message.action, "url": message.view}
    data = {"@context": "http://schema.org", "@type": "EmailMessage", "action": action}
    # A tag in an address must not end the script.
    text = dumps(data).decode().replace("<", "\\u003c")
    return f'<script type="application/ld+json">{text}</script>\n'
