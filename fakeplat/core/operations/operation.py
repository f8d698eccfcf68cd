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
from http import HTTPStatus
from importlib import import_module
from typing import Any, Final, Literal, NamedTuple, TypedDict, TypeVar, Unpack, get_args, get_type_hints

from attrs import field

from fakeplat.core.operations.entity import Entity
from fakeplat.core.operations.errors import Refusal
from fakeplat.core.operations.http_messages import JSON, Headers
from fakeplat.core.operations.paging import BY_OFFSET, Paging
from fakeplat.core.operations.scope import NO_SCOPE, Scope
from fakeplat.core.params.params import Params
from fakeplat.core.release import ALWAYS, Lifetime, Profile
from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.state import View
from fakeplat.core.store.table import Record

F = TypeVar("F", bound=Callable[..., Any])
Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
# What an operation's functions get depends on its scope and its parameters, which no type can express.
ViewChoice = type[Entity[Any]] | Callable[..., type[Entity[Any]]] | None
LoginRule = Callable[..., "bool | Login"]

PREFIX: Final = "/api/v4"
SCIM_PREFIX: Final = "/api/scim/v2"


class Login(Enum):
    """Which anonymous requests of an area are refused with 401, and when.

    WRITES and ALWAYS refuse them before all other checks, LATE refuses them after records, abilities and parameters
    were checked. An area may have a function of the world instead, which returns one of NEVER, WRITES and ALWAYS, or
    whether it is ALWAYS instead of WRITES.
    """

    NEVER = "never"
    WRITES = "writes"
    ALWAYS = "always"
    LATE = "late"


class NoParams(Params):
    """No parameters."""


@frozen
class Reading:
    """What reading does besides answering.

    ``advances`` (of world, records) returns the records that reading may advance under the auto clock; None: the record
    of the path, where a GET shows that record itself. ``effect`` (of context, records, parameters) returns a side
    effect as a function of the write context, or None; it is committed before the request is answered.
    """

    advances: Callable[..., Iterable[Record]] | None = None
    effect: Callable[..., Callable[..., object] | None] | None = None


PLAIN_READING: Final = Reading()


class OperationOptions(TypedDict, total=False):
    """What the declaration of an operation may say; `Operation` has the meanings and the defaults."""

    ability: Enum | None
    params: type[Params]
    view: ViewChoice
    many: bool
    paging: Paging | None
    reading: Reading
    status: int
    also: tuple[int, ...]
    refusals: tuple[int, ...]
    reads: bool
    job_token: bool | Lifetime
    login: Login | LoginRule
    tier: str
    free_since: str
    until: str
    ours: bool
    options: Callable[..., tuple[str, ...]] | None
    headers: Callable[..., Headers] | None
    endings: tuple[str, ...]
    produces: str
    check_params: Callable[..., None] | None


