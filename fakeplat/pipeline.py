"""The request pipeline: from a request to a response, in the order in which the platform checks.

route → parse → identify → (writes) draft → login of the area → parameters → administrator → records, outer
to inner → ability → conditions → call the operation → paginate and render → commit. Where an area locates records
first, parameters are validated after the ability. A refusal discards the draft, so no request is half done.
Source: docs/platform/errors.md ('Order of checks'), docs/platform/authentication.md.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from hashlib import blake2b
from typing import Any, Final, NamedTuple, cast

import orjson
from attrs import field, mutable

import fakeplat.api  # noqa: F401  # registers the lazy routes
from fakeplat import catalog
from fakeplat.core.cache.entries import Cache, CacheEntry
from fakeplat.core.clock import Clock
from fakeplat.core.operations.entity import Entity, Fragment, Options, render
from fakeplat.core.operations.errors import (
    BadRequest,
    ContentTooLarge,
    Forbidden,
    Gone,
    InvalidParams,
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
from fakeplat.core.operations.operation import OPERATIONS, PREFIX, SCIM_PREFIX, LazyRoute, Login, Operation
from fakeplat.core.operations.paging import KeysetPaged, Page, PageUrl, by_keyset, by_offset
from fakeplat.core.operations.reasons import explain_bad_request, explain_ignored
from fakeplat.core.operations.router import Match, Router
from fakeplat.core.params.body import merge_params, parse_body, parse_query
from fakeplat.core.params.params import Binder, Params
from fakeplat.core.store.table import RowsById
from fakeplat.core.timestamps import SECOND
from fakeplat.model.people import User
from fakeplat.model.world import World, WorldDraft
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, authorize_admin
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.credentials import ANONYMOUS, Authenticator, Caller, CredentialRules, parse_basic
from fakeplat.policy.documented import Ruling
from fakeplat.policy.features import has_feature
from fakeplat.policy.maintenance import check_writable

BODY_LIMIT: Final = 10 * 1024 * 1024
UPLOAD_LIMIT: Final = 256 * 1024 * 1024
ALWAYS: Final = (("X-Frame-Options", "SAMEORIGIN"), ("X-Content-Type-Options", "nosniff"), ("Vary", "Origin"))
_REVALIDATE: Final = ("Cache-Control", "max-age=0, private, must-revalidate")
_NO_CACHE: Final = ("Cache-Control", "no-cache")
_ANY_ROUTE: Final = CredentialRules(reads=True, scopes=("read_user",), job_token=True)


class Outcome(NamedTuple):
    """The answer to a request, with details for the journal.

    ``fault`` describes the fault that a test author injected. ``detail`` names the part of an operation that was
    called, where an operation has several.
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


class RestartAfterTask(Exception):
    """Raised when a read record has a scheduled step, which must run before the request is handled again.

    ``at`` is the time of the step (ms). ``reason`` says for the journal why time passed without one.
    """

    def __init__(self, at: int, reason: str = "") -> None:
        super().__init__(at)
        self.at = at
        self.reason = reason


class RestartAfterEffect(Exception):
    """Raised when a read has a side effect, which must be committed before the request is handled again."""

    def __init__(self, effect: Callable[[WriteContext], object]) -> None:
        super().__init__(effect)
        self.effect = effect


Endpoint = Callable[["RequestHandler"], Outcome]
"""Handles operations outside the usual steps, with the handler's own: identify, read, write, commit."""


