"""Keys of caches that follow from files of the repository.

Source: docs/platform/runner-protocol.md.
"""

from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha1
from typing import TYPE_CHECKING, Any, Final

from fakeplat.ci_config import globs
from fakeplat.core.release import Profile
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.repository import repositories
from fakeplat.model.ci import Pipeline
from fakeplat.model.world import World
from fakeplat.policy.behaviours import CACHE_KEYS_OF_CONTENTS, SEVERAL_CACHES

if TYPE_CHECKING:
    from fakeplat.git.repository import Repository as Git

_NO_FILES: Final = "default"


def compute_keys(world: World, pipeline: Pipeline, options: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the options of a job in which the keys of all caches are texts, as they are when a pipeline is created."""
    caches = options.get("cache")
    listed = caches if isinstance(caches, list) else [caches]
    if not any(isinstance(cache.get("key"), Mapping) for cache in listed if cache):
        return options
    digests = _Digests(repositories.open_repository(world, world.projects[pipeline.project_id]), pipeline.sha)
    computed = [_compute_key(digests, world.profile, cache, index) for index, cache in enumerate(filter(None, listed))]
    return {**options, "cache": computed if isinstance(caches, list) else computed[0]}


def _compute_key(digests: "_Digests", profile: Profile, cache: Mapping[str, Any], index: int) -> Mapping[str, Any]:
    key = cache.get("key")
    if not isinstance(key, Mapping):
        return cache
    prefix = key.get("prefix") or (_name_of_position(profile, index, key) if profile.has(SEVERAL_CACHES) else None)
    if "files_commits" in key:
        digest = digests.of_commits(key["files_commits"])
    elif profile.has(CACHE_KEYS_OF_CONTENTS):
        digest = digests.of_contents(key.get("files") or ())
    else:
        digest = digests.of_commits(key.get("files") or ())
    return {**cache, "key": "-".join(part for part in (prefix, digest) if part)}


def _name_of_position(profile: Profile, index: int, key: Mapping[str, Any]) -> str:
    """Return what distinguishes the keys of several caches without prefixes."""
    names = [path.partition(".")[0] for path in key.get("files") or ()] if profile.has(CACHE_KEYS_OF_CONTENTS) else []
    return f"{index}_{'_'.join(names)}" if names else str(index)


@frozen
class _Digests:
    """Digests of what some files of a commit are."""

    _git: "Git"
    _sha: str

    def of_commits(self, files: Iterable[str]) -> str:
        """Return the digest of the commits that last changed the files."""
        found = (self._git.last_commit(self._sha, path) for path in files if path) if self._has_commit() else ()
        return _digest(commit.sha for commit in found if commit is not None)

    def of_contents(self, patterns: Iterable[str]) -> str:
        """Return the digest of the contents of the files, which may be given as patterns."""
        found = (self._git.entry(self._sha, path) for path in self._list_paths(patterns)) if self._has_commit() else ()
        return _digest(entry.sha for entry in found if entry is not None)

    def _list_paths(self, patterns: Iterable[str]) -> Iterator[str]:
        for pattern in filter(None, patterns):
            if "*" in pattern:
                yield from (path for path in self._git.file_paths(self._sha) if globs.matches(pattern, path))
            else:
                yield pattern

    def _has_commit(self) -> bool:
        # A pipeline of a scenario may have a commit that its repository does not.
        return self._sha in self._git.objects


def _digest(ids: Iterable[str]) -> str:
    unique = sorted(set(ids))
    return sha1("-".join(unique).encode()).hexdigest() if unique else _NO_FILES
