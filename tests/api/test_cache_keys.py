"""The caches of jobs as runners receive them. Source: docs/platform/runner-protocol.md."""

from hashlib import sha1
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.ci_files import commit_ci, commit_file
from tests.api.test_runner_protocol import create_runner, take_job

pytestmark = pytest.mark.fakeplat(scenario="starter", clock="virtual", tick=0)

_NONE = {"untracked": None, "policy": "pull-push", "when": "on_success"}


def cache_of(fake: Fakeplat, cache: str) -> list[Any]:
    """Run a pipeline whose job has a cache and return what its runner gets."""
    runner = create_runner(fake)
    commit_ci(fake, f"build: {{script: x, cache: {cache}}}\n")
    caches: list[Any] = take_job(fake, runner)["cache"]
    return caches


def test_the_key_of_files_is_the_digest_of_their_last_commits(fakeplat: Fakeplat) -> None:
    """The key is the SHA-1 of the sorted ids of the last commits of the files, joined by dashes."""
    first, second = (commit_file(fakeplat, path, "content") for path in ("Gemfile.lock", "package.json"))
    digest = sha1("-".join(sorted((first, second))).encode()).hexdigest()
    cache = "{key: {files: [Gemfile.lock, package.json]}, paths: [vendor]}"
    assert [{"key": digest, "paths": ["vendor"], **_NONE}] == cache_of(fakeplat, cache)


def test_files_of_one_commit_count_once(fakeplat: Fakeplat) -> None:
    """A commit that changed both files last is in the digest once; files that do not exist are left out."""
    sha = commit_file(fakeplat, "Gemfile.lock", "content")
    cache = "{key: {files: [Gemfile.lock, missing], prefix: pre}, paths: [vendor]}"
    key = f"pre-{sha1(sha.encode()).hexdigest()}"
    assert [{"key": key, "paths": ["vendor"], **_NONE}] == cache_of(fakeplat, cache)


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("{files: [missing]}", "default"),
        ("{files: [missing], prefix: pre}", "pre-default"),
        ("null", "default"),
        ("named", "named"),
    ],
)
def test_keys_without_files_are_texts(fakeplat: Fakeplat, key: str, expected: str) -> None:
    """Without a key, or if none of its files exists, the cache key is `default`."""
    assert [{"key": expected, "paths": ["p"], **_NONE}] == cache_of(fakeplat, f"{{key: {key}, paths: [p]}}")


def test_defaults_of_a_cache(fakeplat: Fakeplat) -> None:
    """A cache has the key ``default``, is pulled and pushed, and is kept after a success, unless it says otherwise."""
    assert [{"key": "default", "paths": ["p"], **_NONE}] == cache_of(fakeplat, "{paths: [p]}")
    given = {"key": "k", "untracked": True, "paths": None, "policy": "pull", "when": "always"}
    assert [given] == cache_of(fakeplat, "{key: k, untracked: true, policy: pull, when: always}")