@mutable(eq=False)
class RequestHandler:
    """Handles one request.

    ``may_advance``: an unfinished record may be advanced before it is rendered. ``may_have_effects``: a read may have
    side effects. ``selected`` is the selection of a list; if it is set beforehand, the request is only rendered.
    """

    request: Request
    world: World
    draft: Callable[[], WorldDraft]
    commit: Callable[[WriteContext], World]
    clock: Clock
    fragments: Cache[Fragment]
    limiter: RateLimiter
    memory: Cache[Any]
    may_advance: bool = False
    may_have_effects: bool = True
    selected: CacheEntry[Selection] | None = None
    operation: Operation | None = None
    caller: Caller = ANONYMOUS
    params: dict[str, object] = field(factory=dict)
    ctx: ReadContext | None = None
    authenticator: Authenticator | None = None
    records: list[Any] = field(factory=list)
    endpoints: Mapping[str, Endpoint] = field(factory=dict)

    def answer(self) -> Outcome:
        """Return the answer, also for a refusal. Any exception other than a restart is a bug."""
        try:
            outcome = self._dispatch() if self.selected is None else self._render_selection(self.selected.value)
        except Refusal as refusal:
            # The journal keeps the refusal. With its traceback it would keep every frame of the request, and the frame
            # of this function leads back to the refusal: a cycle that only a full collection could free.
            refusal.__traceback__ = refusal.__context__ = refusal.__cause__ = None
            response = self._with_ruled_spacing(refusal).response()
            headers = (*self._with_content_type(response.headers), *ALWAYS)
            reason = self._reason_for_journal(refusal)
            body = b"" if self.operation and self.operation.area.bare else response.body
            return self._with_caller(Outcome(response.status, headers, body, reason=reason, refusal=refusal))
        return self._with_caller(outcome)

    def _with_content_type(self, headers: Headers) -> Headers:
        """Return the headers of a refusal with the type of JSON bodies in the area."""
        content_type = self.operation.area.content_type if self.operation else JSON
        if content_type == JSON:
            return headers
        return tuple((name, content_type if value == JSON else value) for name, value in headers)

    def _reason_for_journal(self, refusal: Refusal) -> Reason:
        """Return the reason of a refusal. The journal stores it, so it should keep little of the request alive."""
        if self.operation is not None and isinstance(refusal, BadRequest):
            return partial(explain_bad_request, refusal, self.operation, self.params)
        return refusal.explain

    def _with_ruled_spacing(self, refusal: Refusal) -> Refusal:
        """Return a refusal with the spacing that ruling 33 selects."""
        if isinstance(refusal, Forbidden) and not Ruling.FORBIDDEN_REASONS_HAVE_ONE_SPACE.holds(self.world):
            return refusal.with_two_spaces()
        return refusal

    def identify_user(self) -> User | None:
        """Return the user whom the credentials identify, ignoring sudo; None if they are refused."""
        # Used before routing, so the operation's own rules are not known yet: any kind of credential is accepted.
        authorization = self.request.headers.get("authorization")
        by_password = parse_basic(authorization) is not None and not self.request.path.startswith(PREFIX)
        try:
            params = {} if by_password else self._parse({})
            authenticator = Authenticator(self.world, self.clock, self.request, params, _ANY_ROUTE)
            caller = authenticator.caller_by_password() if by_password else authenticator.caller()
            # Forms of pages have the CSRF token in their bodies, which the authenticator does not read.
            is_page = caller.is_anonymous and not self.request.path.startswith("/api/")
            return authenticator.caller_by_session().actor if is_page else caller.actor
        except Refusal:
            return None

    def _with_caller(self, answer: Outcome) -> Outcome:
        user = self.caller.user or (self.authenticator.identified if self.authenticator else None)
        unbuilt = answer.refusal.operation if isinstance(answer.refusal, OperationNotImplemented) else ""
        return answer._replace(
            operation=self.operation.name if self.operation else unbuilt,
            user=user.username if user else None,
            credential=self.caller.credential,
        )

    def _dispatch(self) -> Outcome:
        operation, texts = route(self.request, self.world)
        self.operation = operation
        check_writable(self.world, self.request)
        if operation.area.endpoint:
            return self._call_endpoint(operation)
        # Operations of a bare area check credentials and parse the body themselves. Only its size is checked here.
        if operation.area.bare:
            _check_size(JSON, self.request.body)
        elif operation.area.basic:
            self._identify_by_password(operation, texts)
        else:
            self._identify(operation, texts)
        invocation = invocation_of(operation)
        if operation.reads:
            return self._read(operation, invocation, texts)
        return self._write(operation, invocation, texts)

    def _call_endpoint(self, operation: Operation) -> Outcome:
        endpoint = self.endpoints.get(operation.area.endpoint)
        if endpoint is None:
            raise OperationNotImplemented(operation.name)
        _check_size(JSON, self.request.body)
        return endpoint(self)

    def identify(self, params: dict[str, object], route: CredentialRules) -> None:
        """Identify the caller from parameters and headers; raise a refusal for insufficient credentials."""
        self.params = params
        self.caller = self._create_authenticator(params, route).caller()

    def _create_authenticator(self, params: dict[str, object], rules: CredentialRules) -> Authenticator:
        self.authenticator = Authenticator(self.world, self.clock, self.request, params, rules)
        return self.authenticator

    def read_context(self, world: World) -> ReadContext:
        """Return a context that reads a world for the caller."""
        return ReadContext(world, self.caller.user, **self._services())

    def write_context(self) -> WriteContext:
        """Return a context that changes a draft of the world for the caller, to be passed to ``commit`` or dropped."""
        return WriteContext(self.draft(), self.caller.user, actor=self.caller.actor, **self._services())

    def _identify(self, operation: Operation, texts: dict[str, str]) -> None:
        params = self.params = self._parse(texts)
        credentials = operation.area.credentials
        if credentials == "own":
            return
        authenticator = self._create_authenticator(params, _credential_rules(operation))
        self.caller = authenticator.caller_by_session() if credentials == "session" else authenticator.caller()
        if self.caller.is_anonymous and operation.asks_login(self.world):
            raise Unauthorized(reason=partial(_explain_missing_login, operation, authenticator))

    def _identify_by_password(self, operation: Operation, texts: dict[str, str]) -> None:
        query = self.request.query
        self.params = merge_params(parse_query(query) if query else {}, {}, texts)
        self.caller = Authenticator(
            self.world, self.clock, self.request, {}, _credential_rules(operation)
        ).caller_by_password()

    def _render_selection(self, selection: Selection) -> Outcome:
        self.operation, self.caller = selection.operation, selection.caller
        return _render_list(self.read_context(self.world), selection)

    def _parse(self, texts: Mapping[str, str]) -> dict[str, object]:
        request = self.request
        query = parse_query(request.query) if request.query else {}
        if not request.body or request.method in ("GET", "HEAD") or self._has_raw_body():
            return merge_params(query, {}, texts)
        content_type = request.headers.get("content-type", "")
        _check_size(content_type, request.body)
        return merge_params(query, parse_body(content_type, request.body), texts)

    def _has_raw_body(self) -> bool:
        return self.operation is not None and self.operation.area.raw_body

    # Reads and writes

    def _read(self, operation: Operation, invocation: Invocation, texts: dict[str, str]) -> Outcome:
        ctx = self.ctx = self.read_context(self.world)
        path_values, p = self._admit(ctx, operation, invocation, texts)
        # Both may raise a restart. They come after every check, so that a refused request has no effect.
        self._advance_unfinished(operation)
        self._run_read_effects(ctx, operation, p)
        result = invocation.call(operation, ctx, self.records, path_values, p)
        if not operation.many:
            return present(ctx, operation, p, result)
        page = self._page(operation, invocation, p, result)
        return _render_list(ctx, self._select(ctx, operation, p, page))

    def _select(self, ctx: ReadContext, operation: Operation, p: Any, page: Page) -> Selection:
        options = operation.options(ctx, p, None) if operation.options else ()
        selection = Selection(operation, self.caller, _view_class(ctx, operation, p), options, page)
        reads = self.world.reads
        if reads is not None:
            # The selection depends on what was read so far. What rendering reads is noted separately, so that a
            # changed record costs a new rendering of the page, but not a new search and sort.
            self.selected = CacheEntry(selection, reads, self.world.state)
            self.world.reads = reads.nested()
        return selection

    def _write(self, operation: Operation, invocation: Invocation, texts: dict[str, str]) -> Outcome:
        ctx = self.write_context()
        self.ctx = ctx
        path_values, p = self._admit(ctx, operation, invocation, texts)
        self._check_unmodified(ctx, operation)
        result = invocation.call(operation, ctx, self.records, path_values, p)
        world = self.commit(ctx)
        # Rendered from the committed world: a draft's views are not cached, and its reads are not tracked.
        outcome = present(self.read_context(world), operation, p, result)
        return outcome._replace(reason=partial(explain_ignored, ctx.ignored)) if ctx.ignored else outcome

    def _services(self) -> dict[str, Any]:
        return {
            "clock": self.clock,
            "fragments": self.fragments,
            "limiter": self.limiter,
            "memory": self.memory,
            "origin": self.request.origin,
            "token": self.caller.token,
            "deploy_token": self.caller.deploy_token,
            "request": self.request,
            "records": self.records,
        }

    def _admit(
        self, ctx: ReadContext, operation: Operation, invocation: Invocation, texts: dict[str, str]
    ) -> tuple[dict[str, Any], Params]:
        """Return the values of the operation's own path and its parameters, and set ``records``.

        The first check that fails raises its refusal; the area decides whether parameters or records come first.
        """
        scope_values, path_values = invocation.path_values(texts)
        if not operation.area.located_first:
            p = self._bind(operation, invocation)
            self._locate(ctx, operation, invocation, scope_values)
        else:
            self._locate(ctx, operation, invocation, scope_values)
            p = self._bind(operation, invocation)
        if operation.login is Login.LATE and self.caller.is_anonymous:
            authenticator = Authenticator(
                self.world, self.clock, self.request, self.params, _credential_rules(operation)
            )
            raise Unauthorized(reason=partial(_explain_missing_login, operation, authenticator))
        return path_values, p

    def _bind(self, operation: Operation, invocation: Invocation) -> Params:
        binder: Binder[Params] = invocation.plan
        try:
            return binder.bind(
                binder.in_release(self.params, self.world.instance.release) if binder.has_lifetimes else self.params,
                operation.params.stored(self.world) if operation.method == "PUT" else None,
            )
        except InvalidParams as refusal:
            raise refusal.with_key(operation.area.params_error_key) from None

    def _locate(self, ctx: ReadContext, operation: Operation, invocation: Invocation, scope_values: list[Any]) -> None:
        # The kernel knows nothing of abilities.
        ability = cast(Ability | None, operation.ability)
        # Administrator rights are checked before records are located: others get 403 even for ids that do not exist.
        if ability is not None and ability.grant.admin:
            authorize_admin(ctx, ability)
        # Outer records come first: everything inside a hidden project gets the project's 404.
        for segment, value in zip(invocation.segments, scope_values, strict=True):
            if segment.locate is not None:
                self.records.append(segment.locate(ctx, *self.records, value))
        if operation.tier and not has_feature(ctx.world, operation.tier, ctx.container):
            reason = f"{operation.name} requires the tier {operation.tier}; the root namespace has a lower plan"
            raise catalog.tier_refusal(operation.name, reason)
        if ability is not None and not ability.grant.admin:
            authorize(ctx, ability, self.records[-1] if self.records else None)

    def _advance_unfinished(self, operation: Operation) -> None:
        """Under the auto clock, run the next step of a single record, or of one in a list, before it is read."""
        if self.request.method != "GET" or not self.may_advance or not self.records:
            return
        if operation.reading.advances is not None:
            self._restart_after_step(operation.reading.advances(self.world, self.records))
        # Other lists and subresources show a record as it is: only polling the record itself is taken as waiting.
        elif not operation.many and not operation.tail:
            self.advance_unfinished(self.records[-1])

    def _run_read_effects(self, ctx: ReadContext, operation: Operation, p: Any) -> None:
        """Restart the request after the side effect of this read, if it has one."""
        if self.may_have_effects and operation.reading.effect is not None and self.request.method == "GET":
            effect = operation.reading.effect(ctx, self.records, p)
            if effect is not None:
                raise RestartAfterEffect(effect)

    def advance_unfinished(self, record: Any) -> None:
        """Under the auto clock, restart the request after a record's next step, if one is in progress."""
        if not self.may_advance:
            return
        from fakeplat.domain import progress

        self._restart_after_step((record,))
        reason = progress.stall_reason(self.world, record)
        if reason:
            # A client that waits for something outside, such as a user, must see that time passes, at every read.
            if self.world.reads is not None:
                self.world.reads.note_until(self.clock.now())
            raise RestartAfterTask(self.clock.now() + SECOND, reason)

    def _restart_after_step(self, records: Iterable[Any]) -> None:
        # Imported late: it knows the pipelines and merge requests of which most worlds have none.
        from fakeplat.domain import progress

        at = progress.next_step_time(self.world, records)
        if at is not None:
            raise RestartAfterTask(at)

    def _check_unmodified(self, ctx: WriteContext, operation: Operation) -> None:
        if operation.method == "DELETE" and not operation.tail and self.records:
            ctx.check_unmodified_since(getattr(self.records[-1], "updated_at", None))

    def _page(self, operation: Operation, invocation: Invocation, p: Any, rows: Sequence[Any]) -> Page:
        paging = operation.paging
        if paging is None:
            return Page(rows, _extra_headers(self.ctx, operation, p, rows))
        url = PageUrl(self.request.origin + self.request.path, {**invocation.plan.defaults, **self.params})
        if paging.keyset and getattr(p, "pagination", None) == "keyset":
            return by_keyset(rows, cast(KeysetPaged, p), url)
        counts = not self.world.instance.hosted
        counted = paging.counted is None or paging.counted(p)
        return by_offset(rows, p, url, counts=counts, limited=paging.keyset, counted=counted)