@frozen
class Area:
    """A section of the API whose operations share the order of their checks.

    ``located_first``: records and abilities are checked before parameters, so 404 and 403 beat 400.
    ``prefix`` is the start of all paths. ``scopes`` are token scopes that are sufficient for reads, besides ``api`` and
    ``read_api``; ``write_scopes`` are for writes, besides ``api``, and ``any_scope`` accepts every token.
    ``bare``: operations check credentials and parse the body themselves, and refusals have no body.
    ``basic``: callers use HTTP Basic, as git does, and bodies are never parsed as parameters. ``raw_body``: neither are
    those of this area, which are logs and files. ``deploy_tokens``: callers may be deploy tokens, and may send any
    token as a password (HTTP Basic), as package managers do; with ``token_passwords`` the latter only. In the releases
    of ``headers_only`` tokens are sent in their headers, and passwords are ignored.
    ``package_token``: the kind of the tokens that the world issues for their credentials. ``key_header``: a header
    whose value may be any token, as package managers send API keys. ``endpoint``: the name of the endpoint that handles
    the operations (`Platform.endpoints`). ``params_error_key`` is the key of the errors of
    parameters in bodies. ``credentials``: pages know their caller by the session cookie (``session``), the
    operations of other protocols identify theirs themselves (``own``). ``content_type`` is that of JSON bodies.
    ``job_tokens``: the releases in which all operations accept job tokens, besides those that always do.
    ``read_only``: the releases in which ``read_api`` is sufficient for POST, too, because nothing is changed.
    ``produces`` is the media type of the bodies of operations that render them themselves. ``dashed`` is a part before
    which the paths may also have a ``-`` (``groups/:id/-/epics``). ``amend_refusal`` (of profile, refusal) changes the
    body of a refusal to the form of the area.
    ``guard`` (of context, operation, texts of the path) checks what the platform does before it reads parameters.
    """

    name: str
    login: Login | LoginRule = Login.WRITES
    scopes: tuple[str, ...] = ()
    write_scopes: tuple[str, ...] = ()
    any_scope: bool = False
    located_first: bool = False
    prefix: str = PREFIX
    bare: bool = False
    basic: bool = False
    raw_body: bool = False
    deploy_tokens: bool = False
    token_passwords: bool = False
    headers_only: Lifetime | None = None
    key_header: str = ""
    package_token: Literal["conan", "terraform"] | None = None
    endpoint: str = ""
    params_error_key: Literal["error", "message"] = "error"
    credentials: Literal["api", "session", "own"] = "api"
    content_type: str = JSON
    job_tokens: Lifetime | None = None
    read_only: Lifetime | None = None
    produces: str = "*/*"
    dashed: str = ""
    amend_refusal: Callable[[Profile, Refusal], None] | None = None
    guard: Callable[..., None] | None = None

    def operation(
        self,
        method: Method,
        path: str,
        *,
        name: str | tuple[str, ...] = "",
        scope: Scope | tuple[Scope, ...] = NO_SCOPE,
        since: str | tuple[str, ...] = "",
        **options: Unpack[OperationOptions],
    ) -> Callable[[F], F]:
        """Declare an operation; with several scopes, one operation for each.

        The operation is named after the function, with the scope's word after the verb if there are several scopes.
        ``name`` overrides that; ``{scope}`` in it stands for the word. A tuple has a name (a release) for each scope.
        """
        scopes = scope if isinstance(scope, tuple) else (scope,)

        def register(function: F) -> F:
            names = _for_each_scope(name or _operation_name(function, scopes), scopes)
            for given_name, given_scope, release in zip(names, scopes, _for_each_scope(since, scopes), strict=True):
                full_name = given_name.format(scope=given_scope.word)
                OPERATIONS.add(
                    Operation(full_name, self, method, given_scope, path, function, since=release, **options)
                )
            return function

        return register


_STATUS: Final = {
    "GET": HTTPStatus.OK,
    "POST": HTTPStatus.CREATED,
    "PUT": HTTPStatus.OK,
    "PATCH": HTTPStatus.OK,
    "DELETE": HTTPStatus.NO_CONTENT,
}


def _for_each_scope(value: str | tuple[str, ...], scopes: Sequence[Scope]) -> Sequence[str]:
    return value if isinstance(value, tuple) else [value] * len(scopes)


def _operation_name(function: Callable[..., object], scopes: Sequence[Scope]) -> str:
    name = function.__name__
    if len(scopes) == 1:
        return name
    verb, _, noun = name.partition("_")
    return f"{verb}_{{scope}}_{noun}"


class LazyRoute(NamedTuple):
    """The route of an operation, known before its module is imported.

    ``digits`` are the parameters that match only digits, ``endings`` are optional suffixes of the path, ``dashed`` is a
    part before which the path may have a ``-``. ``since`` and ``until`` are those of its lifetime.
    """

    module: str
    name: str
    method: str
    path: str
    digits: tuple[str, ...] = ()
    endings: tuple[str, ...] = ()
    dashed: str = ""
    since: str = ""
    until: str = ""

    @property
    def lifetime(self) -> Lifetime:
        """The releases that have the operation."""
        return Lifetime(self.since, self.until) if self.since or self.until else ALWAYS


