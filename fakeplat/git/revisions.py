"""Finding out which object a name means, in the order in which git tries."""

import re
from collections.abc import Mapping
from functools import cached_property

from fakeplat.core.store.frozen import frozen
from fakeplat.git.errors import UnknownRevision
from fakeplat.git.history import History
from fakeplat.git.objects import Objects
from fakeplat.git.reachability import reachable_objects, tags_on_the_way
from fakeplat.git.records import Kind

_PLACES = ("{}", "refs/{}", "refs/tags/{}", "refs/heads/{}", "refs/remotes/{}", "refs/remotes/{}/HEAD")
_STEPS = re.compile(r"(?P<name>.+?)(?P<steps>(?:~\d*|\^\{(?:commit)?\}|\^\d*)+)")
_STEP = re.compile(r"~\d*|\^\{(?:commit)?\}|\^\d*")
_SHORTEST = 4


@frozen(slots=False)
class Names:
    """The refs of a repository and what its HEAD stands for: what names mean there."""

    objects: Objects
    refs: Mapping[str, str]
    head: str | None

    def found(self, name: str) -> str:
        """What a name stands for: a ref's target (perhaps an annotated tag) or a visible object; UnknownRevision."""
        sha = self._whole_sha(name) or self._ref(name) or self._short(name)
        if sha is None:
            raise UnknownRevision(name)
        return sha

    def commit(self, revision: str) -> str:
        """The commit that a revision means, tags peeled: a name, and `~2`, `^1`, `^{}` behind it; UnknownRevision."""
        stepped = _STEPS.fullmatch(revision)
        if stepped is None or self._ref(revision):
            return self._peeled(self.found(revision), revision)
        sha = self._peeled(self.found(stepped["name"]), revision)
        for step in _STEP.findall(stepped["steps"]):
            sha = self._stepped(sha, step, revision)
        return sha

    def shows(self, sha: str) -> bool:
        """Whether an object can be reached from a ref."""
        if sha not in self.objects:
            return False
        if self.objects.get(sha).kind is Kind.COMMIT:
            return History.of(self.objects).holds(self._visible, sha)
        return sha in reachable_objects(self.objects, self.refs.values())

    def heads(self) -> list[str]:
        """The commits that refs lead to, each once."""
        return list(dict.fromkeys(self.peeled().values()))

    def peeled(self) -> dict[str, str]:
        """The commits that refs lead to, by the whole names of the refs, in the order of these."""
        ends = {name: tags_on_the_way(self.objects, sha)[1] for name, sha in sorted(self.refs.items())}
        return {name: sha for name, sha in ends.items() if self.objects.get(sha).kind is Kind.COMMIT}

    @cached_property
    def _visible(self) -> int:
        """The commits that refs lead to."""
        return History.of(self.objects).reachable(self.objects, self.heads())

    def _ref(self, name: str) -> str | None:
        if name in {"HEAD", "@"}:
            return self.refs.get(self.head) if self.head else None
        return next((sha for place in _PLACES if (sha := self.refs.get(place.format(name)))), None)

    def _whole_sha(self, name: str) -> str | None:
        sha = name.lower()
        return sha if re.fullmatch("[0-9a-f]{40}", sha) and self.shows(sha) else None

    def _short(self, name: str) -> str | None:
        """Of several objects that start so the one commit, as git prefers where it needs a commit."""
        prefix = name.lower()
        if not re.fullmatch(f"[0-9a-f]{{{_SHORTEST},39}}", prefix):
            return None
        found = [sha for sha in self.objects.starting(prefix) if self.shows(sha)]
        commits = [sha for sha in found if self.objects.get(sha).kind in {Kind.COMMIT, Kind.TAG}]
        for candidates in (found, commits):
            if len(candidates) == 1:
                return candidates[0]
        return None

    def _peeled(self, sha: str, revision: str) -> str:
        target = tags_on_the_way(self.objects, sha)[1]
        if self.objects.get(target).kind is not Kind.COMMIT:
            raise UnknownRevision(revision)
        return target

    def _stepped(self, sha: str, step: str, revision: str) -> str:
        if step.startswith("^{"):
            return sha
        number = int(step[1:] or 1)
        try:
            if step[0] == "^":
                return self.objects.commit(sha).parents[number - 1] if number else sha
            for _ in range(number):
                sha = self.objects.commit(sha).parents[0]
        except IndexError as error:
            raise UnknownRevision(revision) from error
        return sha
