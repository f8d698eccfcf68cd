"""What goes wrong with a query, as the platform says it.

Source: docs/platform/graphql.md, docs/platform/external.md ('GraphQL clients').
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

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
    """What was asked for does not exist for the caller, who is not told which; ``why`` is for the test author."""

    def __init__(self, why: Reason = "") -> None:
        super().__init__(NOT_AVAILABLE)
        self.why = why

    @property
    def reason(self) -> str:
        """Why, in words."""
        return reason_text(self.why)


class MutationResult(list[str]):
    """Texts that stand among a payload's errors and tell of what was done."""


class MutationFailed(Exception):
    """A mutation that the records' own rules refuse; ``shown`` is what its payload says beside the texts."""

    def __init__(self, texts: list[str], shown: Mapping[str, Any]) -> None:
        super().__init__(texts)
        self.payload = {**shown, "errors": texts}


@contextmanager
def collect_errors(**shown: Any) -> Iterator[None]:
    """What is refused inside becomes texts in the payload, beside records as they were."""
    try:
        yield
    except (BadRequest, Conflict, Unprocessable) as refusal:
        raise MutationFailed(texts_of(refusal), shown) from refusal


def texts_of(refusal: Refusal) -> list[str]:
    """What a refusal says, as a payload lists it: ``Title can't be blank``."""
    if not isinstance(refusal, InvalidRecord):
        return [payload_text(refusal.payload)]
    return [f"{name.replace('_', ' ').capitalize()} {text}" for name, texts in refusal.fields.items() for text in texts]


def reason_of(error: GraphQLError) -> str:
    """What the journal says of an error."""
    original = error.original_error or error
    return f"{error.message}: {original.reason}" if isinstance(original, ResourceNotAvailable) else error.message
