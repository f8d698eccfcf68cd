"""The only way through: from a request to an answer, in the order in which the platform checks.

route → parse → identify → (writes) fork → login of the area → parameters → administrator → records, outer
to inner → ability → conditions → act → page, present → commit. Where an area looks at records first,
parameters come after the ability. A refusal drops the fork, so nothing is ever half done.
Source: docs/platform/errors.md ('Order of checks'), docs/platform/authentication.md.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from hashlib import blake2b
from typing import Any, Final, NamedTuple, cast

import orjson
from attrs import field, mutable

import fakeplat.api  # noqa: F401  # registers the lazy routes
from fakeplat import catalog as known
from fakeplat.core.cache.entries import Cache, CacheEntry
from fakeplat.core.clock import Clock
from fakeplat.core.operations.entity import Entity, Fragment, Options, render
from fakeplat.core.operations.errors import (
    BadRequest,
    ContentTooLarge,
    Forbidden,
    Gone,
    NotFound,
    OperationNotImplemented,
    PageNotAllowed,
    Reason,
    Refusal,
    RouteNotFound,
    Unauthorized,
    reason_text,
)
from fakeplat.core.operations.http_messages import JSON, Headers, RawBody, Request
from fakeplat.core.operations.invocation import Invocation, invocation_of
from fakeplat.core.operations.limits import RateLimiter
from fakeplat.core.operations.operation import OPERATIONS, PREFIX, LazyRoute, Login, Operation
from fakeplat.core.operations.paging import KeysetPaged, Page, PageUrl, by_keyset, by_offset
from fakeplat.core.operations.reasons import explain_bad_request
from fakeplat.core.operations.router import Match, Router
from fakeplat.core.params.body import merge_params, parse_body, parse_query
from fakeplat.core.params.params import Binder, Params
from fakeplat.core.store.table import RowsById
from fakeplat.model.users import User
from fakeplat.model.world import World, WorldDraft
from fakeplat.policy.authorization import authorize, authorize_admin
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.credentials import ANONYMOUS, Authenticator, Caller, CredentialRules, basic_of
from fakeplat.policy.documented import Ruling
from fakeplat.policy.features import has_feature

BODY_LIMIT: Final = 10 * 1024 * 1024
UPLOAD_LIMIT: Final = 256 * 1024 * 1024
ALWAYS: Final = (("X-Frame-Options", "SAMEORIGIN"), ("X-Content-Type-Options", "nosniff"), ("Vary", "Origin"))
_FRESH: Final = ("Cache-Control", "max-age=0, private, must-revalidate")
_STALE: Final = ("Cache-Control", "no-cache")
_ANY_ROUTE: Final = CredentialRules(reads=True, scopes=("read_user",), job_token=True)


class Outcome(NamedTuple):
    """What goes out, and what the journal says of it.

    ``fault`` is what a test author let go wrong with it, ``detail`` what of a many-sided operation was asked for.
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

    @property
    def explained(self) -> str:
        """The reason in words, and the fault."""
        return "; ".join(part for part in (reason_text(self.reason), self.fault) if part)


class Selection(NamedTuple):
    """What a list shows to a caller, chosen but not rendered."""

    operation: Operation
    caller: Caller
    view: type[Entity[Any]]
    options: Options
    page: Page


class RestartAfterTask(Exception):
    """The record that is read has a next step, which must come first."""

    def __init__(self, subject: tuple[str, int]) -> None:
        super().__init__(subject)
        self.subject = subject


class RestartAfterEffect(Exception):
    """Reading sets something going, which must be done first."""

    def __init__(self, act: Callable[[WriteContext], None]) -> None:
        super().__init__(act)
        self.act = act


Endpoint = Callable[["RequestHandler"], Outcome]
"""Carries out operations whose steps the pipeline does not know, on an exchange: identify, read, write, commit."""