def present(ctx: ReadContext, operation: Operation, p: Any, result: Any) -> Outcome:
    """Return the answer for an operation's result."""
    if isinstance(result, RawBody):
        content = (("Content-Type", result.content_type),) if result.content_type else ()
        return Outcome(result.status, (*content, *result.headers, *ALWAYS), result.body)
    if operation.status == 204:
        return Outcome(204, (_NO_CACHE, *ALWAYS))
    if operation.view is None or result is None or isinstance(result, dict):
        return _json_outcome(operation, orjson.dumps(result), None)
    options = operation.options(ctx, p, result) if operation.options else ()
    view = _view_class(ctx, operation, p)
    if operation.many:
        return _json_outcome(
            operation, _join_array([ctx.render_fragment(view, row, options).data for row in result]), None
        )
    fragment = ctx.render_fragment(view, result, options)
    return _json_outcome(operation, fragment.data, fragment.digest, _extra_headers(ctx, operation, p, result))


def _extra_headers(ctx: ReadContext | None, operation: Operation, p: Any, result: Any) -> Headers:
    return operation.headers(ctx, p, result) if operation.headers else ()


def _view_class(ctx: ReadContext, operation: Operation, p: Any) -> type[Entity[Any]]:
    view = operation.view
    return view if isinstance(view, type) else cast(Callable[[Any, Any], type[Entity[Any]]], view)(ctx, p)


