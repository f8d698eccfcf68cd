"""Mails to people about their own accounts. Source: docs/platform/mail.md ('Account mails').

These are sent whatever the notification level is, and some of them to addresses that are not confirmed yet.
"""

from collections.abc import Iterator, Sequence

from fakeplat.domain.mail import messages
from fakeplat.domain.mail.messages import Message, defuse
from fakeplat.domain.mail.recipients import get_address, get_setting, may_receive
from fakeplat.domain.people import confirmations, members, namespaces, password_resets, tokens
from fakeplat.model.outgoing import OutgoingMail
from fakeplat.model.people import Achievement, Email, GpgKey, Group, Level, SshKey, Token, User, UserAchievement
from fakeplat.model.projects import Project
from fakeplat.policy.behaviours import TOKEN_MAILS_IN_LOWER_CASE
from fakeplat.policy.context import ReadContext


def write_new_user(ctx: ReadContext, user: User, is_invited: bool, chooses_password: bool) -> Iterator[OutgoingMail]:
    """Write the mails to a new user: to confirm the address, and about the account that somebody else created."""
    if user.confirmed_at is None:
        yield from write_confirmation(ctx, user, user.email)
    has_identity = any(True for _ in ctx.world.identities.where("user", user.id))
    if not is_invited or has_identity or get_setting(ctx.world, user.id, None).level == "disabled":
        return
    texts = [_greet(user), "The administrator created an account for you.", f"Login: {user.email}"]
    if chooses_password:
        texts.append(_invite_to_reset(ctx, user))
    yield from _write(ctx, user, user.email, "Account was created for you", texts)


def write_forgotten_password(ctx: ReadContext, user: User) -> Iterator[OutgoingMail]:
    """Write the mail with which somebody sets a new password."""
    texts = [
        f"Hello, {defuse(user.name)}!",
        "Somebody asked for a link to change your password.",
        _invite_to_reset(ctx, user),
    ]
    yield from _write(ctx, user, user.email, "Reset password instructions", texts)


def write_achievement(ctx: ReadContext, award: UserAchievement, achievement: Achievement) -> Iterator[OutgoingMail]:
    """Write the mail about an achievement that an active user got."""
    user = ctx.world.users.get(award.user_id)
    group = ctx.world.namespaces.get(achievement.group_id)
    if user is None or group is None or user.state != "active":
        return
    text = f"{namespaces.full_path(ctx.world, group)} awarded you the {defuse(achievement.name)} achievement"
    shown = "Your profile shows your achievements."
    yield from _write(ctx, user, get_address(ctx.world, user, None), text, [f"{text}!", shown])


def _invite_to_reset(ctx: ReadContext, user: User) -> str:
    token = password_resets.create_token(ctx.world, ctx.world.users.get(user.id) or user, ctx.now())
    url = f"{ctx.origin}/users/password/edit?reset_password_token={token}"
    return f"Set your password: {url}\nThis link is valid for 2 days."


def write_confirmation(ctx: ReadContext, user: User, address: str) -> Iterator[OutgoingMail]:
    """Write the mail with which somebody confirms an address."""
    token = confirmations.create_token(ctx.world, user, address)
    url = f"{ctx.origin}/users/confirmation?confirmation_token={token}"
    texts = [f"Welcome, {defuse(user.name)}!", f"Confirm your email address {address}: {url}"]
    yield from _write(ctx, user, address, "Confirmation instructions", texts)


def write_changes(ctx: ReadContext, before: User, after: User) -> Iterator[OutgoingMail]:
    """Write the mails about another address or password."""
    if after.unconfirmed_email and after.unconfirmed_email != before.unconfirmed_email:
        yield from write_confirmation(ctx, after, after.unconfirmed_email)
        yield from _write_changed_address(ctx, before, after.unconfirmed_email)
    elif after.email != before.email and after.email != before.unconfirmed_email:
        yield from _write_changed_address(ctx, before, after.email)
    if after.password != before.password:
        # A password that somebody else set has to be changed at once.
        subject = "Password changed by administrator" if after.password_expired else "Password Changed"
        yield from _write(ctx, after, after.email, subject, [_greet(after), f"The password of {after.email} changed."])


def _write_changed_address(ctx: ReadContext, user: User, address: str) -> Iterator[OutgoingMail]:
    text = f"The email address of your account is being changed to {address}."
    yield from _write(ctx, user, user.email, "Email Changed", [_greet(user), text])


