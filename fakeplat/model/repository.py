"""Repositories, what is protected in them, push rules, large files."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from attrs import define, field
from propcache.api import cached_property

from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.persistent_map import Map
from fakeplat.model.projects import SquashOption

if TYPE_CHECKING:
    from fakeplat.git.objects import Objects


BRANCHES: Final = "refs/heads/"
CODE_OWNERS_PATHS: Final = ("CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")
"""Where the file of code owners can be; the first that exists counts."""
HIDDEN_REFS: Final = ("refs/keep-around/", "refs/remotes/", "refs/tmp/")
"""The beginnings of refs that are neither listed nor pushed; what they name can be fetched by its hash."""
INTERNAL_REFS: Final = (*HIDDEN_REFS, "refs/environments/", "refs/merge-requests/", "refs/pipelines/")
"""The beginnings of refs that only the platform itself moves."""
TAGS: Final = "refs/tags/"
ZERO_SHA: Final = "0" * 40
"""The hash that stands for no object."""
Refs = Map[str, str]


class ObjectStore:
    """The git objects of a world, created when the first one is needed.

    Each served world has a store on top of its scenario's store. It can read the scenario's objects, and objects that
    are pushed to it are freed with the world.
    """

    def __init__(self, below: "ObjectStore | None" = None) -> None:
        self._below = below

    def over(self) -> "ObjectStore":
        """Return a store on top of this one."""
        return ObjectStore(self)

    @cached_property
    def objects(self) -> "Objects":
        """The git objects."""
        from fakeplat.git.objects import Objects

        return Objects() if self._below is None else self._below.objects.over()

    @property
    def first(self) -> "Objects":
        """The objects of the scenario, which are shared by all its worlds."""
        return self.objects if self._below is None else self._below.first


class DeclaredFile(NamedTuple):
    """The content and git mode of a file."""

    content: bytes
    mode: int = 0o100644


class DeclaredCommit(NamedTuple):
    """A commit that a scenario declares, as plain data: creating it does not import git.

    ``author`` is a name and an e-mail address, ``when`` is in seconds since 1970; the rest is as in
    `fakeplat.git.Change`.
    """

    message: str
    author: tuple[str, str]
    when: int
    branch: str
    start: str | None = None
    merges: tuple[str, ...] = ()
    files: Mapping[str, DeclaredFile | None] = Map()
    tags: Mapping[str, str | None] = Map()


# Compared by identity, because it is the key under which the built repository is cached. ``cached_property`` stores
# its value in the instance's ``__dict__``, which slots would remove.
@define(eq=False, slots=False)
class Declared:
    """A repository that a scenario declares, not built yet.

    ``write`` returns the commits in order, the same ones each time; it is called when they are first read. ``readme``
    is the path of the default branch's README, so that projects can show it before that. ``closes``: a commit message
    closes issues. ``names_owners``: a commit has a file of code owners.
    """

    write: Callable[[], Sequence[DeclaredCommit]]
    readme: str | None = None
    closes: bool = False
    names_owners: bool = False

    @cached_property
    def commits(self) -> Sequence[DeclaredCommit]:
        """The commits, oldest first."""
        return self.write()


@frozen
class HealthReport:
    """The figures of a repository at some time."""

    size: int
    references: int
    objects: int
    updated_at: str


@frozen
class Repository:
    """The repository of a project. ``refs`` maps full names to hashes; it is None until a declared repository is built.

    ``head`` is the ref that HEAD points to. ``health`` is the last report that was asked for, which no export contains.
    ``former`` are the hashes that refs pointed to before they were deleted or moved by force; nothing prunes them.
    ``conflicting`` are the heads of branches of a fork, each with the one of its source that could not be merged.
    """

    id: int
    project_id: int
    refs: Refs | None
    head: str
    declared: Declared | None = None
    health: HealthReport | None = None
    former: tuple[str, ...] = ()
    conflicting: frozenset[tuple[str, str]] = frozenset()


@frozen
class Access:
    """An access grant for a protected branch or tag: to a level, or (paid) to a user or the members of a group.

    ``deploy_key_id`` is that of the deploy key which it is for; so it is for the key's owner, too.

    ``number`` is its number within the list of its rule, once the list was changed; until then, its place.
    ``group_inheritance_type``, of protected environments: 1 if members of the groups above count, too.
    """

    level: int | None = None
    user_id: int | None = None
    group_id: int | None = None
    number: int = 0
    group_inheritance_type: int = 0
    deploy_key_id: int | None = None


@frozen
class ProtectedBranch:
    """A protected branch; the name may contain ``*``.

    ``squash_option`` takes the place of the project's for merges into a branch of exactly that name.
    """

    id: int
    project_id: int
    name: str
    push: tuple[Access, ...]
    merge: tuple[Access, ...]
    unprotect: tuple[Access, ...] = ()
    code_owner_approval_required: bool = False
    updated_at: str = ""
    allow_force_push: bool = False
    squash_option: SquashOption | None = None


@frozen
class TargetBranchRule:
    """Where branches whose names match a pattern are to be merged, for those who create merge requests in a browser."""

    id: int
    project_id: int
    name: str
    target_branch: str
    created_at: str


@frozen
class ProtectedTag:
    """A protected tag; the name may contain ``*``."""

    id: int
    project_id: int
    name: str
    create: tuple[Access, ...]
    updated_at: str = ""


@frozen
class GroupProtectedBranch:
    """A protected branch of all projects in a group and below it."""

    id: int
    group_id: int
    name: str
    push: tuple[Access, ...]
    merge: tuple[Access, ...]
    unprotect: tuple[Access, ...] = ()
    code_owner_approval_required: bool = False
    updated_at: str = ""
    allow_force_push: bool = False


@frozen
class Push:
    """One ref that moved.

    ``before`` and ``after`` are hashes, 40 zeros for a ref that was created or deleted. ``user_id``: who pushed.
    ``ref_count``: how many refs of the same push the event of this one stands for; 0 if that of another one does.
    """

    project_id: int
    ref: str
    before: str
    after: str
    user_id: int | None
    options: tuple[str, ...] = ()
    ref_count: int = 1


@frozen
class PushRule:
    """What commits, files and branches must comply with. ``source`` is ("project" or "group", id).

    The rule of a group is copied to the projects and subgroups that are created in it. Expressions are those of RE2.
    ``max_file_size`` is in MiB, 0 for no limit.
    """

    id: int
    source: tuple[str, int]
    created_at: str
    commit_message_regex: str | None = None
    commit_message_negative_regex: str | None = None
    branch_name_regex: str | None = None
    deny_delete_tag: bool = False
    member_check: bool = False
    prevent_secrets: bool = False
    author_email_regex: str | None = None
    file_name_regex: str | None = None
    max_file_size: int = 0
    commit_committer_check: bool | None = None
    reject_unsigned_commits: bool | None = None
    commit_committer_name_check: bool = False
    reject_non_dco_commits: bool | None = None


@frozen
class LfsObject:
    """A file of a project, identified by the SHA-256 of its content (``oid``, 64 hexadecimal digits)."""

    id: int
    project_id: int
    oid: str
    content: bytes = field(repr=False)


@frozen
class PathLock:
    """A lock of a file or directory on the default branch: only its user may change what is there."""

    id: int
    project_id: int
    user_id: int
    path: str
    created_at: str


@frozen
class LfsLock:
    """A lock of a file: only its user may push changes of the path."""

    id: int
    project_id: int
    user_id: int
    path: str
    created_at: str
