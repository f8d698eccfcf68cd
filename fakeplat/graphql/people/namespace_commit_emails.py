"""E-mail addresses of users in commits to the projects of a namespace. Source: docs/platform/graphql.md."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from fakeplat.core.operations.errors import BadRequest, InvalidRecord
from fakeplat.domain.people import namespace_commit_emails
from fakeplat.domain.validation import join_words
from fakeplat.graphql.errors import MutationFailed, ResourceNotAvailable, error_messages
from fakeplat.graphql.ids import global_id, parse_id
from fakeplat.graphql.people.groups import can_read_namespace
from fakeplat.graphql.people.users import USER
from fakeplat.graphql.schema_builder import Scalar, Type, mutation
from fakeplat.model.people import Email, Namespace, NamespaceCommitEmail, User
from fakeplat.policy.context import ReadContext, WriteContext

_SINCE: Final = "<=16.2"
Scalar("EmailID", "The global ID of an e-mail address.", since=_SINCE)
CHOICE = Type("NamespaceCommitEmail", "The address of a user in commits to a namespace.", since=_SINCE)
CHOICE.attributes({"createdAt: Time!": "Timestamp of creation.", "updatedAt: Time!": "Timestamp of the last update."})


@CHOICE.field("id: ID!")
def id_of(ctx: ReadContext, choice: NamespaceCommitEmail) -> str:
    """The global ID."""
    return global_id(ctx, "Users::NamespaceCommitEmail", choice.id)


@CHOICE.field("email: Email!")
def email_of(ctx: ReadContext, choice: NamespaceCommitEmail) -> Email | None:
    """The address."""
    return namespace_commit_emails.find_email(ctx.world, choice)


@CHOICE.field("namespace: Namespace!")
def namespace_of(ctx: ReadContext, choice: NamespaceCommitEmail) -> Namespace:
    """The namespace."""
    return ctx.world.namespaces[choice.namespace_id]


@USER.field("namespaceCommitEmails: NamespaceCommitEmailConnection", since=_SINCE)
def list_choices(ctx: ReadContext, user: User) -> Sequence[NamespaceCommitEmail]:
    """The addresses in commits to namespaces, for the user and administrators."""
    is_own = ctx.viewer is not None and ctx.viewer.id == user.id
    return namespace_commit_emails.list_own(ctx.world, user) if ctx.admin or is_own else ()


@mutation(
    "userSetNamespaceCommitEmail",
    input_fields='''
"""The global ID of the namespace."""
namespaceId: NamespaceID!
"""The global ID of an own address; without one, the choice is taken back."""
emailId: EmailID
''',
    payload_fields='"""The choice."""\nnamespaceCommitEmail: NamespaceCommitEmail',
    since=_SINCE,
)
def set_namespace_commit_email(ctx: WriteContext, namespace_id: str, email_id: str | None = None) -> Mapping[str, Any]:
    """Set the address that the caller has in commits to a namespace."""
    number = parse_id(ctx, namespace_id, "Namespace", "Group", "Namespaces::UserNamespace")
    namespace = ctx.world.namespaces.get(number)
    if namespace is None or not can_read_namespace(ctx, namespace):
        raise ResourceNotAvailable(f"{namespace_id} does not exist, or the caller does not see it")
    chosen_id = parse_id(ctx, email_id, "Email") if email_id is not None else None
    try:
        return {"namespace_commit_email": namespace_commit_emails.choose(ctx, namespace, chosen_id)}
    except (BadRequest, InvalidRecord) as refusal:
        # The platform gives all that is wrong in one sentence.
        raise MutationFailed([join_words(error_messages(refusal))], {"namespace_commit_email": None}) from refusal
