"""Operations: declared once, and everything else derived from that.

```python
area = Area("Projects", login=Login.WRITES)

@area.operation("POST", "star", under=PROJECT, may=May.STAR_PROJECT, shows=ProjectFull)
def star_project(cx: Doing, project: Project) -> Project:
    '''Star a project.'''
```

The function is plain: found records and valid parameters in, a record (or rows, or a dict) out.
"""

from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from functools import cached_property
from http import HTTPStatus
from importlib import import_module
from typing import Any, Final, Literal, NamedTuple, TypeVar

from attrs import field

from fakeplat.core.operations.entity import Entity
from fakeplat.core.operations.http_messages import Headers
from fakeplat.core.operations.scope import NOWHERE, Scope
from fakeplat.core.params.params import Params
from fakeplat.core.release import Lifetime
from fakeplat.core.store.frozen import frozen

F = TypeVar("F", bound=Callable[..., Any])
Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
View = type[Entity[Any]]
Choice = View | Callable[[Any, Any], View] | None

PREFIX: Final = "/api/v4"


class Login(Enum):
    """Which requests of an area are refused with 401 where nobody is signed in, and when.

    WRITES and ALWAYS refuse before anything else is looked at, LATE refuses all requests once records, abilities and
    parameters are in order.
    """

    NEVER = "never"
    WRITES = "writes"
    ALWAYS = "always"
    LATE = "late"


class NoParams(Params):
    """Takes nothing."""


@frozen
class Area:
    """A section of the API whose operations share the order of their checks.

    ``located_first``: records and abilities are checked before parameters, so 404 and 403 beat 400.
    ``prefix`` is the path before everything. ``scopes`` of a token are enough for reads, beside ``api`` and
    ``read_api``. ``bare``: its operations look at credential and body themselves, and their refusals have no body.
    ``basic``: who asks says so by HTTP Basic, as git does, and bodies are no parameters, whatever their type.
    ``face``: its operations are carried out by the face of that name which the platform was given.
    ``login_ruling``: a ruling; where it holds, operations that declare no login of their own always ask for one.
    """

    name: str
    login: Login = Login.WRITES
    login_ruling: Any = None
    scopes: tuple[str, ...] = ()
    located_first: bool = False
    prefix: str = PREFIX
    bare: bool = False
    basic: bool = False
    endpoint: str = ""

    def operation(
        self,
        method: Method,
        path: str,
        *,
        name: str = "",
        scope: Scope | tuple[Scope, ...] = NOWHERE,
        ability: Any = None,
        params: type[Params] = NoParams,
        view: Choice = None,
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
        wakes: Callable[..., Any] | None = None,
        source: str = "",
    ) -> Callable[[F], F]:
        """Declare an operation; under several scopes it becomes one operation for each.

        Its name is the function's, with the scope's word after the verb where there are several scopes;
        ``name`` is another one, with ``{scope}`` for that word.
        """
        twins = scope if isinstance(scope, tuple) else (scope,)

        def register(function: F) -> F:
            for scope in twins:
                declared = Operation(
                    name=name.format(scope=scope.word) or _name(function.__name__, scope, len(twins)),
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
                    tier=tier,
                    lifetime=Lifetime(since, until),
                    ours=ours,
                    keyset=keyset,
                    offset_limit=offset_limit,
                    options=options,
                    headers=headers,
                    endings=endings,
                    unfinished=unfinished,
                    wakes=wakes,
                    source=source,
                )
                OPERATIONS.add(declared)
            return function

        return register


_STATUS: Final = {
    "GET": HTTPStatus.OK,
    "POST": HTTPStatus.CREATED,
    "PUT": HTTPStatus.OK,
    "PATCH": HTTPStatus.OK,
    "DELETE": HTTPStatus.NO_CONTENT,
}


def _name(name: str, scope: Scope, twins: int) -> str:
    if twins == 1:
        return name
    verb, _, noun = name.partition("_")
    return f"{verb}_{scope.word}_{noun}"


