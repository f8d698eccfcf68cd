"""The types of the lines of a tape, as their shapes read them."""

from collections.abc import Mapping
from typing import NotRequired, TypedDict

from fakeplat.core.json_types import JsonObject
from fakeplat.core.operations.http_messages import Headers


class EncodedBody(TypedDict):
    """A body that is not text; the shape has decoded it."""

    base64: bytes


class InitialWorldDocument(TypedDict):
    """The initial world in a head."""

    scenario: str
    seed: int
    clock: NotRequired[Mapping[str, str]]
    instance: NotRequired[JsonObject]


class HeadDocument(TypedDict):
    """The first line."""

    tape: int
    recorded_at: str
    upstream: str
    users: Mapping[str, str]
    fakeplat: InitialWorldDocument | None


class RequestDocument(TypedDict):
    """The request of an exchange."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: str | EncodedBody


class ResponseDocument(TypedDict):
    """The response of an exchange or to a delivery."""

    status: int
    headers: Headers
    body: str | EncodedBody


class ExchangeDocument(TypedDict):
    """An exchange."""

    request: RequestDocument
    response: ResponseDocument
    took: float
    at: str


class RepetitionDocument(TypedDict):
    """The repetition of the exchange at an earlier line."""

    again: int
    took: float
    at: str


class DeliveryRequestDocument(TypedDict):
    """The request of a delivery."""

    receiver: str
    trigger: str
    method: str
    url: str
    headers: Mapping[str, str]
    body: str | EncodedBody


class DeliveryDocument(TypedDict):
    """A delivery."""

    delivery: DeliveryRequestDocument
    response: ResponseDocument | None
    error: str | None
    at: str