# Compared by identity: operations are keys of caches, and hashing all these attributes would be slow.
@frozen(eq=False)
class Operation:
    """A declared operation.

    ``ability`` is one of `policy`. ``many``: it returns rows, which are rendered one by one; ``paging`` says how they
    are paginated, None: not at all. ``reads``: it changes nothing, as is usual for GET. ``also`` are statuses of
    success besides ``status``. ``refusals`` are the statuses that its function raises, besides those that the
    declaration implies. ``lifetime`` are the releases of the platform that have the operation, from ``since`` on and
    before ``until``. ``ours`` marks operations that the platform does not have. ``options`` (of context, parameters,
    result) are those of the view. ``headers`` (of context, parameters, result) returns additional headers, for lists
    only if they are not paginated. ``endings`` are optional suffixes of the path (``.zip``). ``produces`` is the media
    type of a body that the function renders itself. ``check_params`` (of context, parameters) refuses combinations of
    parameters that are each valid, before records are located.
    """

    name: str
    area: Area
    method: Method
    scope: Scope
    tail: str
    call: Callable[..., Any]
    ability: Enum | None = None
    params: type[Params] = NoParams
    view: ViewChoice = None
    many: bool = False
    paging: Paging | None = BY_OFFSET
    reading: Reading = PLAIN_READING
    status: int = field()
    also: tuple[int, ...] = ()
    refusals: tuple[int, ...] = ()
    reads: bool = field()
    job_token: bool | Lifetime = False
    login: Login | LoginRule = field()
    tier: str = field()
    free_since: str = ""
    since: str = ""
    until: str = ""
    ours: bool = False
    options: Callable[..., tuple[str, ...]] | None = None
    headers: Callable[..., Headers] | None = None
    endings: tuple[str, ...] = ()
    produces: str = field()
    check_params: Callable[..., None] | None = None
    path: str = field(init=False)
    lifetime: Lifetime = field(init=False)
    paid: Lifetime = field(init=False)

    @status.default
    def _usual_status(self) -> int:
        return _STATUS[self.method]

    @reads.default
    def _is_get(self) -> bool:
        return self.method == "GET"

    @login.default
    def _login_of_area(self) -> Login | LoginRule:
        return self.area.login

    @tier.default
    def _tier_of_scope(self) -> str:
        return self.scope.tier

    @produces.default
    def _media_type_of_area(self) -> str:
        return self.area.produces

    @path.default
    def _build_path(self) -> str:
        parts = [part for part in (self.scope.path, self.tail) if part]
        return "/".join([self.area.prefix, *parts]) or "/"

    @lifetime.default
    def _build_lifetime(self) -> Lifetime:
        return Lifetime(self.since, self.until)

    @paid.default
    def _build_paid(self) -> Lifetime:
        return Lifetime(until=self.free_since)

    def tier_in(self, profile: Profile) -> str:
        """Return the tier that a release asks for: none from the one on that gave the operation to all."""
        return self.tier if self.tier and profile.has(self.paid) else ""

    def asks_login(self, world: View) -> bool:
        """Return whether anonymous callers are refused before all other checks."""
        login = self.login if isinstance(self.login, Login) else self.login(world)
        if isinstance(login, Login):
            return login is Login.ALWAYS or (login is Login.WRITES and not self.reads)
        return not self.reads or login

    @property
    def lazy_route(self) -> LazyRoute:
        """The route, with the module that declares the operation."""
        digits = tuple(segment.parameter for segment in self.scope.segments if segment.kind == "digits")
        module, dashed = self.call.__module__, self.area.dashed
        bounds = self.since, self.until
        return LazyRoute(module, self.name, self.method, self.path, digits, self.endings, dashed, *bounds)

    @property
    def views(self) -> Sequence[type[Entity[Any]]]:
        """The views that the operation may render; of a choice that depends on the request, those of its annotation."""
        if isinstance(self.view, type):
            return [self.view]
        chosen = get_args(get_type_hints(self.view).get("return")) if self.view else ()
        members = [member for kind in chosen for member in get_args(kind) or (kind,)]
        return [view for view in members if isinstance(view, type) and issubclass(view, Entity) and view is not Entity]

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
