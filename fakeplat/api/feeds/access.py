"""Who reads a feed, the addresses of feeds, and the refusals of feeds. Source: docs/platform/feeds.md."""

from typing import Final
from urllib.parse import parse_qsl, urlencode

from typing_extensions import override

from fakeplat.core.operations.errors import NotFound, Reason, Refusal, Unauthorized
from fakeplat.core.operations.http_messages import Response
from fakeplat.domain.people import feed_tokens
from fakeplat.policy.authorization import caller_name
from fakeplat.policy.context import ReadContext

_HEADERS: Final = (("Content-Type", "application/atom+xml; charset=utf-8"), ("Cache-Control", "no-cache"))
_FORMAT: Final = "atom"


class FeedUnauthorized(Unauthorized):
    """401 in words: feed readers have no page on which to sign in."""

    def __init__(self, *, reason: Reason = "") -> None:
        Refusal.__init__(self, "You need to sign in or sign up before continuing.", reason=reason)

    @override
    def response(self) -> Response:
        return Response(self.status, _HEADERS, str(self.payload).encode())


class EmptyRefusal(Refusal):
    """A refusal without a body."""

    @override
    def response(self) -> Response:
        return Response(self.status, _HEADERS)


class FeedNotFound(EmptyRefusal, NotFound):
    """404 without a body."""

    def __init__(self, *, reason: Reason = "") -> None:
        Refusal.__init__(self, "404 Not Found", reason=reason)


class FeedWithoutFilter(EmptyRefusal):
    """400 without a body: the feed would have everything that there is."""

    status = 400

    def __init__(self, *, reason: Reason = "") -> None:
        super().__init__("400 Bad Request", reason=reason)


def list_parameters(ctx: ReadContext) -> list[tuple[str, str]]:
    """Return the names and values of the request's query."""
    return parse_qsl(ctx.request.query if ctx.request else "", keep_blank_values=True)


def get_query(ctx: ReadContext) -> dict[str, str]:
    """Return the query of the request; of several values of a parameter the last."""
    return dict(list_parameters(ctx))


def is_feed_requested(ctx: ReadContext) -> bool:
    """Return whether the page's feed is asked for: by the parameter ``format``."""
    return get_query(ctx).get("format") == _FORMAT


def as_reader(ctx: ReadContext) -> ReadContext:
    """Return the context of the user whom the request's feed token names, if it has no other credentials."""
    query = get_query(ctx)
    token = query.get("feed_token") or query.get("rss_token")
    if ctx.viewer is not None or not token or ctx.request is None:
        return ctx
    user = feed_tokens.find_user(ctx.world, token, ctx.request.path)
    return ctx if user is None else ctx.as_user(user)


def refuse(ctx: ReadContext, what: str) -> Refusal:
    """Return the refusal of a feed that does not exist, or that the caller may not see."""
    reason = f"{caller_name(ctx)} sees no feed of {what}"
    return FeedUnauthorized(reason=reason) if ctx.viewer is None else FeedNotFound(reason=reason)


def build_address(ctx: ReadContext, page: str, *, by_parameter: bool = False) -> str:
    """Return the address of a page's feed, with the caller's token.

    ``by_parameter``: the feed has the page's own path.
    """
    path = page.removeprefix(ctx.origin)
    feed_path = path if by_parameter else f"{path}.{_FORMAT}"
    token = feed_tokens.build_link_token(ctx.world, ctx.viewer, f"{path}.{_FORMAT}") if ctx.viewer else None
    query = {**({"feed_token": token} if token else {}), **({"format": _FORMAT} if by_parameter else {})}
    return f"{ctx.origin}{feed_path}{'?' if query else ''}{urlencode(query)}"