def _render_list(ctx: ReadContext, selection: Selection) -> Outcome:
    operation, _, view, options, page = selection
    # A cached selection holds ids from an older state. The ids are still right, the records may have changed.
    rows = page.rows.in_world(ctx.world) if isinstance(page.rows, RowsById) else page.rows
    fragments = [render(view, row, ctx, options) for row in rows]
    body = _join_array([fragment.data for fragment in fragments])
    digest = blake2b(b"".join([fragment.digest for fragment in fragments]), digest_size=16).digest()
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
    etag = f'W/"{(digest or blake2b(body, digest_size=16).digest()).hex()}"'
    return Outcome(200, (content, ("ETag", etag), _REVALIDATE, *extra, *ALWAYS), body, etag)


@cache
def _router(*, api: bool, stale_count: int) -> Router[LazyRoute]:  # noqa: ARG001 - part of the cache key
    """Return the router of the API, or of all other paths. ``stale_count`` only invalidates the cache."""
    routes = [route for route in OPERATIONS.lazy_routes() if route.path.startswith("/api/") == api]
    digits = [(route.path, name) for route in routes for name in route.digits]
    endings = [(route.path, ending) for route in routes for ending in route.endings]
    dashed = [(route.path, route.dashed) for route in routes if route.dashed]
    return Router(routes, digits, endings, dashed)