@mutable(eq=False)
class RequestHandler:
    """One request on its way through.

    ``steps_on``: an unfinished record may be moved before it is shown; ``wakes_on``: reading may set things going.
    ``selected`` is what a list chose; where it was chosen before and still fits, only rendering is left.
    """

    request: Request
    world: World
    draft: Callable[[], WorldDraft]
    commit: Callable[[WriteContext], World]
    clock: Clock
    fragments: Cache[Fragment]
    limiter: RateLimiter
    memory: Cache[Any]
    steps_on: bool = False
    wakes_on: bool = True
    selected: CacheEntry[Selection] | None = None
    operation: Operation | None = None
    caller: Caller = ANONYMOUS
    given: dict[str, object] = field(factory=dict)
    ctx: ReadContext | None = None
    records: list[Any] = field(factory=list)
    endpoints: Mapping[str, Endpoint] = field(factory=dict)

    def answer(self) -> Outcome:
        """The answer, a refusal included; whatever else is raised is a bug."""
        try:
            done = self._through() if self.selected is None else self._again(self.selected.thing)
        except Refusal as refusal:
            # The journal keeps the refusal. With its traceback it would keep every frame of the request, and the frame
            # of this function leads back to the refusal: a cycle that only a full collection could free.
            refusal.__traceback__ = refusal.__context__ = refusal.__cause__ = None
            response = self._worded(refusal).response()
            headers = (*response.headers, *ALWAYS)
            reason = self._reason(refusal)
            body = b"" if self.operation and self.operation.area.bare else response.body
            return self._named(Outcome(response.status, headers, body, reason=reason, refusal=refusal))
        return self._named(done)

    def _reason(self, refusal: Refusal) -> Reason:
        """The reason of a refusal. The journal keeps it, so it refers to as little of the request as it can."""
        if self.operation is not None and isinstance(refusal, BadRequest):
            return partial(explain_bad_request, refusal, self.operation, self.given)
        return refusal.explain

    def _worded(self, refusal: Refusal) -> Refusal:
        """A refusal in the words of the side of ruling 33 that is served."""
        if isinstance(refusal, Forbidden) and not Ruling.FORBIDDEN_REASONS_HAVE_ONE_SPACE.holds(self.world):
            return refusal.with_two_spaces()
        return refusal

    def signed_in(self) -> User | None:
        """Who really asks, as far as the credentials say; a refused credential is nobody's."""
        sent = self.request.headers.get("authorization")
        by_password = basic_of(sent) is not None and not self.request.path.startswith(PREFIX)
        try:
            given = {} if by_password else self._parse({})
            desk = Authenticator(self.world, self.clock, self.request, given, _ANY_ROUTE)
            return desk.caller_by_password().actor if by_password else desk.caller().actor
        except Refusal:
            return None

    def _named(self, answer: Outcome) -> Outcome:
        user, token = self.caller.user, self.caller.token
        unbuilt = answer.refusal.operation if isinstance(answer.refusal, OperationNotImplemented) else ""
        return answer._replace(
            operation=self.operation.name if self.operation else unbuilt,
            user=user.username if user else None,
            credential=token.kind if token else None,
        )

    def _through(self) -> Outcome:
        operation, texts = route(self.request, self.world)
        self.operation = operation
        if operation.area.endpoint:
            return self._faced(operation)
        if operation.area.bare:
            _check_size(JSON, self.request.body)
        elif operation.area.basic:
            self._identify_by_password(operation, texts)
        else:
            self._identify(operation, texts)
        signature = invocation_of(operation)
        if operation.reads:
            return self._read(operation, signature, texts)
        return self._write(operation, signature, texts)

    def _faced(self, operation: Operation) -> Outcome:
        face = self.endpoints.get(operation.area.endpoint)
        if face is None:
            raise OperationNotImplemented(operation.name)
        _check_size(JSON, self.request.body)
        return face(self)

    def identify(self, given: dict[str, object], route: CredentialRules) -> None:
        """Find out who asks, from what was sent; a refusal for a credential that does not reach."""
        self.given = given
        self.caller = Authenticator(self.world, self.clock, self.request, given, route).caller()

    def reading(self, world: World) -> ReadContext:
        """What reads a world for the caller."""
        return ReadContext(world, self.caller.user, **self._services())

    def writing(self) -> WriteContext:
        """What changes a fork of the world for the caller, until it is given to ``commit`` or dropped."""
        return WriteContext(self.draft(), self.caller.user, actor=self.caller.actor, **self._services())

    def _identify(self, operation: Operation, texts: dict[str, str]) -> None:
        given = self.given = self._parse(texts)
        desk = Authenticator(self.world, self.clock, self.request, given, _route_of(operation))
        self.caller = desk.caller()
        if self.caller.user is None and operation.asks_login(self.world):
            raise Unauthorized(reason=partial(_no_login, operation, desk))

    def _identify_by_password(self, operation: Operation, texts: dict[str, str]) -> None:
        query = self.request.query
        self.given = merge_params(parse_query(query) if query else {}, {}, texts)
        self.caller = Authenticator(self.world, self.clock, self.request, {}, _route_of(operation)).caller_by_password()

    def _again(self, selection: Selection) -> Outcome:
        self.operation, self.caller = selection.operation, selection.caller
        return _listed(self.reading(self.world), selection)

    def _parse(self, texts: Mapping[str, str]) -> dict[str, object]:
        request = self.request
        query = parse_query(request.query) if request.query else {}
        if not request.body or request.method in ("GET", "HEAD"):
            return merge_params(query, {}, texts)
        content_type = request.headers.get("content-type", "")
        _check_size(content_type, request.body)
        return merge_params(query, parse_body(content_type, request.body), texts)

    def _read(self, operation: Operation, signature: Invocation, texts: dict[str, str]) -> Outcome:
        ctx = self.ctx = self.reading(self.world)
        own, p = self._admit(ctx, operation, signature, texts)
        self._step(operation)
        self._wake(ctx, operation, p)
        result = signature.call(operation, ctx, self.records, own, p)
        if not operation.many:
            return present(ctx, operation, p, result)
        page = self._page(operation, signature, p, result)
        return _listed(ctx, self._select(ctx, operation, p, page))

    def _select(self, ctx: ReadContext, operation: Operation, p: Any, page: Page) -> Selection:
        options = operation.options(ctx, p, None) if operation.options else ()
        selection = Selection(operation, self.caller, _view(ctx, operation, p), options, page)
        reads = self.world.reads
        if reads is not None:
            self.selected = CacheEntry(selection, reads, self.world.state)
            self.world.reads = reads.whole()
        return selection

    def _write(self, operation: Operation, signature: Invocation, texts: dict[str, str]) -> Outcome:
        ctx = self.writing()
        self.ctx = ctx
        own, p = self._admit(ctx, operation, signature, texts)
        self._check_unmodified(ctx, operation)
        result = signature.call(operation, ctx, self.records, own, p)
        world = self.commit(ctx)
        return present(self.reading(world), operation, p, result)

    def _services(self) -> dict[str, Any]:
        return {
            "clock": self.clock,
            "fragments": self.fragments,
            "limiter": self.limiter,
            "memory": self.memory,
            "origin": self.request.origin,
            "token": self.caller.token,
            "request": self.request,
            "records": self.records,
        }

    def _admit(
        self, ctx: ReadContext, operation: Operation, signature: Invocation, texts: dict[str, str]
    ) -> tuple[dict[str, Any], Params]:
        """The parameters and (in ``records``) the records, or the refusal that comes first."""
        scope, own = signature.path_values(texts)
        if not operation.area.located_first:
            p = self._bind(signature)
            self._locate(ctx, operation, signature, scope)
        else:
            self._locate(ctx, operation, signature, scope)
            p = self._bind(signature)
        if operation.login is Login.LATE and self.caller.user is None:
            desk = Authenticator(self.world, self.clock, self.request, self.given, _route_of(operation))
            raise Unauthorized(reason=partial(_no_login, operation, desk))
        return own, p

    def _bind(self, signature: Invocation) -> Params:
        plan: Binder[Params] = signature.plan
        return plan.bind(plan.in_release(self.given, self.world.instance.release) if plan.has_lifetimes else self.given)

    def _locate(self, ctx: ReadContext, operation: Operation, signature: Invocation, scope: list[Any]) -> None:
        ability = operation.ability
        if ability is not None and ability.grant.admin:
            authorize_admin(ctx, ability)
        for segment, value in zip(signature.segments, scope, strict=True):
            if segment.locate is not None:
                self.records.append(segment.locate(ctx, *self.records, value))
        if operation.tier and not has_feature(ctx.world, operation.tier, ctx.container):
            raise NotFound(reason=f"{operation.name} is part of the tier {operation.tier}; the plan is lower")
        if ability is not None and not ability.grant.admin:
            authorize(ctx, ability, self.records[-1] if self.records else None)

    def _step(self, operation: Operation) -> None:
        """Under the auto clock, have the next step of the one record that is read come first."""
        single = operation.unfinished and not operation.many and not operation.tail
        if self.request.method == "GET" and single and self.records:
            self.bring_on(self.records[-1])

    def _wake(self, ctx: ReadContext, operation: Operation, p: Any) -> None:
        """Have what this reading sets going be done first."""
        if self.wakes_on and operation.wakes is not None and self.request.method == "GET":
            act = operation.wakes(ctx, self.records, p)
            if act is not None:
                raise RestartAfterEffect(act)

    def bring_on(self, record: Any) -> None:
        """Under the auto clock, have a record's next step come first, if one is under way."""
        subject = (self.world.table_name(record), record.id)
        if self.steps_on and any(due.in_progress for due in self.world.scheduled_tasks.where("subject", subject)):
            raise RestartAfterTask(subject)

    def _check_unmodified(self, ctx: WriteContext, operation: Operation) -> None:
        if operation.method == "DELETE" and not operation.tail and self.records:
            ctx.check_unmodified_since(getattr(self.records[-1], "updated_at", None))

    def _page(self, operation: Operation, signature: Invocation, p: Any, rows: Sequence[Any]) -> Page:
        if not operation.paged:
            return Page(rows, _own_headers(self.ctx, operation, p, rows))
        address = PageUrl(self.request.origin + self.request.path, {**signature.plan.defaults, **self.given})
        if operation.keyset and getattr(p, "pagination", None) == "keyset":
            return by_keyset(rows, cast(KeysetPaged, p), address)
        counts = not self.world.instance.hosted
        counted = operation.counted is None or operation.counted(p)
        return by_offset(rows, p, address, counts=counts, limited=operation.offset_limit, counted=counted)