def write_new_address(ctx: ReadContext, email: Email) -> Iterator[OutgoingMail]:
    """Write the mail with which a user confirms a further address."""
    yield from write_confirmation(ctx, ctx.world.users[email.user_id], email.email)


def write_new_key(ctx: ReadContext, key: SshKey | GpgKey) -> Iterator[OutgoingMail]:
    """Write the mail about a new SSH or GPG key."""
    user = ctx.world.users.get(key.user_id)
    if user is None or not may_receive(user):
        return
    kind, title = ("SSH", key.title) if isinstance(key, SshKey) else ("GPG", key.fingerprint)
    texts = [_greet(user), f"A new {kind} key was added to your account: {title}"]
    yield from _write(ctx, user, user.email, f"{kind} key was added to your account", texts)


def write_expiring_token(ctx: ReadContext, token: Token, days: int) -> Iterator[OutgoingMail]:
    """Write the mails about an access token that expires within some days."""
    texts = [f"The access token {token.name} expires on {token.expires_at}."]
    if token.kind == "personal":
        words = "personal access tokens" if ctx.profile.has(TOKEN_MAILS_IN_LOWER_CASE) else "Personal Access Tokens"
        yield from _write_about_token(ctx, token, f"Your {words} will expire in {days} days or less", texts)
        return
    container = tokens.container_of(ctx.world, token)
    subject = f"Your resource access tokens will expire in {days} days or less"
    page = f"Tokens: {ctx.origin}/{_locate_settings(ctx, container)}/access_tokens"
    for user in _list_administrators(ctx, container):
        yield from _write(ctx, user, user.email, subject, [_greet(user), *texts, page])


def _locate_settings(ctx: ReadContext, container: Project | Group) -> str:
    if isinstance(container, Project):
        return f"{namespaces.project_path(ctx.world, container)}/-/settings"
    return f"groups/{namespaces.full_path(ctx.world, container)}/-/settings"


def _list_administrators(ctx: ReadContext, container: Project | Group) -> Iterator[User]:
    """Yield those who administer the tokens of a project or group: direct members, on demand inherited ones, too."""
    least = Level.MAINTAINER if isinstance(container, Project) else Level.OWNER
    is_inherited = ctx.world.settings.resource_access_token_notify_inherited
    rows = members.list_effective(ctx, container) if is_inherited else members.list_direct(ctx.world, container)
    for member in rows:
        user = ctx.world.users.get(member.user_id)
        if member.access_level >= least and user is not None and may_receive(user):
            yield user


def write_expiring_key(ctx: ReadContext, key: SshKey) -> Iterator[OutgoingMail]:
    """Write the mail about an SSH key that expires within a week."""
    yield from _write_about_key(ctx, key, "Your SSH key is expiring soon.")


def write_expired_key(ctx: ReadContext, key: SshKey) -> Iterator[OutgoingMail]:
    """Write the mail about an SSH key that has expired."""
    yield from _write_about_key(ctx, key, "Your SSH key has expired")


def _write_about_key(ctx: ReadContext, key: SshKey, subject: str) -> Iterator[OutgoingMail]:
    user = ctx.world.users.get(key.user_id)
    if user is not None and may_receive(user):
        texts = [_greet(user), f"SSH key: {key.fingerprint}", f"Keys: {ctx.origin}/profile/keys"]
        yield from _write(ctx, user, user.email, subject, texts)


def write_expired_token(ctx: ReadContext, token: Token) -> Iterator[OutgoingMail]:
    """Write the mail about a personal access token that has expired."""
    yield from _write_about_token(
        ctx, token, "Your personal access token has expired", [f"The access token {token.name} has expired."]
    )


def _write_about_token(
    ctx: ReadContext, token: Token, subject: str, paragraphs: Sequence[str]
) -> Iterator[OutgoingMail]:
    user = ctx.world.users.get(token.user_id or 0)
    if user is not None and may_receive(user):
        page = f"Tokens: {ctx.origin}/profile/personal_access_tokens"
        yield from _write(ctx, user, user.email, subject, [_greet(user), *paragraphs, page])


def _greet(user: User) -> str:
    return f"Hi {defuse(user.name)}!"


def _write(
    ctx: ReadContext, user: User, address: str, subject: str, paragraphs: Sequence[str]
) -> Iterator[OutgoingMail]:
    if user.kind == "human":
        message = Message(parts=(subject,), paragraphs=paragraphs, gives_reason=False)
        yield messages.write(ctx, message, address, user.id)