def _match(method: str, path: str) -> Match[LazyRoute]:
    """Match a request to a route and import the module of its operation; all modules if there is no match."""
    # An import may show that the stored lazy routes are out of date. The router that matched was then built from
    # wrong routes, so the match is repeated with a new one.
    while True:
        stale_count = OPERATIONS.stale_count
        match = _router(api=path.startswith("/api/"), stale_count=stale_count).match(method, path)
        if match.route is None:
            OPERATIONS.load_all()
        else:
            OPERATIONS.load(match.route.name)
        if OPERATIONS.stale_count == stale_count:
            return match


def route(request: Request, world: World) -> tuple[Operation, dict[str, str]]:
    """Return the operation and the texts of its path parameters; raise a refusal if no route matches."""
    route, texts, allowed = _match(request.method, request.path)
    if route is None:
        raise _refuse_route(request, world, allowed)
    operation = OPERATIONS[route.name]
    _check_served(operation, world)
    return operation, texts


def _check_served(operation: Operation, world: World) -> None:
    instance = world.instance
    if operation.lifetime and not operation.lifetime.covers(instance.release):
        raise RouteNotFound(reason=catalog.explain_missing_in_release(operation.name, operation.lifetime, instance))
    # On the hosted offering the tier depends on the namespace, so it is checked when that is located.
    if not (instance.hosted or instance.has(operation.tier)):
        reason = f"{operation.name} requires the tier {operation.tier}; instance.tier is {instance.tier}"
        raise catalog.tier_refusal(operation.name, reason)