def present(ctx: ReadContext, operation: Operation, p: Any, result: Any) -> Outcome:
    """The answer that shows what an operation gave."""
    if isinstance(result, RawBody):
        content = (("Content-Type", result.content_type),) if result.content_type else ()
        return Outcome(result.status, (*content, *result.headers, *ALWAYS), result.body)
    if operation.status == 204:
        return Outcome(204, (_STALE, *ALWAYS))
    if operation.view is None or result is None or isinstance(result, dict):
        return _answered(operation, orjson.dumps(result), None)
    options = operation.options(ctx, p, result) if operation.options else ()
    view = _view(ctx, operation, p)
    if operation.many:
        return _answered(operation, _array([ctx.render_fragment(view, row, options).data for row in result]), None)
    fragment = ctx.render_fragment(view, result, options)
    return _answered(operation, fragment.data, fragment.digest, _own_headers(ctx, operation, p, result))


def _own_headers(ctx: ReadContext | None, operation: Operation, p: Any, result: Any) -> Headers:
    return operation.headers(ctx, p, result) if operation.headers else ()


def _view(ctx: ReadContext, operation: Operation, p: Any) -> type[Entity[Any]]:
    view = operation.view
    return view if isinstance(view, type) else cast(Callable[[Any, Any], type[Entity[Any]]], view)(ctx, p)


