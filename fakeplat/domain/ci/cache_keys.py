"""Keys of caches that follow from files of the repository.

Source: docs/platform/runner-protocol.md.
"""

from collections.abc import Mapping
from hashlib import sha1
from typing import TYPE_CHECKING, Any, Final

from fakeplat.domain.repository import repositories
from fakeplat.model.ci import Pipeline
from fakeplat.model.world import World

if TYPE_CHECKING:
    from fakeplat.git.repository import Repository as Git

_NO_FILES: Final = "default"


def compute_keys(world: World, pipeline: Pipeline, options: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the options of a job in which the keys of all caches are texts, as they are when a pipeline is created."""
    caches = options.get("cache")
    listed = caches if isinstance(caches, list) else [caches]
    if not any(isinstance(cache.get("key"), Mapping) for cache in listed if cache):
        return options
    git = repositories.open_repository(world, world.projects[pipeline.project_id])
    computed = [_compute_key(git, pipeline.sha, cache) for cache in listed if cache]
    return {**options, "cache": computed if isinstance(caches, list) else computed[0]}


def _compute_key(git: "Git", sha: str, cache: Mapping[str, Any]) -> Mapping[str, Any]:
    key = cache.get("key")
    if not isinstance(key, Mapping):
        return cache
    parts = [key.get("prefix"), _digest_last_commits(git, sha, key.get("files") or ())]
    return {**cache, "key": "-".join(part for part in parts if part)}


def _digest_last_commits(git: "Git", sha: str, files: Any) -> str:
    """Return the digest of the commits that last changed some files."""
    if sha not in git.objects:
        # A pipeline of a scenario may have a commit that its repository does not.
        return _NO_FILES
    commits = {commit.sha for path in files if path and (commit := git.last_commit(sha, path)) is not None}
    return sha1("-".join(sorted(commits)).encode()).hexdigest() if commits else _NO_FILES
