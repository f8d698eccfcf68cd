"""Errors of queries and mutations in the platform's wording.

Source: docs/platform/graphql.md, docs/platform/external.md ('GraphQL clients').
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from graphql import GraphQLError

from fakeplat.core.operations.errors import (
    BadRequest,
    Conflict,
    InvalidRecord,
    Reason,
    Refusal,
    Unprocessable,
    payload_text,
    reason_text,
)

NOT_AVAILABLE: Final = (
    "The resource that you are attempting to access does not exist or you don't have permission to perform this action"
)


class ResourceNotAvailable(GraphQLError):
    """A record is missing or hidden; the caller does not learn which, the test author does (``why``)."""

    def __init__(self, why: Reason = "") -> None:
        super().__init__(NOT_AVAILABLE)
        self.why = why

    @property
    def reason(self) -> str:
        """The reason as text."""
        return reason_text(self.why)


class MutationResult(list[str]):
    """Messages among a payload's errors that report a success; the mutation is committed."""


class MutationFailed(Exception):
    """A mutation that validation refuses; ``fields`` are the other fields of its payload."""

    def __init__(self, texts: list[str], fields: Mapping[str, object]) -> None:
        super().__init__(texts)
        self.payload = {**fields, "errors": texts}


@contextmanager
def collect_errors(**fields: object) -> Iterator[None]:
    """Turn refusals in the block into errors of the payload, beside the unchanged records in ``fields``."""
    try:
        yield
    # Other refusals (not found, forbidden) fail the whole mutation: they become errors of the query.
    except (BadRequest, Conflict, Unprocessable) as refusal:
        raise MutationFailed(error_messages(refusal), fields) from refusal


def error_messages(refusal: Refusal) -> list[str]:
    """Return the messages of a refusal as a payload lists them: ``Title can't be blank``."""
    if isinstance(refusal, InvalidRecord):
        return refusal.full_messages()
    content = refusal.payload
    while isinstance(content, dict) and len(content) == 1 and content.keys() <= {"message", "error"}:
        (content,) = content.values()
    return [*map(payload_text, content)] if isinstance(content, list) else [payload_text(content)]


def error_reason(error: GraphQLError) -> str:
    """Return the reason of an error for the journal."""
    # The library wraps the errors that resolvers raise, in order to add the path of the field.
    original = error.original_error or error
    return f"{error.message}: {original.reason}" if isinstance(original, ResourceNotAvailable) else error.message