def _listed(ctx: ReadContext, selection: Selection) -> Outcome:
    operation, _, view, options, page = selection
    rows = page.rows.seen_in(ctx.world) if isinstance(page.rows, RowsById) else page.rows
    fragments = [render(view, row, ctx, options) for row in rows]
    body = _array([fragment.data for fragment in fragments])
    digest = blake2b(b"".join([fragment.digest for fragment in fragments]), digest_size=16).digest()
    return _answered(operation, body, digest, page.headers)


def _array(items: list[bytes]) -> bytes:
    """A JSON array; its bytes are put together once, as they may be many."""
    if not items:
        return b"[]"
    items[0] = b"[" + items[0]
    items[-1] += b"]"
    return b",".join(items)


def _answered(operation: Operation, body: bytes, digest: bytes | None, more: Headers = ()) -> Outcome:
    content = ("Content-Type", JSON)
    if not operation.reads or operation.status != 200:
        return Outcome(operation.status, (content, _STALE, *more, *ALWAYS), body)
    etag = f'W/"{(digest or blake2b(body, digest_size=16).digest()).hex()}"'
    return Outcome(200, (content, ("ETag", etag), _FRESH, *more, *ALWAYS), body, etag)


@cache
def _router(*, api: bool, surprises: int) -> Router[LazyRoute]:
    """The way to every operation of the API, or to the pages beside it; made anew after ``stale_count``."""
    del surprises
    routes = [route for route in OPERATIONS.lazy_routes() if route.path.startswith("/api/") == api]
    digits = [(route.path, name) for route in routes for name in route.digits]
    endings = [(route.path, ending) for route in routes for ending in route.endings]
    return Router(routes, digits, endings)