def _refuse_route(request: Request, world: World, allowed: Sequence[str]) -> Refusal:
    if request.path.startswith("/api/v3/"):
        return Gone()
    refusal = catalog.refusal(world.instance, request.method, request.path)
    if refusal is not None:
        return refusal
    served = (method for method in allowed if _is_in_release(method, request.path, world))
    allowed = sorted({*served, *catalog.known_methods(world.instance, request.path)})
    if request.path.startswith((PREFIX, SCIM_PREFIX)) and allowed:
        methods = ", ".join(sorted({*allowed, "HEAD"} if "GET" in allowed else allowed))
        reason = f"{request.path} allows {methods}, not {request.method}"
        return PageNotAllowed("405 Not Allowed", reason=reason, headers=(("Allow", methods),))
    return RouteNotFound(reason=partial(catalog.explain_unknown_path, request.method, request.path))


def _is_in_release(method: str, path: str, world: World) -> bool:
    """Return whether the world's release has the method of a path, which a declared operation matches."""
    route = _match(method, path).route
    return route is not None and OPERATIONS[route.name].lifetime.covers(world.instance.release)


def _explain_missing_login(operation: Operation, authenticator: Authenticator) -> str:
    return f"{operation.name} asks for a login; nobody is signed in: {authenticator.explain_anonymous()}"


@cache
def _credential_rules(operation: Operation) -> CredentialRules:
    area = operation.area
    # The method decides, also for a POST that changes nothing.
    return CredentialRules(operation.method == "GET", area.scopes, operation.job_token, area.deploy_tokens)


def _check_size(content_type: str, body: bytes) -> None:
    limit = UPLOAD_LIMIT if content_type.startswith("multipart/") else BODY_LIMIT
    if len(body) > limit:
        raise ContentTooLarge(reason=f"the body has {len(body)} bytes; the limit is {limit}")


def matches_etag(header: str | None, etag: str) -> bool:
    """Return whether an If-None-Match header matches an answer's entity tag.

    The comparison is weak (RFC 9110, section 13.1.2): a ``W/`` prefix on either side is ignored.
    """
    if not header or not etag:
        return False
    opaque_tag = etag.removeprefix("W/")
    return any(tag.strip().removeprefix("W/") in (opaque_tag, "*") for tag in header.split(","))
