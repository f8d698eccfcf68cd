"""The handler of a request: from a request to a response, in the order in which the platform checks.

route → parse → identify → (writes) draft → login of the area → parameters → administrator → records, outer
to inner → ability → conditions → call the operation → paginate and render → commit. Where an area locates records
first, parameters are validated after the ability. A refusal discards the draft, so no request is half done.
Source: docs/platform/errors.md ('Order of checks'), docs/platform/authentication.md.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any, Final, cast

from attrs import field, mutable

from fakeplat import catalog
from fakeplat.catalog.unbuilt import unbuilt_parameters_of
from fakeplat.core.cache.entries import CacheEntry
from fakeplat.core.operations.errors import (
    BadRequest,
    ContentTooLarge,
    Forbidden,
    InvalidParams,
    InvalidToken,
    OperationNotImplemented,
    Reason,
    Refusal,
    Unauthorized,
)
from fakeplat.core.operations.http_messages import JSON, Headers, RawBody, Request
from fakeplat.core.operations.invocation import Invocation, ScopeValue, invocation_of
from fakeplat.core.operations.operation import PREFIX, Login, Operation
from fakeplat.core.operations.paging import (
    CursorPaged,
    KeysetPaged,
    NamePaged,
    Page,
    Paged,
    PageUrl,
    TokenPaged,
    by_cursor,
    by_keyset,
    by_name,
    by_offset,
    by_token,
)
from fakeplat.core.operations.reasons import explain_bad_request, explain_ignored
from fakeplat.core.params.body import merge_params, parse_body, parse_query
from fakeplat.core.params.params import Params, binder_of
from fakeplat.core.release import Profile
from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.table import Record
from fakeplat.core.timestamps import SECOND
from fakeplat.model.people import GRANULAR, Token, User
from fakeplat.model.projects import Project
from fakeplat.model.world import World, WorldDraft
from fakeplat.pipeline.rendering import ALWAYS, Outcome, Selection, choose_view, extra_headers, present, render_list
from fakeplat.pipeline.routing import route
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, authorize_admin, is_for_administrators
from fakeplat.policy.behaviours import CURSORS_ARE_HEADERS, LINK_HEADER_HAS_ONE_NAME, REUSE_REVOKES_TOKEN_FAMILIES
from fakeplat.policy.context import ANONYMOUS, Caller, ReadContext, Services, WriteContext
from fakeplat.policy.credentials import Authenticator, CredentialRules, parse_basic
from fakeplat.policy.documented import Ruling
from fakeplat.policy.features import has_feature
from fakeplat.policy.maintenance import check_writable
from fakeplat.policy.token_use import find_due_token, is_rotation

BODY_LIMIT: Final = 10 * 1024 * 1024
UPLOAD_LIMIT: Final = 256 * 1024 * 1024
_ANY_ROUTE: Final = CredentialRules(reads=True, scopes=("read_user",), job_token=True)


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


@frozen
class NestedCall:
    """An operation that a request runs within itself, for its own caller, who is not identified again.

    ``texts`` are the values of the path, ``params`` the others.
    """

    operation: Operation
    texts: Mapping[str, str]
    params: Mapping[str, object]
    caller: Caller


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
    services: Services
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
    warnings: tuple[str, ...] = ()
    unreadable: Refusal | None = None
    """What refuses the body once the records are found."""
    is_repeatable: bool = False
    """Whether the body of a POST turned out to contain only reads."""
    nested: NestedCall | None = None
    """What is handled within another request."""

    def answer(self) -> Outcome:
        """Return the answer, also for a refusal. Any exception other than a restart is a bug."""
        try:
            outcome = self._dispatch() if self.selected is None else self._render_selection(self.selected.value)
        except Refusal as refusal:
            # The journal keeps the refusal. With its traceback it would keep every frame of the request, and the frame
            # of this function leads back to the refusal: a cycle that only a full collection could free.
            refusal.__traceback__ = refusal.__context__ = refusal.__cause__ = None
            response = self._in_form_of_area(self._with_ruled_spacing(refusal)).response()
            headers = (*self._with_content_type(response.headers), *ALWAYS)
            reason = self._reason_for_journal(refusal)
            body = b"" if self.operation and self.operation.area.bare else response.body
            outcome = Outcome(response.status, headers, body, reason=reason, refusal=refusal)
        self._complete(outcome)
        return outcome

    def _with_content_type(self, headers: Headers) -> Headers:
        """Return the headers of a refusal with the type of JSON bodies in the area."""
        content_type = self.operation.area.content_type if self.operation else JSON
        if content_type == JSON:
            return headers
        return tuple((name, content_type if value == JSON else value) for name, value in headers)

    def _reason_for_journal(self, refusal: Refusal) -> Reason:
        """Return the reason of a refusal. The journal stores it, so it should keep little of the request alive."""
        if self.operation is not None and isinstance(refusal, BadRequest):
            profile = self.world.profile
            return partial(explain_bad_request, refusal, self.operation, self.params, profile, unbuilt_parameters_of)
        return refusal.explain

    def _in_form_of_area(self, refusal: Refusal) -> Refusal:
        """Return a refusal with the keys that the area of the operation has."""
        if self.operation is not None and self.operation.area.amend_refusal is not None:
            self.operation.area.amend_refusal(self.world.profile, refusal)
        return refusal

    def _with_ruled_spacing(self, refusal: Refusal) -> Refusal:
        """Return a refusal with the spacing that ruling 33 selects."""
        if isinstance(refusal, Forbidden) and not Ruling.FORBIDDEN_REASONS_HAVE_ONE_SPACE.holds(self.world):
            return refusal.with_two_spaces()
        return refusal

    def identify_user(self) -> User | None:
        """Return the user whom the credentials identify, ignoring sudo; None if they are refused."""
        # Used before routing, so the operation's own rules are not known yet: any kind of credential is accepted.
        authorization = self.request.headers.get("authorization")
        by_password = self.request.ssh_key is not None or (
            parse_basic(authorization) is not None and not self.request.path.startswith(PREFIX)
        )
        try:
            params = {} if by_password else self._parse({})
            authenticator = Authenticator(self.world, self.services.clock, self.request, params, _ANY_ROUTE)
            caller = authenticator.caller_by_password() if by_password else authenticator.caller()
            # Forms of pages have the CSRF token in their bodies, which the authenticator does not read.
            is_page = caller.is_anonymous and not self.request.path.startswith("/api/")
            return authenticator.caller_by_session().actor if is_page else caller.actor
        except Refusal:
            return None

    def _complete(self, outcome: Outcome) -> None:
        """Set what only the handler knows."""
        if self.operation is not None:
            outcome.operation = self.operation.name
        elif isinstance(outcome.refusal, OperationNotImplemented):
            outcome.operation = outcome.refusal.operation
        caller = self.caller
        user = caller.user or (self.authenticator.identified if self.authenticator else None)
        outcome.user = user.username if user else None
        outcome.credential = None if caller is ANONYMOUS else caller.credential
        outcome.warnings = self.warnings

    def _dispatch(self) -> Outcome:
        nested = self.nested
        operation, texts = route(self.request, self.world) if nested is None else (nested.operation, nested.texts)
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
        if self.nested is not None:
            self.caller = self.nested.caller
            return
        self.caller = self._create_authenticator(params, route).caller()

    def call_nested(self, nested: NestedCall, request: Request) -> Outcome:
        """Run another operation within this request; what it changes is committed.

        ``request`` is what the operation sees as its own. A restart that it asks for is one of this request, so a
        request with several calls reads before it writes.
        """
        handler = RequestHandler(
            request,
            self.world,
            self.draft,
            self.commit,
            self.services,
            self.may_advance,
            self.may_have_effects,
            endpoints=self.endpoints,
            nested=nested,
        )
        outcome = handler.answer()
        self.world = handler.world
        self.warnings = (*self.warnings, *handler.warnings)
        return outcome

    def _create_authenticator(self, params: dict[str, object], rules: CredentialRules) -> Authenticator:
        self.authenticator = Authenticator(self.world, self.services.clock, self.request, params, rules)
        return self.authenticator

    def read_context(self, world: World) -> ReadContext:
        """Return a context that reads a world for the caller."""
        return ReadContext(world, self.caller, self.services, self.request.origin, self.request, self.records)

    def write_context(self) -> WriteContext:
        """Return a context that changes a draft of the world for the caller, for `commit_changes` or to be dropped."""
        return WriteContext(self.draft(), self.caller, self.services, self.request.origin, self.request, self.records)

    def commit_changes(self, ctx: WriteContext) -> World:
        """Commit the changes of a context and keep its warnings for the journal. Return the new world."""
        world = self.commit(ctx)
        if ctx.warnings:
            self.warnings = (*self.warnings, *ctx.warnings)
        # The request around a nested call goes on in the new world; observers see the one in which a request began.
        if self.nested is not None:
            self.world = world
        return world

    def _identify(self, operation: Operation, texts: Mapping[str, str]) -> None:
        if self.nested is not None:
            self.params = merge_params({}, dict(self.nested.params), texts)
            self.caller = self.nested.caller
            return
        params = self.params = self._parse(texts)
        credentials = operation.area.credentials
        if credentials == "own":
            return
        authenticator = self._create_authenticator(params, _credential_rules(operation, self.world.profile))
        try:
            self.caller = authenticator.caller_by_session() if credentials == "session" else authenticator.caller()
        except InvalidToken:
            self._punish_reuse(authenticator.revoked)
            raise
        if self.caller.is_anonymous and operation.asks_login(self.world):
            raise Unauthorized(reason=partial(_explain_missing_login, operation, authenticator))

    def _punish_reuse(self, token: Token | None) -> None:
        """Revoke what a revoked token was rotated into, although the request that it would rotate again is refused."""
        has_rule = self.world.profile.has(REUSE_REVOKES_TOKEN_FAMILIES)
        if token is None or not has_rule or not is_rotation(self.request.path):
            return
        from fakeplat.domain.people import tokens

        ctx = self.write_context()
        tokens.revoke_family(ctx, token)
        self.commit(ctx)

    def _identify_by_password(self, operation: Operation, texts: Mapping[str, str]) -> None:
        query = self.request.query
        self.params = merge_params(parse_query(query) if query else {}, {}, texts)
        self.caller = Authenticator(
            self.world, self.services.clock, self.request, {}, _credential_rules(operation, self.world.profile)
        ).caller_by_password()

    def _render_selection(self, selection: Selection) -> Outcome:
        self.operation, self.caller = selection.operation, selection.caller
        return render_list(self.read_context(self.world), selection)

    def _parse(self, texts: Mapping[str, str]) -> dict[str, object]:
        request = self.request
        query = parse_query(request.query) if request.query else {}
        if not request.body or request.method in ("GET", "HEAD") or self._has_raw_body():
            return merge_params(query, {}, texts)
        content_type = request.headers.get("content-type", "")
        _check_size(content_type, request.body, streamed=self._params_class.is_streamed())
        try:
            body = parse_body(content_type, request.body)
        except Refusal as refusal:
            self.unreadable = self._params_class.refuse_unreadable(refusal)
            if self.unreadable is None:
                raise
            body = {}
        return merge_params(query, body, texts)

    @property
    def _params_class(self) -> type[Params]:
        """The parameters of the operation in the world's release."""
        return self.operation.params.in_release(self.world.profile) if self.operation is not None else Params

    def _has_raw_body(self) -> bool:
        return self.operation is not None and self.operation.area.raw_body

    # Reads and writes

    def _read(self, operation: Operation, invocation: Invocation, texts: Mapping[str, str]) -> Outcome:
        ctx = self.ctx = self.read_context(self.world)
        path_values, p = self._admit(ctx, operation, invocation, texts)
        # Both may raise a restart. They come after every check, so that a refused request has no effect.
        self._advance_unfinished(operation)
        self._run_read_effects(ctx, operation, p)
        result = invocation.call(operation, ctx, self.records, path_values, p)
        if self.may_have_effects:
            self._restart_after(*self._list_use_records(ctx), self._find_effect(ctx, result))
        if not operation.many:
            return present(lambda: ctx, operation, p, result)
        page = self._page(operation, p, result)
        return render_list(ctx, self._select(ctx, operation, p, page))

    def _select(self, ctx: ReadContext, operation: Operation, p: Params, page: Page) -> Selection:
        options = operation.options(ctx, p, None) if operation.options else ()
        selection = Selection(operation, self.caller, choose_view(ctx, operation, p), options, page)
        reads = self.world.reads
        if reads is not None:
            # The selection depends on what was read so far. What rendering reads is noted separately, so that a
            # changed record costs a new rendering of the page, but not a new search and sort.
            self.selected = CacheEntry(selection, reads, self.world.state)
            self.world.reads = reads.nested()
        return selection

    def _write(self, operation: Operation, invocation: Invocation, texts: Mapping[str, str]) -> Outcome:
        ctx = self.write_context()
        self.ctx = ctx
        path_values, p = self._admit(ctx, operation, invocation, texts)
        self._check_unmodified(ctx, operation)
        for record_use in self._list_use_records(ctx):
            record_use(ctx)
        result = invocation.call(operation, ctx, self.records, path_values, p)
        world = self.commit_changes(ctx)
        # Rendered from the committed world: a draft's views are not cached, and its reads are not tracked.
        outcome = present(partial(self.read_context, world), operation, p, result)
        if ctx.ignored:
            outcome.reason = partial(explain_ignored, ctx.ignored)
        return outcome

    def _admit(
        self, ctx: ReadContext, operation: Operation, invocation: Invocation, texts: Mapping[str, str]
    ) -> tuple[dict[str, object], Params]:
        """Return the values of the operation's own path and its parameters, and set ``records``.

        The first check that fails raises its refusal; the area decides whether parameters or records come first.
        """
        if operation.area.guard is not None:
            operation.area.guard(ctx, operation, texts)
        scope_values, path_values = invocation.path_values(texts)
        if ctx.token is not None and GRANULAR in ctx.token.scopes:
            self._authorize_granular_token(ctx, ctx.token, operation)
        if not operation.area.located_first:
            p = self._bind(operation)
            if operation.check_params is not None:
                operation.check_params(ctx, p)
            self._locate(ctx, operation, invocation, scope_values)
        else:
            self._locate(ctx, operation, invocation, scope_values)
            p = self._bind(operation)
        if self.unreadable is not None:
            raise self.unreadable
        if operation.login is Login.LATE and self.caller.is_anonymous:
            rules = _credential_rules(operation, self.world.profile)
            authenticator = Authenticator(self.world, self.services.clock, self.request, self.params, rules)
            raise Unauthorized(reason=partial(_explain_missing_login, operation, authenticator))
        return path_values, p

    def _authorize_granular_token(self, ctx: ReadContext, token: Token, operation: Operation) -> None:
        # Imported late: few worlds have fine-grained tokens, whose table is long.
        from fakeplat.pipeline.granular_tokens import authorize_operation

        if operation.area.prefix == PREFIX and operation.area.credentials == "api":
            authorize_operation(ctx, token, operation, self.params)

    def _authorize_job(self, ctx: ReadContext, operation: Operation) -> None:
        # Imported late, as few requests are those of jobs.
        from fakeplat.pipeline.job_token_policies import authorize_job

        if self.records and isinstance(self.records[0], Project):
            authorize_job(ctx, self.records[0], operation)

    def _bind(self, operation: Operation) -> Params:
        binder = binder_of(operation.params, self.world.profile)
        try:
            return binder.bind(self.params, operation.params.stored(self.world) if operation.method == "PUT" else None)
        except InvalidParams as refusal:
            raise refusal.with_key(operation.area.params_error_key) from None

    def _locate(
        self, ctx: ReadContext, operation: Operation, invocation: Invocation, scope_values: list[ScopeValue]
    ) -> None:
        # The kernel knows nothing of abilities.
        ability = cast("Ability | None", operation.ability)
        # Administrator rights are checked before records are located: others get 403 even for ids that do not exist.
        is_admin = ability is not None and is_for_administrators(ctx, ability)
        if ability is not None and is_admin:
            authorize_admin(ctx, ability)
        # Outer records come first: everything inside a hidden project gets the project's 404.
        for segment, value in zip(invocation.segments, scope_values, strict=True):
            if segment.locate is not None:
                self.records.append(segment.locate(ctx, *self.records, value))
        if ctx.token is not None and ctx.token.kind == "job":
            self._authorize_job(ctx, operation)
        tier = operation.tier_in(self.world.profile)
        if tier and not has_feature(ctx.world, tier, ctx.container):
            reason = f"{operation.name} requires the tier {tier}; the root namespace has a lower plan"
            raise catalog.tier_refusal(operation.name, reason)
        if ability is not None and not is_admin:
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

    def _run_read_effects(self, ctx: ReadContext, operation: Operation, p: Params) -> None:
        """Restart the request after the side effect of this read, if it has one."""
        if self.may_have_effects and operation.reading.effect is not None and self.request.method == "GET":
            effect = operation.reading.effect(ctx, self.records, p)
            if effect is not None:
                self._restart_after(*self._list_use_records(ctx), effect)

    def _restart_after(self, *effects: Callable[[WriteContext], object] | None) -> None:
        """Restart the request after side effects, if there are any."""
        wanted = [effect for effect in effects if effect is not None]
        if wanted:
            raise RestartAfterEffect(lambda ctx: [effect(ctx) for effect in wanted])

    def _find_effect(self, ctx: ReadContext, result: object) -> Callable[[WriteContext], object] | None:
        """Return the side effect of a download, if it has one."""
        if self.request.method != "GET" or not isinstance(result, RawBody) or result.effect is None:
            return None
        # A cached answer would have no effect: this one is valid only now.
        ctx.moving_now()
        return result.effect

    def _list_use_records(self, ctx: ReadContext) -> Iterator[Callable[[WriteContext], object]]:
        """Yield functions that record the use of the token of this request, if it is due."""
        token = find_due_token(ctx)
        if token is not None:
            from fakeplat.domain.people import tokens

            yield partial(tokens.record_use, token=token, address=self.request.remote_ip)
        if ctx.token is not None and ctx.token.kind == "job" and self.records and isinstance(self.records[0], Project):
            # Imported late, as few requests are those of jobs.
            from fakeplat.domain.ci import job_token_log

            origin = job_token_log.find_due_origin(ctx, self.records[0])
            if origin is not None:
                yield partial(job_token_log.record_access, accessed=self.records[0], origin=origin)

    def advance_unfinished(self, record: Record) -> None:
        """Under the auto clock, restart the request after a record's next step, if one is in progress."""
        if not self.may_advance:
            return
        from fakeplat.domain import progress

        self._restart_after_step((record,))
        reason = progress.stall_reason(self.world, record)
        if reason:
            # A client that waits for something outside, such as a user, must see that time passes, at every read.
            if self.world.reads is not None:
                self.world.reads.note_until(self.services.clock.now())
            raise RestartAfterTask(self.services.clock.now() + SECOND, reason)

    def _restart_after_step(self, records: Iterable[Record]) -> None:
        # Imported late: it knows the pipelines and merge requests of which most worlds have none.
        from fakeplat.domain import progress

        at = progress.next_step_time(self.world, records)
        if at is not None:
            raise RestartAfterTask(at)

    def _check_unmodified(self, ctx: WriteContext, operation: Operation) -> None:
        if operation.method == "DELETE" and not operation.tail and self.records:
            ctx.check_unmodified_since(getattr(self.records[-1], "updated_at", None))

    def _page(self, operation: Operation, p: Params, rows: Sequence[Record]) -> Page:
        page = self._cut(operation, p, rows)
        headers = extra_headers(self.ctx, operation, p, rows)
        return Page(page.rows, (*page.headers, *headers)) if headers else page

    def _cut(self, operation: Operation, p: Params, rows: Sequence[Record]) -> Page:
        paging = operation.paging
        if paging is None:
            # A lazy sequence would show the records as they are now, whenever the cached page is rendered again.
            return Page(list(rows), ())
        defaults = binder_of(operation.params, self.world.profile).defaults
        url = PageUrl(self.request.origin + self.request.path, {**defaults, **self.params})
        if paging.keyset and getattr(p, "pagination", None) == "keyset":
            repeats_link = not self.world.profile.has(LINK_HEADER_HAS_ONE_NAME)
            return by_keyset(rows, cast(KeysetPaged, p), url, repeats_link=repeats_link)
        if isinstance(p, TokenPaged) and p.is_unpaged:
            return Page(list(rows), ())
        if isinstance(p, TokenPaged) and paging.token is not None and p.pagination == "keyset":
            return by_token(rows, p, url, paging.token, prefix=paging.token_prefix)
        if isinstance(p, NamePaged) and paging.token is not None and p.pagination == "keyset":
            return by_name(rows, p, url, paging.token)
        if paging.cursors is not None and isinstance(p, CursorPaged) and p.is_by_cursor:
            order = paging.cursors.order(self.ctx, p)
            if order is not None:
                has_headers = self.world.profile.has(CURSORS_ARE_HEADERS)
                return by_cursor(rows, p, url, paging.cursors, order, has_headers=has_headers)
        counts = not self.world.instance.hosted
        has_total = paging.uncounted is None or not self.world.profile.has(paging.uncounted)
        counted = has_total and (paging.counted is None or paging.counted(p))
        is_open = paging.open_ended and not has_total
        is_limited = self.world.profile.has(paging.limited_in) and (
            not paging.limited_anonymously or self.caller.is_anonymous
        )
        return by_offset(
            rows,
            cast(Paged, p),
            url,
            counts=counts,
            limited=paging.limited if is_limited else "",
            counted=counted,
            open_ended=is_open,
        )


