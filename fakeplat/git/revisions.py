"""Resolution of revisions, in git's order of lookup."""

import re
from collections.abc import Mapping

from propcache.api import cached_property

from fakeplat.core.store.frozen import frozen
from fakeplat.git.errors import UnknownRevision
from fakeplat.git.history import History
from fakeplat.git.objects import Objects
from fakeplat.git.reachability import peel_tags, peel_to_commits, reachable_objects
from fakeplat.git.records import Kind

_FULL_SHA = re.compile("[0-9a-f]{40}")
# A tag has precedence over a branch of the same name.
_REF_PATTERNS = ("{}", "refs/{}", "refs/tags/{}", "refs/heads/{}", "refs/remotes/{}", "refs/remotes/{}/HEAD")
# A name with steps, such as `main~2`, `v1.0^{}` or `HEAD^2~3`.
_WITH_STEPS = re.compile(r"(?P<name>.+?)(?P<steps>(?:~\d*|\^\{(?:commit)?\}|\^\d*)+)")
_STEP = re.compile(r"~\d*|\^\{(?:commit)?\}|\^\d*")
_MIN_SHORT_LENGTH = 4


# cached_property stores its value in the ``__dict__``, which a class with slots does not have.
@frozen(slots=False)
class RevisionResolver:
    """A resolver of names by the refs and HEAD of a repository."""

    objects: Objects
    refs: Mapping[str, str]
    head: str | None
    kept: tuple[str, ...] = ()

    def resolve(self, name: str) -> str:
        """Resolve a name to a ref's target (perhaps an annotated tag) or a visible object; UnknownRevision."""
        # As in git, 40 digits are a hash even if a branch has this name, but a short hash yields to a ref.
        sha = self._find_full_sha(name) or self._find_ref(name) or self._find_short_sha(name)
        if sha is None:
            raise UnknownRevision(name)
        return sha

    def commit(self, revision: str) -> str:
        """Resolve a revision to a commit, with tags peeled: a name followed by `~2`, `^1`, `^{}`; UnknownRevision."""
        match = _WITH_STEPS.fullmatch(revision)
        if match is None or self._find_ref(revision):
            return self._peel(self.resolve(revision), revision)
        sha = self._peel(self.resolve(match["name"]), revision)
        for step in _STEP.findall(match["steps"]):
            sha = self._apply_step(sha, step, revision)
        return sha

    def find_commit(self, ref: str) -> str | None:
        """Return the commit that a ref points to, with tags peeled; None if it points to a tree or blob."""
        target = peel_tags(self.objects, self.refs[ref])[1]
        return target if self.objects.get(target).kind is Kind.COMMIT else None

    def shows(self, sha: str) -> bool:
        """Return whether an object is reachable from a ref, or from what is kept without one."""
        if sha not in self.objects:
            return False
        if self.objects.get(sha).kind is Kind.COMMIT:
            # Most commits that are asked for are on the default branch, or heads of others. That spares collecting what
            # all refs reach, which takes the longer the more there are.
            return self._is_on_default_branch(sha) or self._is_head(sha) or self._is_collected(sha)
        return sha in reachable_objects(self.objects, self.tips)

    def _is_on_default_branch(self, sha: str) -> bool:
        head = self.refs.get(self.head) if self.head else None
        if head is None or self.objects.get(head).kind is not Kind.COMMIT:
            return False
        history = History.of(self.objects)
        return history.holds(history.ancestors(self.objects, head), sha)

    def _is_head(self, sha: str) -> bool:
        return "_visible" not in self.__dict__ and sha in self.refs.values()

    def _is_collected(self, sha: str) -> bool:
        return History.of(self.objects).holds(self._visible, sha)

    @property
    def tips(self) -> list[str]:
        """The targets of refs, and what is kept without a ref."""
        return [*self.refs.values(), *self.kept]

    def heads(self) -> list[str]:
        """List the commits that refs point to, without duplicates."""
        return list(dict.fromkeys(self.peeled().values()))

    def peeled(self) -> dict[str, str]:
        """Return the commits that refs point to, by full ref name, sorted. Tags are peeled."""
        targets = {name: peel_tags(self.objects, sha)[1] for name, sha in sorted(self.refs.items())}
        return {name: sha for name, sha in targets.items() if self.objects.get(sha).kind is Kind.COMMIT}

    @cached_property
    def _visible(self) -> int:
        """The commits that are shown, as a bit set."""
        # Many refs point to the same commit.
        commits = peel_to_commits(self.objects, dict.fromkeys(self.tips))
        return History.of(self.objects).reachable(self.objects, commits)

    def _find_ref(self, name: str) -> str | None:
        if name in {"HEAD", "@"}:
            return self.refs.get(self.head) if self.head else None
        return next((sha for pattern in _REF_PATTERNS if (sha := self.refs.get(pattern.format(name)))), None)

    def _find_full_sha(self, name: str) -> str | None:
        sha = name.lower()
        return sha if _FULL_SHA.fullmatch(sha) and self.shows(sha) else None

    def _find_short_sha(self, name: str) -> str | None:
        """Resolve an unambiguous prefix; of several objects the only commit, as git prefers where it needs one."""
        prefix = name.lower()
        if not re.fullmatch(f"[0-9a-f]{{{_MIN_SHORT_LENGTH},39}}", prefix):
            return None
        matches = [sha for sha in self.objects.find_by_prefix(prefix) if self.shows(sha)]
        commits = [sha for sha in matches if self.objects.get(sha).kind in {Kind.COMMIT, Kind.TAG}]
        for candidates in (matches, commits):
            if len(candidates) == 1:
                return candidates[0]
        return None

    def _peel(self, sha: str, revision: str) -> str:
        target = peel_tags(self.objects, sha)[1]
        if self.objects.get(target).kind is not Kind.COMMIT:
            raise UnknownRevision(revision)
        return target

    def _apply_step(self, sha: str, step: str, revision: str) -> str:
        # Tags were peeled before the first step, and every step gives a commit.
        if step.startswith("^{"):
            return sha
        number = int(step[1:] or 1)
        try:
            if step[0] == "^":
                # The step `^0` is the commit itself.
                return self.objects.commit(sha).parents[number - 1] if number else sha
            for _ in range(number):
                sha = self.objects.commit(sha).parents[0]
        except IndexError as error:
            raise UnknownRevision(revision) from error
        return sha