def _match(method: str, path: str) -> Match[LazyRoute]:
    """Where a request goes; what is there is declared then, and where nothing is, all that could be."""
    while True:
        surprises = OPERATIONS.stale_count
        found = _router(api=path.startswith("/api/"), surprises=surprises).match(method, path)
        if found.route is None:
            OPERATIONS.load_all()
        else:
            OPERATIONS.load(found.route.name)
        if OPERATIONS.stale_count == surprises:
            return found


def route(request: Request, world: World) -> tuple[Operation, dict[str, str]]:
    """The operation and the texts of its path, or the refusal for a route that is not there."""
    route, texts, allowed = _match(request.method, request.path)
    if route is None:
        raise _no_route(request, world, allowed)
    operation = OPERATIONS[route.name]
    _check_served(operation, world)
    return operation, texts


def _check_served(operation: Operation, world: World) -> None:
    instance = world.instance
    if operation.lifetime and not operation.lifetime.covers(instance.release):
        raise RouteNotFound(reason=known.not_in_release(operation.name, operation.lifetime, instance))
    if not (instance.hosted or instance.has(operation.tier)):
        raise NotFound(reason=f"{operation.name} is part of the tier {operation.tier}; this is {instance.tier}")


def _no_route(request: Request, world: World, allowed: Sequence[str]) -> Refusal:
    if request.path.startswith("/api/v3/"):
        return Gone()
    refusal = known.refusal(world.instance, request.method, request.path)
    if refusal is not None:
        return refusal
    allowed = sorted({*allowed, *known.methods(request.path)})
    if request.path.startswith(PREFIX) and allowed:
        methods = ", ".join(sorted({*allowed, "HEAD"} if "GET" in allowed else allowed))
        reason = f"{request.path} takes {methods}, not {request.method}"
        return PageNotAllowed("405 Not Allowed", reason=reason, headers=(("Allow", methods),))
    return RouteNotFound(reason=partial(known.no_path, request.method, request.path))


def _no_login(operation: Operation, desk: Authenticator) -> str:
    return f"{operation.name} asks for a login; nobody is signed in: {desk.overlooked()}"


@cache
def _route_of(operation: Operation) -> CredentialRules:
    return CredentialRules(operation.reads, operation.area.scopes, operation.job_token)


def _check_size(content_type: str, body: bytes) -> None:
    limit = UPLOAD_LIMIT if content_type.startswith("multipart/") else BODY_LIMIT
    if len(body) > limit:
        raise ContentTooLarge(reason=f"the body has {len(body)} bytes; {limit} are the most")


def matches_etag(header: str | None, etag: str) -> bool:
    """Whether an If-None-Match header names an answer's tag."""
    if not header or not etag:
        return False
    wanted = etag.removeprefix("W/")
    return any(tag.strip().removeprefix("W/") in (wanted, "*") for tag in header.split(","))
