"""Repositories of projects, what is protected in them, and the store of their objects."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from attrs import define
from immutables import Map

from fakeplat.core.store.frozen import frozen

if TYPE_CHECKING:
    from fakeplat.git.objects import Objects

BRANCHES: Final = "refs/heads/"
TAGS: Final = "refs/tags/"
Refs = Map[str, str]


class ObjectStore:
    """The git objects of a world, made when the first is needed.

    Each served world has one over that of its scenario: it sees what the scenario made, and what is pushed to it goes
    when it goes.
    """

    def __init__(self, below: "ObjectStore | None" = None) -> None:
        self._below = below
        self._objects: Objects | None = None

    def over(self) -> "ObjectStore":
        """A store that begins with all of this one."""
        return ObjectStore(self)

    @property
    def objects(self) -> "Objects":
        """The objects themselves."""
        if self._objects is None:
            from fakeplat.git.objects import Objects

            self._objects = Objects() if self._below is None else self._below.objects.over()
        return self._objects

    @property
    def first(self) -> "Objects":
        """The objects of the scenario, which all worlds made from it see."""
        return self.objects if self._below is None else self._below.first


class DeclaredFile(NamedTuple):
    """A file's bytes and git's mode of it."""

    content: bytes
    mode: int = 0o100644


class DeclaredCommit(NamedTuple):
    """A commit as a scenario says it, in plain data: making one asks for nothing of git.

    ``author`` is name and e-mail address, ``when`` seconds since 1970; the rest is as in `fakeplat.git.Change`.
    """

    message: str
    author: tuple[str, str]
    when: int
    branch: str
    start: str | None = None
    merges: tuple[str, ...] = ()
    files: Mapping[str, DeclaredFile | None] = Map()
    tags: Mapping[str, str | None] = Map()


@define(eq=False, slots=False)
class Declared:
    """A repository as a scenario says it, not built yet.

    ``write`` gives the commits in their order, the same ones each time; it is asked when somebody reads them.
    ``readme`` is the path of the default branch's README, which projects show before that. ``closes``: a message wants
    issues closed.
    """

    write: Callable[[], Sequence[DeclaredCommit]]
    readme: str | None = None
    closes: bool = False

    @cached_property
    def commits(self) -> Sequence[DeclaredCommit]:
        """The commits, first the oldest."""
        return self.write()


@frozen
class Repository:
    """The repository of a project. ``refs``: whole names to hashes; None while nobody looked at what is declared.

    ``head`` is the ref that HEAD stands for.
    """

    id: int
    project_id: int
    refs: Refs | None
    head: str
    declared: Declared | None = None


@frozen
class Access:
    """Who may do something to what is protected: whoever has a level, or (paid) a user or the members of a group."""

    level: int | None = None
    user_id: int | None = None
    group_id: int | None = None


@frozen
class ProtectedBranch:
    """Branches that only some may push to; the name may hold ``*``."""

    id: int
    project_id: int
    name: str
    push: tuple[Access, ...]
    merge: tuple[Access, ...]
    unprotect: tuple[Access, ...] = ()
    code_owner_approval_required: bool = False
    updated_at: str = ""


@frozen
class ProtectedTag:
    """Tags that only some may create; the name may hold ``*``."""

    id: int
    project_id: int
    name: str
    create: tuple[Access, ...]
    updated_at: str = ""
