"""Rendering: from the result of an operation to the answer, with its headers and its entity tag."""

from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple, cast

from attrs import mutable

from fakeplat.core.operations.entity import Entity, Options, render_all
from fakeplat.core.operations.errors import Reason, Refusal, reason_text
from fakeplat.core.operations.http_messages import ETAG, REVALIDATE, Headers, RawBody, dump_json, hash_content
from fakeplat.core.operations.operation import Operation
from fakeplat.core.operations.paging import Page
from fakeplat.core.params.params import Params
from fakeplat.core.store.table import Record, RowsById
from fakeplat.policy.context import Caller, ReadContext

ALWAYS: Final = (("X-Frame-Options", "SAMEORIGIN"), ("X-Content-Type-Options", "nosniff"), ("Vary", "Origin"))
_NO_CACHE: Final = ("Cache-Control", "no-cache")


@mutable(eq=False)
class Outcome:
    """The answer to a request, with details for the journal, which the handler completes.

    ``headers`` lack those that differ from answer to answer: the platform adds the ``etag`` and its own.
    ``fault`` describes the fault that a test author injected. ``detail`` names the part of an operation that was
    called, where an operation has several. ``warnings`` are about what the platform would do and fakeplat does not.
    """

    status: int
    headers: Headers
    body: bytes = b""
    etag: str = ""
    operation: str = ""
    user: str | None = None
    credential: str | None = None
    reason: Reason = ""
    refusal: Refusal | None = None
    fault: str = ""
    detail: str = ""
    warnings: tuple[str, ...] = ()

    def without_content(self) -> "Outcome":
        """Return a copy without headers and body, which are most of its size."""
        # Not by `evolve`, which takes several times as long: the journal of a server keeps such a copy of every answer.
        return Outcome(
            self.status,
            (),
            b"",
            self.etag,
            self.operation,
            self.user,
            self.credential,
            self.reason,
            self.refusal,
            self.fault,
            self.detail,
            self.warnings,
        )

    @property
    def explanation(self) -> str:
        """The reason and the fault, as text."""
        return "; ".join(part for part in (reason_text(self.reason), self.fault) if part)


class Selection(NamedTuple):
    """The page of a list that a caller gets, before rendering."""

    operation: Operation
    caller: Caller
    view: type[Entity[Any]]
    options: Options
    page: Page


def present(context: Callable[[], ReadContext], operation: Operation, p: Params, result: object) -> Outcome:
    """Return the answer for an operation's result; only records need a context to be rendered in."""
    if isinstance(result, RawBody):
        content = (("Content-Type", result.content_type),) if result.content_type else ()
        if not result.headers:
            return Outcome(result.status, content + ALWAYS, result.body, reason=result.reason)
        names = dict(result.headers)
        own = [header for header in result.headers if header[0] != ETAG]
        always = [header for header in ALWAYS if header[0] not in names]
        headers = (*content, *own, *always)
        return Outcome(result.status, headers, result.body, names.get(ETAG, ""), reason=result.reason)
    if operation.status == 204:
        return Outcome(204, (_NO_CACHE, *ALWAYS))
    if operation.view is None or result is None or isinstance(result, dict):
        return _json_outcome(operation, dump_json(result), None)
    ctx = context()
    options = operation.options(ctx, p, result) if operation.options else ()
    view = choose_view(ctx, operation, p)
    # Some operations answer with one record or with a list of them, depending on a parameter.
    if operation.many or isinstance(result, list):
        return _json_outcome(
            operation,
            _join_array([ctx.render_fragment(view, row, options).data for row in cast(Iterable[Record], result)]),
            None,
        )
    fragment = ctx.render_fragment(view, result, options)
    return _json_outcome(operation, fragment.data, fragment.digest, extra_headers(ctx, operation, p, result))


def extra_headers(ctx: ReadContext | None, operation: Operation, p: Params, result: object) -> Headers:
    """Return the headers that the operation itself adds."""
    return operation.headers(ctx, p, result) if operation.headers else ()


def choose_view(ctx: ReadContext, operation: Operation, p: Params) -> type[Entity[Any]]:
    """Return the view of the answer, which may depend on the caller and the parameters."""
    view = operation.view
    if view is None:
        raise TypeError(f"{operation.name} has no view")
    return view if isinstance(view, type) else view(ctx, p)


def render_list(ctx: ReadContext, selection: Selection) -> Outcome:
    """Return the answer for a page of a list."""
    operation, _, view, options, page = selection
    # A cached selection holds ids from an older state. The ids are still right, the records may have changed.
    rows = page.rows.in_world(ctx.world) if isinstance(page.rows, RowsById) else page.rows
    fragments = render_all(view, rows, ctx, options)
    body = _join_array([fragment.data for fragment in fragments])
    digest = hash_content(b"".join([fragment.digest for fragment in fragments]))
    return _json_outcome(operation, body, digest, page.headers)


def _join_array(items: list[bytes]) -> bytes:
    """Return a JSON array of encoded items."""
    if not items:
        return b"[]"
    # Brackets are added to the items, so that the whole body, which may be large, is copied only once.
    items[0] = b"[" + items[0]
    items[-1] += b"]"
    return b",".join(items)


def _json_outcome(operation: Operation, body: bytes, digest: bytes | None, extra: Headers = ()) -> Outcome:
    content = ("Content-Type", operation.area.content_type)
    if not operation.reads or operation.status != 200:
        return Outcome(operation.status, (content, _NO_CACHE, *extra, *ALWAYS), body)
    etag = f'W/"{(digest or hash_content(body)).hex()}"'
    return Outcome(200, (content, REVALIDATE, *extra, *ALWAYS), body, etag)


def matches_etag(header: str | None, etag: str) -> bool:
    """Return whether an If-None-Match header matches an answer's entity tag.

    The comparison is weak (RFC 9110, section 13.1.2): a ``W/`` prefix on either side is ignored.
    """
    if not header or not etag:
        return False
    opaque_tag = etag.removeprefix("W/")
    return any(tag.strip().removeprefix("W/") in (opaque_tag, "*") for tag in header.split(","))