class LazyRoute(NamedTuple):
    """What is known of an operation before its module is imported: all that leads to it.

    ``digits`` are the parameters that only digits match, ``endings`` what may stand right behind the path.
    """

    module: str
    name: str
    method: str
    path: str
    digits: tuple[str, ...] = ()
    endings: tuple[str, ...] = ()


@frozen(eq=False)
class Operation:
    """One declared operation.

    ``many``: it gives rows, which are ordered, paged and shown one by one. ``also`` are other statuses of success
    than ``status``. ``refusals`` are the statuses that its own verbs raise, beyond those that the declaration
    implies. ``counted`` (of parameters) says whether the headers of a page tell the total; None: they do.
    ``lifetime`` are the releases of the platform that have it. ``ours`` marks what the platform has no API for.
    ``unfinished``: reading one record may bring its next step forward under the auto clock. ``headers`` (of
    context, parameters, result) are said beside the body, of a list where it is not paged. ``endings`` are what may
    stand right behind the path (``.zip``). ``wakes`` (of context, records, parameters) gives what a GET sets going,
    a function of the acting context, or None: it is done and committed before the answer is made.
    """

    name: str
    area: Area
    method: str
    scope: Scope
    tail: str
    call: Callable[..., Any]
    ability: Any
    params: type[Params]
    view: Choice
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
    wakes: Callable[..., Any] | None
    source: str
    path: str = field(init=False)

    @path.default
    def _whole_path(self) -> str:
        parts = [part for part in (self.scope.path, self.tail) if part]
        return "/".join([self.area.prefix, *parts])

    def asks_login(self, world: Any) -> bool:
        """Whether anonymous callers are refused before anything else."""
        return self._asks_login or (self.login_ruling is not None and self.login_ruling.holds(world))

    @cached_property
    def _asks_login(self) -> bool:
        return self.login is Login.ALWAYS or (self.login is Login.WRITES and not self.reads)

    @property
    def lazy_route(self) -> LazyRoute:
        """What leads to it."""
        digits = tuple(segment.parameter for segment in self.scope.segments if segment.kind == "digits")
        return LazyRoute(self.call.__module__, self.name, self.method, self.path, digits, self.endings)

    @property
    def title(self) -> str:
        """The first line of the function's docstring."""
        return (self.call.__doc__ or self.name).strip().splitlines()[0]


class Operations:
    """All operations, by name. Those that were promised are declared when they are first needed.

    ``stale_count`` counts how often a module did not declare what was promised of it.
    """

    def __init__(self) -> None:
        self._by_name: dict[str, Operation] = {}
        self._lazy_routes: dict[str, LazyRoute] = {}
        self.stale_count = 0

    def add_lazy_routes(self, routes: Iterable[LazyRoute]) -> None:
        """Take in what modules will declare when they are imported."""
        self._lazy_routes.update({route.name: route for route in routes})

    def add(self, operation: Operation) -> None:
        """Take one in; two of a name are a mistake of the declarations."""
        if operation.name in self._by_name:
            raise ValueError(f"two operations are named {operation.name}")
        self._by_name[operation.name] = operation
        if self._lazy_routes.get(operation.name) != operation.lazy_route:
            self._lazy_routes[operation.name] = operation.lazy_route
            self.stale_count += 1

    def load(self, name: str) -> None:
        """Have a promised operation declared."""
        if name not in self._by_name:
            import_module(self._lazy_routes[name].module)
            if name not in self._by_name:
                del self._lazy_routes[name]
                self.stale_count += 1

    def load_all(self) -> None:
        """Have all operations declared."""
        for name in [name for name in self._lazy_routes if name not in self._by_name]:
            self.load(name)

    def lazy_routes(self) -> Iterable[LazyRoute]:
        """What leads to each operation, declared or not yet; after a surprise no route is trusted."""
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
        if name not in self._lazy_routes:
            self.load_all()
        return name in self._lazy_routes

    def __getitem__(self, name: str) -> Operation:
        self.load(name)
        return self._by_name[name]


OPERATIONS: Final = Operations()
