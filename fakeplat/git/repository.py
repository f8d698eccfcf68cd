"""A read-only view of a repository: an object store and refs. See `writing.py` for changes."""

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum

from attrs import evolve, field
from propcache.api import cached_property

from fakeplat.core.store.frozen import frozen
from fakeplat.git import archive, diffs, languages, walk
from fakeplat.git.blame import BlameRange, blame
from fakeplat.git.contributors import Contributor, list_contributors
from fakeplat.git.diffs import FileDiff, Stats
from fakeplat.git.errors import MissingObject, UnknownPath, UnknownRevision
from fakeplat.git.grep import GrepMatch, grep
from fakeplat.git.history import History
from fakeplat.git.name_checks import BRANCHES, TAGS
from fakeplat.git.objects import EMPTY_TREE, Objects
from fakeplat.git.reachability import reachable_objects
from fakeplat.git.records import Commit, Entry, Kind, Tag
from fakeplat.git.revisions import RevisionResolver
from fakeplat.git.trees import find_entry, list_entries, list_files
from fakeplat.git.walk import Selection


class Order(Enum):
    """The orders of a log: git's own, `--topo-order`, `--date-order`."""

    DEFAULT = "default"
    TOPO = "topo"
    DATE = "date"


class Archive(Enum):
    """The formats of an archive."""

    TAR = "tar"
    TAR_GZ = "tar.gz"
    TAR_BZ2 = "tar.bz2"
    ZIP = "zip"


