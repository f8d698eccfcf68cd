"""A repository as it stands: a store and refs. Nothing here changes anything (see `writing.py`)."""

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from functools import cached_property

from attrs import field

from fakeplat.core.store.frozen import frozen
from fakeplat.git import archive, diffs, languages, walk
from fakeplat.git.blame import BlameRange, blame
from fakeplat.git.contributors import Contributor, list_contributors
from fakeplat.git.diffs import FileDiff, Stats
from fakeplat.git.errors import MissingObject, UnknownPath, UnknownRevision
from fakeplat.git.grep import GrepMatch, grep
from fakeplat.git.history import History
from fakeplat.git.name_checks import BRANCHES, TAGS
from fakeplat.git.objects import Objects
from fakeplat.git.reachability import reachable_objects
from fakeplat.git.records import Commit, Entry, Kind, Tag
from fakeplat.git.revisions import Names
from fakeplat.git.trees import entry_at, list_entries, list_files
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


@frozen(eq=False, slots=False)
class Repository:
    """What the refs of a repository lead to, and nothing else of the store.

    ``refs`` maps whole names (`refs/heads/main`) to hashes, ``head`` is the ref that HEAD stands for. A `revision` is
    what git takes: branch, tag, hash, short hash, HEAD, with `~2` and `^1`; UnknownRevision is raised for any other.
    """

    objects: Objects
    refs: Mapping[str, str] = field(factory=dict)
    head: str | None = None

    # Names

    @cached_property
    def names(self) -> Names:
        """What names mean here."""
        return Names(self.objects, self.refs, self.head)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was ever pushed (or all branches and tags are gone)."""
        return not self.refs

    def branches(self) -> dict[str, str]:
        """The commits of branches by their short names, sorted."""
        return self._under(BRANCHES)

    def tags(self) -> dict[str, str]:
        """What tags point to (a commit or an annotated tag) by their short names, sorted."""
        return self._under(TAGS)

    def resolve(self, revision: str) -> str:
        """The hash of the commit that a revision means, annotated tags peeled."""
        return self.names.commit(revision)

    def shows(self, sha: str) -> bool:
        """Whether an object (of any kind) can be reached from a ref."""
        return self.names.shows(sha)

    def size(self) -> int:
        """The bytes of all that refs lead to, before they are deflated."""
        return sum(len(self.objects.get(sha).content) for sha in reachable_objects(self.objects, self.refs.values()))

    # Objects

    def commit(self, revision: str = "HEAD") -> Commit:
        """The commit that a revision means."""
        return self.objects.commit(self.resolve(revision))

    def tag(self, name: str) -> Tag | None:
        """The annotated tag of a short name; None if it is a lightweight one. UnknownRevision if there is no tag."""
        sha = self.refs.get(TAGS + name)
        if sha is None:
            raise UnknownRevision(name)
        return self.objects.tag(sha) if self.objects.get(sha).kind is Kind.TAG else None

    def blob(self, sha: str) -> bytes:
        """The bytes of a file by the hash of its content; MissingObject if no ref leads to it."""
        if not self.shows(sha):
            raise MissingObject(sha)
        return self.objects.blob(sha)

    # Trees

    def entry(self, revision: str, path: str) -> Entry | None:
        """What stands at a path: a file, a folder, a link or a submodule; None if nothing does."""
        return entry_at(self.objects, self.commit(revision).tree, path)

    def file(self, revision: str, path: str) -> bytes:
        """The bytes of a file; UnknownPath if there is none."""
        entry = self.entry(revision, path)
        if entry is None or entry.kind != "blob":
            raise UnknownPath(path)
        return self.objects.blob(entry.sha)

    def tree(self, revision: str, path: str = "", *, recursive: bool = False) -> list[Entry]:
        """The entries of a folder as `git ls-tree` (recursive: `-r -t`) gives them; UnknownPath if it is no folder."""
        return list(list_entries(self.objects, self.commit(revision).tree, path, recursive=recursive))

    def file_paths(self, revision: str) -> list[str]:
        """The paths of all files."""
        return [entry.path for entry in list_files(self.objects, self.commit(revision).tree)]

    def languages(self, revision: str = "HEAD") -> dict[str, float]:
        """The share of each language in per cent; together 100 ± 0.01, or nothing. Kept."""
        tree = self.commit(revision).tree
        kept: dict[str, dict[str, float]] = self.objects.kept.setdefault(languages.detect_languages, {})
        if tree not in kept:
            kept[tree] = languages.detect_languages(self.objects, tree)
        return dict(kept[tree])

    def grep(self, revision: str, text: str, *, path: str = "", ignore_case: bool = True) -> Iterator[GrepMatch]:
        """The lines that hold a text, file by file."""
        return grep(self.objects, self.commit(revision).tree, text, path=path, ignore_case=ignore_case)

    def archive(self, revision: str, form: Archive, *, prefix: str = "", path: str = "") -> bytes:
        """An archive of the tree or of a folder in it, dated as the commit; UnknownPath if that is none."""
        commit = self.commit(revision)
        make = archive.FORMATS[form.value]
        members = archive.list_members(self.objects, commit.tree, prefix, path)
        return make(members, commit.committer.when, commit.sha)

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
        """Commits as `git log` lists them, one at a time.

        The revision may be a range, `a..b` or `a...b`; ``everything`` starts from all refs instead. ``since`` and
        ``until`` (seconds since 1970, both included) are compared with the committer's date.
        """
        tips, hidden = (tuple(self.names.heads()), ()) if everything else self.ends(revision)
        tips = tuple(sorted(tips, key=lambda sha: -self.objects.commit(sha).committer.when))
        chosen = tuple(path.strip("/") for path in paths if path.strip("/"))
        selection = Selection(tips, hidden, chosen, since, until, first_parent)
        if order is Order.DEFAULT:
            return walk.by_date(self.objects, selection)
        return walk.in_topological_order(self.objects, selection, dated=order is Order.DATE)

    def ends(self, revision: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The commits from which a revision or a range (`a..b`, `a...b`) is seen, and those from which it is hidden."""
        for dots in ("...", ".."):
            left, found, right = revision.partition(dots)
            if found and revision not in self.names.refs:
                ends = tuple(self.resolve(side or "HEAD") for side in (left, right))
                return (ends, tuple(self.merge_bases(*ends))) if dots == "..." else (ends[1:], ends[:1])
        return (self.resolve(revision),), ()

    def count(self, revision: str = "HEAD") -> int:
        """How many commits a revision or a range has. Kept per head."""
        tips, hidden = self.ends(revision)
        seen = self._history.reachable(self.objects, tips)
        return (seen & ~self._history.reachable(self.objects, hidden)).bit_count()

    def ahead_behind(self, ours: str, theirs: str) -> tuple[int, int]:
        """How many commits only one has, and how many only the other."""
        left, right = (self._history.ancestors(self.objects, self.resolve(one)) for one in (ours, theirs))
        return (left & ~right).bit_count(), (right & ~left).bit_count()

    def is_ancestor(self, revision: str, of: str) -> bool:
        """Whether a commit leads to another, or is it."""
        return self._leads(self.resolve(revision), self.resolve(of))

    def contains(self, revision: str) -> list[str]:
        """The refs that a commit leads to, sorted by name."""
        sha = self.resolve(revision)
        return [name for name, head in sorted(self.names.peeled().items()) if self._leads(sha, head)]

    def merge_bases(self, *revisions: str) -> list[str]:
        """The best common ancestors of one revision with all the others together, newest first: `merge-base --all`."""
        first, *others = (self.resolve(revision) for revision in revisions)
        history = self._history
        ours, theirs = history.ancestors(self.objects, first), history.reachable(self.objects, others)
        return history.best_common(self.objects, ours, theirs)

    def merge_base(self, *revisions: str) -> str | None:
        """The best common ancestor (`git merge-base`); None if there is none."""
        return next(iter(self.merge_bases(*revisions)), None)

    def last_commit(self, revision: str, path: str) -> Commit | None:
        """The newest commit that changed a path; None if it never was."""
        return next(iter(self.log(revision, paths=[path])), None)

    def contributors(self, revision: str = "HEAD", *, lines: bool = False) -> list[Contributor]:
        """The authors of commits that are no merges, newest first; with their lines if asked for."""
        return list_contributors(self.objects, self.log(revision), lines=lines)

    def blame(self, revision: str, path: str) -> list[BlameRange]:
        """Which commit each line of a file came with; UnknownPath if there is no such file."""
        return blame(self.objects, self.resolve(revision), path)

    # Differences

    def diff(
        self, old: str | None, new: str, *, paths: Sequence[str] = (), renames: bool = True, context: int = 3
    ) -> list[FileDiff]:
        """How the tree of one revision (None: nothing) became that of another: `git diff old new`."""
        before = None if old is None else self.commit(old).tree
        after = self.commit(new).tree
        return diffs.diff_trees(self.objects, before, after, paths=paths, renames=renames, context=context)

    def commit_diff(self, revision: str, *, paths: Sequence[str] = ()) -> list[FileDiff]:
        """How a commit differs from its first parent, or from nothing."""
        before, after = self._change(revision)
        return diffs.diff_trees(self.objects, before, after, paths=paths)

    def stats(self, old: str | None, new: str) -> Stats:
        """How many lines differ between two revisions. Kept."""
        return diffs.count_lines(self.objects, None if old is None else self.commit(old).tree, self.commit(new).tree)

    def commit_stats(self, revision: str) -> Stats:
        """How many lines a commit changed against its first parent. Kept."""
        return diffs.count_lines(self.objects, *self._change(revision))

    def _leads(self, sha: str, head: str) -> bool:
        return self._history.holds(self._history.ancestors(self.objects, head), sha)

    def _change(self, revision: str) -> tuple[str | None, str]:
        commit = self.commit(revision)
        return self.objects.commit(commit.parents[0]).tree if commit.parents else None, commit.tree

    def _under(self, prefix: str) -> dict[str, str]:
        return {name.removeprefix(prefix): sha for name, sha in sorted(self.refs.items()) if name.startswith(prefix)}

    @property
    def _history(self) -> History:
        return History.of(self.objects)
