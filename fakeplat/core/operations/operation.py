"""Operations: each is declared once, and everything else is derived from the declaration.

```python
area = Area("Projects", login=Login.WRITES)

@area.operation("POST", "star", scope=PROJECT, ability=Ability.STAR_PROJECT, view=ProjectFull)
def star_project(ctx: WriteContext, project: Project) -> Project:
    '''Star a project.'''
```

The function gets the located records and the valid parameters, and returns a record, rows or a dictionary.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from functools import cached_property
from http import HTTPStatus
from importlib import import_module
from typing import Any, Final, Literal, NamedTuple, TypeVar

from attrs import field

from fakeplat.core.operations.entity import Entity
from fakeplat.core.operations.http_messages import JSON, Headers
from fakeplat.core.operations.scope import NO_SCOPE, Scope
from fakeplat.core.params.params import Params
from fakeplat.core.release import Lifetime
from fakeplat.core.store.frozen import frozen

F = TypeVar("F", bound=Callable[..., Any])
Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
View = type[Entity[Any]]
ViewChoice = View | Callable[[Any, Any], View] | None

PREFIX: Final = "/api/v4"
SCIM_PREFIX: Final = "/api/scim/v2"


class Login(Enum):
    """Which anonymous requests of an area are refused with 401, and when.

    WRITES and ALWAYS refuse them before all other checks, LATE refuses them after records, abilities and parameters
    were checked.
    """

    NEVER = "never"
    WRITES = "writes"
    ALWAYS = "always"
    LATE = "late"


class NoParams(Params):
    """No parameters."""


@frozen
class Area:
    """A section of the API whose operations share the order of their checks.

    ``located_first``: records and abilities are checked before parameters, so 404 and 403 beat 400.
    ``prefix`` is the start of all paths. ``scopes`` are token scopes that are sufficient for reads, besides ``api`` and
    ``read_api``. ``bare``: operations check credentials and parse the body themselves, and refusals have no body.
    ``basic``: callers use HTTP Basic, as git does, and bodies are never parsed as parameters. ``raw_body``: neither are
    those of this area, which are logs and files. ``deploy_tokens``: callers may be deploy tokens, and may send any
    token as a password (HTTP Basic), as package managers do. ``endpoint``: the name of the endpoint that handles the
    operations (`Platform.endpoints`). ``login_ruling``: a ruling; if it holds, operations that do not declare ``login``
    themselves always require one. ``params_error_key`` is the key of the errors of parameters in bodies.
    ``credentials``: pages know their caller by the session cookie (``session``), the operations of other protocols
    identify theirs themselves (``own``). ``content_type`` is that of JSON bodies. ``produces`` is the media type of the
    bodies of operations that render them themselves. ``dashed`` is a part before which the paths may also have a ``-``
    (``groups/:id/-/epics``).
    """

    name: str
    login: Login = Login.WRITES
    login_ruling: Any = None
    scopes: tuple[str, ...] = ()
    located_first: bool = False
    prefix: str = PREFIX
    bare: bool = False
    basic: bool = False
    raw_body: bool = False
    deploy_tokens: bool = False
    endpoint: str = ""
    params_error_key: Literal["error", "message"] = "error"
    credentials: Literal["api", "session", "own"] = "api"
    content_type: str = JSON
    produces: str = "*/*"
    dashed: str = ""

    def operation(
        self,
        method: Method,
        path: str,
        *,
        name: str = "",
        scope: Scope | tuple[Scope, ...] = NO_SCOPE,
        ability: Any = None,
        params: type[Params] = NoParams,
        view: ViewChoice = None,
        many: bool = False,
        status: int | None = None,
        also: tuple[int, ...] = (),
        refusals: tuple[int, ...] = (),
        reads: bool | None = None,
        paged: bool = True,
        counted: Callable[[Any], bool] | None = None,
        job_token: bool = False,
        login: Login | None = None,
        tier: str = "",
        since: str = "",
        until: str = "",
        ours: bool = False,
        keyset: bool = False,
        offset_limit: bool = False,
        options: Callable[[Any, Any, Any], tuple[str, ...]] | None = None,
        headers: Callable[[Any, Any, Any], Headers] | None = None,
        endings: tuple[str, ...] = (),
        unfinished: bool = True,
        unfinished_rows: Callable[[Any, Sequence[Any]], Iterable[Any]] | None = None,
        read_effect: Callable[..., Any] | None = None,
        produces: str = "",
        source: str = "",
    ) -> Callable[[F], F]:
        """Declare an operation; with several scopes, one operation for each.

        The operation is named after the function, with the scope's word after the verb if there are several scopes.
        ``name`` overrides that; ``{scope}`` in it stands for the word.
        """
        scopes = scope if isinstance(scope, tuple) else (scope,)

        def register(function: F) -> F:
            for scope in scopes:
                operation = Operation(
                    name=name.format(scope=scope.word) or _operation_name(function.__name__, scope, len(scopes)),
                    area=self,
                    method=method,
                    scope=scope,
                    tail=path,
                    call=function,
                    ability=ability,
                    params=params,
                    view=view,
                    many=many,
                    status=status or _STATUS[method],
                    also=also,
                    refusals=refusals,
                    reads=method == "GET" if reads is None else reads,
                    paged=paged,
                    counted=counted,
                    job_token=job_token,
                    login=self.login if login is None else login,
                    login_ruling=self.login_ruling if login is None else None,
                    tier=tier or scope.tier,
                    lifetime=Lifetime(since, until),
                    ours=ours,
                    keyset=keyset,
                    offset_limit=offset_limit,
                    options=options,
                    headers=headers,
                    endings=endings,
                    unfinished=unfinished,
                    unfinished_rows=unfinished_rows,
                    read_effect=read_effect,
                    produces=produces or self.produces,
                    source=source,
                )
                OPERATIONS.add(operation)
            return function

        return register


_STATUS: Final = {
    "GET": HTTPStatus.OK,
    "POST": HTTPStatus.CREATED,
    "PUT": HTTPStatus.OK,
    "PATCH": HTTPStatus.OK,
    "DELETE": HTTPStatus.NO_CONTENT,
}


def _operation_name(name: str, scope: Scope, scope_count: int) -> str:
    if scope_count == 1:
        return name
    verb, _, noun = name.partition("_")
    return f"{verb}_{scope.word}_{noun}"


class LazyRoute(NamedTuple):
    """The route of an operation, known before its module is imported.

    ``digits`` are the parameters that match only digits, ``endings`` are optional suffixes of the path, ``dashed`` is a
    part before which the path may have a ``-``.
    """

    module: str
    name: str
    method: str
    path: str
    digits: tuple[str, ...] = ()
    endings: tuple[str, ...] = ()
    dashed: str = ""


# Compared by identity: operations are keys of caches, and hashing all these attributes would be slow.
@frozen(eq=False)
class Operation:
    """A declared operation.

    ``many``: it returns rows, which are paginated and rendered one by one. ``also`` are statuses of success besides
    ``status``. ``refusals`` are the statuses that its function raises, besides those that the declaration implies.
    ``counted`` (of parameters) decides whether the headers of a page contain the total; None: they do.
    ``lifetime`` are the releases of the platform that have the operation. ``ours`` marks operations that the platform
    does not have. ``unfinished``: reading a single record may advance it under the auto clock; ``unfinished_rows`` (of
    world, records) are those that reading a list may advance. ``headers`` (of context, parameters, result) returns
    additional headers, for lists only if they are not paginated. ``endings`` are optional suffixes of the path
    (``.zip``). ``read_effect`` (of context, records, parameters) returns the side effect of a GET as a function of the
    write context, or None; it is committed before the request is answered. ``produces`` is the media type of a body
    that the function renders itself.
    """

    name: str
    area: Area
    method: str
    scope: Scope
    tail: str
    call: Callable[..., Any]
    ability: Any
    params: type[Params]
    view: ViewChoice
    many: bool
    status: int
    also: tuple[int, ...]
    refusals: tuple[int, ...]
    reads: bool
    paged: bool
    counted: Callable[[Any], bool] | None
    job_token: bool
    login: Login
    login_ruling: Any
    tier: str
    lifetime: Lifetime
    ours: bool
    keyset: bool
    offset_limit: bool
    options: Callable[[Any, Any, Any], tuple[str, ...]] | None
    headers: Callable[[Any, Any, Any], Headers] | None
    endings: tuple[str, ...]
    unfinished: bool
    unfinished_rows: Callable[[Any, Sequence[Any]], Iterable[Any]] | None
    read_effect: Callable[..., Any] | None
    produces: str
    source: str
    path: str = field(init=False)

    @path.default
    def _build_path(self) -> str:
        parts = [part for part in (self.scope.path, self.tail) if part]
        return "/".join([self.area.prefix, *parts]) or "/"

    def asks_login(self, world: Any) -> bool:
        """Return whether anonymous callers are refused before all other checks."""
        return self._requires_login or (self.login_ruling is not None and self.login_ruling.holds(world))

    @cached_property
    def _requires_login(self) -> bool:
        return self.login is Login.ALWAYS or (self.login is Login.WRITES and not self.reads)

    @property
    def lazy_route(self) -> LazyRoute:
        """The route, with the module that declares the operation."""
        digits = tuple(segment.parameter for segment in self.scope.segments if segment.kind == "digits")
        module, dashed = self.call.__module__, self.area.dashed
        return LazyRoute(module, self.name, self.method, self.path, digits, self.endings, dashed)

    @property
    def title(self) -> str:
        """The first line of the function's docstring."""
        return (self.call.__doc__ or self.name).strip().splitlines()[0]