def _explain_missing_login(operation: Operation, authenticator: Authenticator) -> str:
    return f"{operation.name} asks for a login; nobody is signed in: {authenticator.explain_anonymous()}"


@cache
def _credential_rules(operation: Operation, profile: Profile) -> CredentialRules:
    area = operation.area
    accepts_job = operation.job_token or area.job_tokens or False
    only_reads = area.read_only is not None and profile.has(area.read_only)
    headers_only = area.headers_only is not None and profile.has(area.headers_only)
    # The method decides, also for a POST that changes nothing.
    return CredentialRules(
        operation.method == "GET",
        area.scopes,
        accepts_job if isinstance(accepts_job, bool) else profile.has(accepts_job),
        area.deploy_tokens,
        (*area.write_scopes, *(("read_api",) if only_reads else ())),
        area.any_scope,
        (area.deploy_tokens or area.token_passwords) and not headers_only,
        area.key_header,
        area.package_token,
        admin_mode=area.prefix == PREFIX,
    )


def _check_size(content_type: str, body: bytes, *, streamed: bool = False) -> None:
    limit = UPLOAD_LIMIT if streamed or content_type.startswith("multipart/") else BODY_LIMIT
    if len(body) > limit:
        raise ContentTooLarge(reason=f"the body has {len(body)} bytes; the limit is {limit}")
