"""E-mail addresses that users have in commits to the projects of a namespace. Source: docs/platform/graphql.md."""

from collections.abc import Sequence

from fakeplat.core.operations.errors import BadRequest
from fakeplat.domain.people import emails, namespaces
from fakeplat.domain.purging import purge
from fakeplat.domain.validation import ValidationErrors
from fakeplat.model.people import Email, Group, Namespace, NamespaceCommitEmail, User
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext


def list_own(world: World, user: User) -> Sequence[NamespaceCommitEmail]:
    """Return the choices of a user, newest first."""
    return world.namespace_commit_emails.where("user", user.id).in_reverse()


def find_email(world: World, choice: NamespaceCommitEmail) -> Email | None:
    """Return the address that a user chose; None once it is gone."""
    own = emails.list_emails(world, world.users[choice.user_id])
    return next((email for email in own if email.id == choice.email_id), None)


def find_address(world: World, user: User, project: Project) -> str | None:
    """Return the address that a user has in commits to a project, if one was chosen for its top-level namespace."""
    root = namespaces.root_of(world, world.namespaces[project.namespace_id])
    choice = world.namespace_commit_emails.find("pair", (user.id, root.id))
    email = find_email(world, choice) if choice is not None else None
    return email.email if email is not None else None


def choose(ctx: WriteContext, namespace: Namespace, email_id: int | None) -> NamespaceCommitEmail | None:
    """Set the address of the caller in commits to the projects of a namespace; None takes back the choice."""
    table, user = ctx.world.namespace_commit_emails, ctx.signed_in_user
    choice = table.find("pair", (user.id, namespace.id))
    email = next((each for each in emails.list_emails(ctx.world, user) if each.id == email_id), None)
    if choice is None and email is None:
        raise BadRequest("Email must be provided.")
    if choice is not None and email_id is None:
        purge(ctx, choice)
        return None
    errors = ValidationErrors()
    errors.when(email is None, "email", "must exist")
    errors.when(email is None, "email", "can't be blank")
    is_below = isinstance(namespace, Group) and namespace.parent_id is not None
    errors.when(is_below, "namespace", "must be a root group.")
    errors.refuse()
    chosen_id = email.id if email is not None else 0
    if choice is not None:
        return table.change(choice, email_id=chosen_id, updated_at=ctx.now_iso)
    times = ctx.now_iso, ctx.now_iso
    return table.add(NamespaceCommitEmail(table.next_id(), user.id, namespace.id, chosen_id, *times))