class Operations:
    """All operations, by name. Modules are imported when one of their lazy routes is first needed.

    ``stale_count`` counts the lazy routes that differed from the declarations of their module.
    """

    def __init__(self) -> None:
        self._by_name: dict[str, Operation] = {}
        self._lazy_routes: dict[str, LazyRoute] = {}
        self.stale_count = 0

    def add_lazy_routes(self, routes: Iterable[LazyRoute]) -> None:
        """Add the routes that modules will declare when they are imported."""
        self._lazy_routes.update({route.name: route for route in routes})

    def add(self, operation: Operation) -> None:
        """Add an operation. ValueError if there is one with the same name."""
        if operation.name in self._by_name:
            raise ValueError(f"two operations are named {operation.name}")
        self._by_name[operation.name] = operation
        # The declaration is right, and the file with the lazy routes is out of date.
        if self._lazy_routes.get(operation.name) != operation.lazy_route:
            self._lazy_routes[operation.name] = operation.lazy_route
            self.stale_count += 1

    def load(self, name: str) -> None:
        """Import the module of an operation."""
        if name not in self._by_name:
            import_module(self._lazy_routes[name].module)
            if name not in self._by_name:
                # The file names an operation that its module no longer declares.
                del self._lazy_routes[name]
                self.stale_count += 1

    def load_all(self) -> None:
        """Import the modules of all operations."""
        for name in [name for name in self._lazy_routes if name not in self._by_name]:
            self.load(name)

    def lazy_routes(self) -> Iterable[LazyRoute]:
        """Return the route of each operation, loaded or not."""
        # One wrong route means that the stored file is out of date, so none of the others can be trusted either.
        if self.stale_count:
            self.load_all()
        return self._lazy_routes.values()

    def __iter__(self) -> Iterator[Operation]:
        self.load_all()
        return iter([self._by_name[name] for name in self._lazy_routes])

    def __len__(self) -> int:
        self.load_all()
        return len(self._by_name)

    def __contains__(self, name: object) -> bool:
        # An operation that is missing in an outdated file may be declared in a module that is not imported yet.
        if name not in self._lazy_routes:
            self.load_all()
        return name in self._lazy_routes

    def __getitem__(self, name: str) -> Operation:
        self.load(name)
        return self._by_name[name]


OPERATIONS: Final = Operations()