# cached_property stores its value in the ``__dict__``, which a class with slots does not have.
@frozen(eq=False, slots=False)
class Repository:
    """The objects that are reachable from the refs of a repository or are kept, and no others in the store.

    ``refs`` maps full names (`refs/heads/main`) to hashes, ``head`` is the ref that HEAD points to. ``kept`` are hashes
    that no ref needs to name: what refs pointed to before, and the targets of hidden refs.

    A ``revision`` is a branch, tag, hash, short hash or HEAD, with `~2` and `^1` as in git; UnknownRevision is raised
    for any other.
    """

    objects: Objects
    refs: Mapping[str, str] = field(factory=dict)
    head: str | None = None
    kept: tuple[str, ...] = ()

    # Names

    @cached_property
    def names(self) -> RevisionResolver:
        """The resolver of names in this repository."""
        return RevisionResolver(self.objects, self.refs, self.head, self.kept)

    @property
    def is_empty(self) -> bool:
        """Whether there are no refs."""
        return not self.refs

    @property
    def has_branches(self) -> bool:
        """Whether there is any branch."""
        return any(name.startswith(BRANCHES) for name in self.refs)

    def branches(self) -> dict[str, str]:
        """Return the head commits of the branches by short name, sorted."""
        return self._strip_prefix(BRANCHES)

    def find_branch(self, name: str | None) -> str | None:
        """Return the head commit of the branch with a short name."""
        return self.refs.get(f"{BRANCHES}{name}")

    def find_tag(self, name: str) -> str | None:
        """Return the target of the tag with a short name."""
        return self.refs.get(TAGS + name)

    def tags(self) -> dict[str, str]:
        """Return the targets of tags (a commit or an annotated tag) by short name, sorted."""
        return self._strip_prefix(TAGS)

    def resolve(self, revision: str) -> str:
        """Return the hash of the commit that a revision names, with annotated tags peeled."""
        return self.names.commit(revision)

    def shows(self, sha: str) -> bool:
        """Return whether an object of any kind is reachable from a ref, or is kept without one."""
        return self.names.shows(sha)

    def hiding_refs(self, prefixes: tuple[str, ...]) -> "Repository":
        """Return the repository without the refs with these prefixes; their objects can still be asked for by hash."""
        hidden = {name: sha for name, sha in self.refs.items() if name.startswith(prefixes)}
        if not hidden:
            return self
        refs = {name: sha for name, sha in self.refs.items() if name not in hidden}
        return evolve(self, refs=refs, kept=(*self.kept, *hidden.values()))

    def size(self) -> int:
        """Return the total uncompressed size of the reachable objects."""
        return sum(len(self.objects.get(sha).content) for sha in reachable_objects(self.objects, self.refs.values()))

    # Objects

    def commit(self, revision: str = "HEAD") -> Commit:
        """Return the commit that a revision names."""
        return self.objects.commit(self.resolve(revision))

    def tag(self, name: str) -> Tag | None:
        """Return the annotated tag with a short name, None for a lightweight tag; UnknownRevision."""
        sha = self.find_tag(name)
        if sha is None:
            raise UnknownRevision(name)
        return self.objects.tag(sha) if self.objects.get(sha).kind is Kind.TAG else None

    def blob(self, sha: str) -> bytes:
        """Return the content of a blob; MissingObject if the repository does not show it."""
        if not self.shows(sha):
            raise MissingObject(sha)
        return self.objects.blob(sha)

    # Trees

    def entry(self, revision: str, path: str) -> Entry | None:
        """Return the file, folder, link or submodule at a path; None if there is none."""
        return find_entry(self.objects, self.commit(revision).tree, path)

    def file(self, revision: str, path: str) -> bytes:
        """Return the content of a file; UnknownPath if there is none."""
        entry = self.entry(revision, path)
        if entry is None or entry.kind != "blob":
            raise UnknownPath(path)
        return self.objects.blob(entry.sha)

    def tree(self, revision: str, path: str = "", *, recursive: bool = False) -> list[Entry]:
        """List the entries of a folder, as `git ls-tree` (recursive: `-r -t`); UnknownPath if there is none."""
        return list(list_entries(self.objects, self.commit(revision).tree, path, recursive=recursive))

    def file_paths(self, revision: str) -> list[str]:
        """List the paths of all files."""
        return [entry.path for entry in list_files(self.objects, self.commit(revision).tree)]

    def languages(self, revision: str = "HEAD") -> dict[str, float]:
        """Return the share of each language in percent; the sum is 100 ± 0.01. The result is cached."""
        tree = self.commit(revision).tree
        cache: dict[str, dict[str, float]] = self.objects.caches.setdefault(languages.detect_languages, {})
        if tree not in cache:
            cache[tree] = languages.detect_languages(self.objects, tree)
        # A copy, since the cached dictionary is shared by all callers.
        return dict(cache[tree])

    def grep(self, revision: str, text: str, *, path: str = "", ignore_case: bool = True) -> Iterator[GrepMatch]:
        """Yield the lines that contain a text, file by file."""
        return grep(self.objects, self.commit(revision).tree, text, path=path, ignore_case=ignore_case)

    def archive(self, revision: str, form: Archive, *, prefix: str = "", path: str = "") -> bytes:
        """Return an archive of the tree or a folder in it, with the commit's date; UnknownPath."""
        commit = self.commit(revision)
        write = archive.FORMATS[form.value]
        members = archive.list_members(self.objects, commit.tree, prefix, path)
        return write(members, commit.committer.when, commit.sha)

    # History

    def log(
        self,
        revision: str = "HEAD",
        *,
        paths: Sequence[str] = (),
        since: int | None = None,
        until: int | None = None,
        first_parent: bool = False,
        order: Order = Order.DEFAULT,
        everything: bool = False,
    ) -> Iterator[Commit]:
        """Yield commits as `git log` lists them.

        The revision may be a range, `a..b` or `a...b`; ``everything`` starts from all refs instead. ``since`` and
        ``until`` (seconds since 1970, both included) are compared with the committer's date.
        """
        tips, hidden = (tuple(self.names.heads()), ()) if everything else self.split_range(revision)
        # git visits tips by date, whatever the order in which they are named.
        tips = tuple(sorted(tips, key=lambda sha: -self.objects.commit(sha).committer.when))
        filter_paths = tuple(path.strip("/") for path in paths if path.strip("/"))
        selection = Selection(tips, hidden, filter_paths, since, until, first_parent)
        if order is Order.DEFAULT:
            return walk.walk_by_date(self.objects, selection)
        return walk.walk_topologically(self.objects, selection, dated=order is Order.DATE)

    def split_range(self, revision: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the included and the excluded tips of a revision or range (`a..b`, `a...b`)."""
        # The longer operator first, as it contains the other one. A side that is left out is HEAD.
        for dots in ("...", ".."):
            left, separator, right = revision.partition(dots)
            if separator and revision not in self.names.refs:
                # Nothing of the history is in the empty tree, which clients name to see all commits.
                if left == EMPTY_TREE and dots == "..":
                    return (self.resolve(right or "HEAD"),), ()
                ends = tuple(self.resolve(side or "HEAD") for side in (left, right))
                return (ends, tuple(self.merge_bases(*ends))) if dots == "..." else (ends[1:], ends[:1])
        return (self.resolve(revision),), ()

    def count(self, revision: str = "HEAD") -> int:
        """Count the commits in a revision or range. Ancestors are cached per head."""
        tips, hidden = self.split_range(revision)
        included = self._history.reachable(self.objects, tips)
        return (included & ~self._history.reachable(self.objects, hidden)).bit_count()

    def ahead_behind(self, ours: str, theirs: str) -> tuple[int, int]:
        """Count the commits that only the first revision has, and those that only the second has."""
        return self._history.count_apart(self.objects, self.resolve(ours), self.resolve(theirs))

    def is_ancestor(self, revision: str, of: str) -> bool:
        """Return whether a commit is an ancestor of another, or the same."""
        return self._is_ancestor(self.resolve(revision), self.resolve(of))

    def contains(self, revision: str) -> list[str]:
        """List the refs that contain a commit, sorted by name."""
        sha = self.resolve(revision)
        return [name for name, head in sorted(self.names.peeled().items()) if self._is_ancestor(sha, head)]

    def merge_bases(self, *revisions: str) -> list[str]:
        """List the best common ancestors of the first revision and all others, newest first (`merge-base --all`)."""
        first, *others = (self.resolve(revision) for revision in revisions)
        history = self._history
        ours, theirs = history.ancestors(self.objects, first), history.reachable(self.objects, others)
        return history.best_common(self.objects, ours, theirs)

    def merge_base(self, *revisions: str) -> str | None:
        """Return the best common ancestor (`git merge-base`); None if there is none."""
        return next(iter(self.merge_bases(*revisions)), None)

    def last_commit(self, revision: str, path: str) -> Commit | None:
        """Return the newest commit that changed a path; None if there is none."""
        return next(iter(self.log(revision, paths=[path])), None)

    def contributors(self, revision: str = "HEAD", *, lines: bool = False) -> list[Contributor]:
        """List the authors of the commits that are not merges, newest first; ``lines``: count their changed lines."""
        return list_contributors(self.objects, self.log(revision), lines=lines)

    def blame(self, revision: str, path: str) -> list[BlameRange]:
        """Return the last commit of each line of a file; UnknownPath if there is no such file."""
        return blame(self.objects, self.resolve(revision), path)

    # Differences

    def diff(
        self, old: str | None, new: str, *, paths: Sequence[str] = (), renames: bool = True, context: int = 3
    ) -> list[FileDiff]:
        """Return the differences between two revisions (None: the empty tree): `git diff old new`."""
        before = None if old is None else self.commit(old).tree
        after = self.commit(new).tree
        return diffs.diff_trees(self.objects, before, after, paths=paths, renames=renames, context=context)

    def commit_diff(self, revision: str, *, paths: Sequence[str] = ()) -> list[FileDiff]:
        """Return the differences between a commit and its first parent, or the empty tree."""
        before, after = self._parent_and_own_tree(revision)
        return diffs.diff_trees(self.objects, before, after, paths=paths)

    def stats(self, old: str | None, new: str) -> Stats:
        """Count the changed lines between two revisions. The result is cached."""
        return diffs.count_lines(self.objects, None if old is None else self.commit(old).tree, self.commit(new).tree)

    def commit_stats(self, revision: str) -> Stats:
        """Count the lines that a commit changed against its first parent. The result is cached."""
        return diffs.count_lines(self.objects, *self._parent_and_own_tree(revision))

    def _is_ancestor(self, sha: str, head: str) -> bool:
        return self._history.holds(self._history.ancestors(self.objects, head), sha)

    def _parent_and_own_tree(self, revision: str) -> tuple[str | None, str]:
        commit = self.commit(revision)
        return self.objects.commit(commit.parents[0]).tree if commit.parents else None, commit.tree

    def _strip_prefix(self, prefix: str) -> dict[str, str]:
        names = sorted(name for name in self.refs if name.startswith(prefix))
        return {name.removeprefix(prefix): self.refs[name] for name in names}

    @property
    def _history(self) -> History:
        return History.of(self.objects)
