"""What runners of later releases get of a job: caches, images, services, hooks and ID tokens.

Source: spec/requests/api/ci/runner/jobs_request_post_spec.rb, app/models/ci/build.rb, lib/gitlab/ci/jwt_v2.rb.
"""

import json
from base64 import urlsafe_b64decode
from hashlib import sha1, sha256
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    AUDIENCES_HAVE_VARIABLES,
    CACHE_KEYS_OF_CONTENTS,
    EXECUTOR_OPTIONS,
    FALLBACK_KEYS,
    PULL_POLICIES,
    SEPARATE_CACHES,
    SERVICES_HAVE_VARIABLES,
    SEVERAL_CACHES,
)
from tests.api.ci_files import commit_ci
from tests.api.test_runner_protocol import create_runner, take_job
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(
    scenario="starter", clock="virtual", tick=0, start="2020-11-20T09:00:00.000Z", default_branch="main"
)


def take(fake: Fakeplat, keywords: str, **more: Any) -> dict[str, Any]:
    """Push a configuration with one job and take the job."""
    runner = create_runner(fake)
    commit_ci(fake, f"job: {{script: a, {keywords}}}", **{"branch": "main", **more})
    return take_job(fake, runner, info={"features": {"fallback_cache_keys": True}})


CACHED = "cache: {paths: [a], key: k}"


@by_release(SEPARATE_CACHES, "key", {"14.10": "k", "15.0": "k-protected"})
def test_caches_of_protected_refs_are_separate(fakeplat: Fakeplat, key: str) -> None:
    """From 15.0 on, the key of a cache ends with whether the ref is protected."""
    assert key == take(fakeplat, CACHED)["cache"][0]["key"]


@pytest.mark.fakeplat(version="18.0")
def test_caches_of_other_refs_are_separate(fakeplat: Fakeplat) -> None:
    """The cache of a ref that is not protected has another key."""
    assert "k-non_protected" == take(fakeplat, CACHED, branch="other", start="main")["cache"][0]["key"]


@pytest.mark.fakeplat(version="18.0")
def test_an_unprotected_cache_is_shared(fakeplat: Fakeplat) -> None:
    """With ``unprotect``, protected refs use the cache of the others, as do the fallback keys."""
    (cache,) = take(fakeplat, "cache: {paths: [a], key: k, unprotect: true, fallback_keys: [f]}")["cache"]

    assert ("k-non_protected", ["f-non_protected"]) == (cache["key"], cache["fallback_keys"])


@pytest.mark.fakeplat(version="18.0")
def test_a_project_may_share_caches(fakeplat: Fakeplat) -> None:
    """Without separate caches, the key is that of the configuration."""
    assert 200 == fakeplat.as_user("ada").put("projects/acme%2Fsite", json={"ci_separated_caches": False}).status
    assert "k" == take(fakeplat, CACHED)["cache"][0]["key"]


CACHE = {"key": "k-protected", "untracked": None, "paths": ["a"], "policy": "pull-push", "when": "on_success"}


@by_release(FALLBACK_KEYS, "cache", {"15.11": CACHE, "16.0": {**CACHE, "fallback_keys": []}})
def test_a_cache_has_a_list_of_fallback_keys(fakeplat: Fakeplat, cache: dict[str, Any]) -> None:
    """From 16.0 on, a cache has fallback keys, none unless the configuration says so."""
    assert [cache] == take(fakeplat, CACHED)["cache"]


@by_release(SEVERAL_CACHES, "prefix", {"13.10": "", "13.11": "0-"})
def test_the_key_of_files_names_the_position_of_the_cache(fakeplat: Fakeplat, prefix: str) -> None:
    """From 13.11 on, the key that follows from files begins with the number of the cache unless it has a prefix."""
    taken = take(fakeplat, "cache: {paths: [a], key: {files: [missing]}}")

    assert f"{prefix}default" == taken["cache"][0]["key"]


def blob_id(content: bytes) -> str:
    return sha1(b"blob %d\0" % len(content) + content).hexdigest()


@pytest.mark.fakeplat(version="latest")
def test_the_key_of_files_follows_from_their_contents(fakeplat: Fakeplat) -> None:
    """The key of later releases is the digest of the ids of the files, which patterns may name."""
    (cache,) = take(fakeplat, "cache: {paths: [a], key: {files: ['.gitlab-ci.y*']}}")["cache"]
    content = b"job: {script: a, cache: {paths: [a], key: {files: ['.gitlab-ci.y*']}}}"

    assert f"0_-{sha1(blob_id(content).encode()).hexdigest()}-protected" == cache["key"]


@by_release(CACHE_KEYS_OF_CONTENTS, "count", {"18.5": 2, "18.6": 1})
def test_the_key_of_files_changes_with_commits_or_contents(fakeplat: Fakeplat, count: int) -> None:
    """A commit that restores earlier contents gives a new key in earlier releases, and the old one in later ones."""
    text = "job: {script: a, cache: {paths: [a], key: {prefix: p, files: [.gitlab-ci.yml]}}}"
    runner = create_runner(fakeplat)
    keys = []
    for content in (text, f"{text}\n", text):
        commit_ci(fakeplat, content, branch="main")
        keys.append(take_job(fakeplat, runner)["cache"][0]["key"])

    assert count == len({keys[0], keys[2]})


@pytest.mark.fakeplat(version="latest")
def test_the_key_of_commits_follows_from_commits(fakeplat: Fakeplat) -> None:
    """The key of ``files_commits`` is the digest of the commits that changed the files last."""
    runner = create_runner(fakeplat)
    content = "job: {script: a, cache: {paths: [a], key: {files_commits: [.gitlab-ci.yml]}}}"
    commit = commit_ci(fakeplat, content, branch="main")
    (cache,) = take_job(fakeplat, runner)["cache"]

    assert f"0-{sha1(commit.encode()).hexdigest()}-protected" == cache["key"]


@by_release(PULL_POLICIES, "shown", {"15.1": {}, "15.2": {"pull_policy": None}})
def test_an_image_has_a_pull_policy(fakeplat: Fakeplat, shown: dict[str, Any]) -> None:
    """From 15.2 on, images and services have a pull policy, which may be null."""
    taken = take(fakeplat, "image: i, services: [s]")

    assert {"name": "i", "entrypoint": None, "ports": [], **shown} == taken["image"]
    assert shown.items() <= taken["services"][0].items()


@by_release(EXECUTOR_OPTIONS, "shown", {"16.6": {}, "16.7": {"executor_opts": {}}})
def test_an_image_has_executor_options(fakeplat: Fakeplat, shown: dict[str, Any]) -> None:
    """From 16.7 on, images and services have options for executors, which may be empty."""
    taken = take(fakeplat, "image: i, services: [s]")

    assert {"name": "i", "entrypoint": None, "ports": [], "pull_policy": None, **shown} == taken["image"]
    assert shown.items() <= taken["services"][0].items()


@pytest.mark.fakeplat(version="latest")
def test_the_options_of_an_image_are_those_of_the_configuration(fakeplat: Fakeplat) -> None:
    """Runners get the options of each executor, and a list of pull policies."""
    options = "pull_policy: always, docker: {user: u, platform: arm64}, kubernetes: {user: '1'}"
    taken = take(fakeplat, f"image: {{name: i, {options}}}")

    assert {
        "name": "i",
        "entrypoint": None,
        "ports": [],
        "executor_opts": {"docker": {"user": "u", "platform": "arm64"}, "kubernetes": {"user": "1"}},
        "pull_policy": ["always"],
    } == taken["image"]


@by_release(SERVICES_HAVE_VARIABLES, "shown", {"14.4": {}, "14.5": {"variables": []}})
def test_services_have_variables(fakeplat: Fakeplat, shown: dict[str, Any]) -> None:
    """From 14.5 on, services have variables, perhaps none."""
    (service,) = take(fakeplat, "services: [s]")["services"]

    assert {"name": "s", "entrypoint": None, "ports": [], "alias": None, "command": None, **shown} == service


@pytest.mark.fakeplat(version="14.5")
def test_the_variables_of_a_service_are_pairs(fakeplat: Fakeplat) -> None:
    """The variables of a service are a list of keys and values."""
    taken = take(fakeplat, "services: [{name: u, variables: {A: b}}]")

    assert [{"key": "A", "value": "b"}] == taken["services"][0]["variables"]


@pytest.mark.fakeplat(version="15.10")
@pytest.mark.parametrize("script", ["echo", "[[echo]]"])
def test_runners_get_hooks(fakeplat: Fakeplat, script: str) -> None:
    """A hook has a name and the lines of its script."""
    taken = take(fakeplat, f"hooks: {{pre_get_sources_script: {script}}}")

    assert [{"name": "pre_get_sources_script", "script": ["echo"]}] == taken["hooks"]


@pytest.mark.fakeplat(version="15.10")
def test_a_job_without_hooks_has_an_empty_list(fakeplat: Fakeplat) -> None:
    """A job has a list of hooks, empty without any."""
    assert [] == take(fakeplat, "when: always")["hooks"]


@pytest.mark.fakeplat(version="15.9")
def test_earlier_jobs_have_no_hooks(fakeplat: Fakeplat) -> None:
    """Before 15.10, a job has no hooks."""
    assert "hooks" not in take(fakeplat, "when: always")


@pytest.mark.fakeplat(version="15.10")
def test_default_hooks_are_inherited(fakeplat: Fakeplat) -> None:
    """Jobs inherit hooks from ``default``."""
    runner = create_runner(fakeplat)
    commit_ci(fakeplat, "default: {hooks: {pre_get_sources_script: x}}\njob: {script: a}", branch="main")

    assert [{"name": "pre_get_sources_script", "script": ["x"]}] == take_job(fakeplat, runner)["hooks"]


def list_raw(taken: dict[str, Any]) -> dict[str, bool]:
    """Return the variables A to D, and whether they are raw; what is not says nothing of it."""
    variables = {variable["key"]: variable for variable in taken["variables"] if variable["key"] in "ABCD"}
    return {key: variable.get("raw", False) for key, variable in sorted(variables.items())}


@pytest.mark.fakeplat(version="15.7")
def test_variables_that_are_not_expanded_are_raw(fakeplat: Fakeplat) -> None:
    """Variables of the root, of a job and of a project may be raw; a job's own replaces that of the root."""
    fakeplat.as_user("ada").post("projects/acme%2Fsite/variables", json={"key": "D", "value": "$A", "raw": True})
    runner = create_runner(fakeplat)
    root = "variables: {A: {value: $B, expand: false}, B: {value: b, expand: false}}"
    job = "job: {script: a, variables: {B: b, C: {value: $B, expand: false}}}"
    commit_ci(fakeplat, f"{root}\n{job}\n", branch="main")

    assert {"A": True, "B": False, "C": True, "D": True} == list_raw(take_job(fakeplat, runner))


@pytest.mark.fakeplat(version="15.7")
def test_a_job_that_inherits_no_variables_has_no_raw_ones(fakeplat: Fakeplat) -> None:
    """Only inherited variables of the root are there."""
    runner = create_runner(fakeplat)
    root = "variables: {A: {value: $B, expand: false}}"
    commit_ci(fakeplat, f"{root}\njob: {{script: a, inherit: {{variables: false}}}}\n", branch="main")

    assert {} == list_raw(take_job(fakeplat, runner))


def decode(part: str) -> bytes:
    return urlsafe_b64decode(part + "=" * (-len(part) % 4))


def find_token(taken: dict[str, Any]) -> dict[str, Any]:
    (token,) = [variable for variable in taken["variables"] if variable["key"] == "TOKEN"]
    assert (False, True) == (token["public"], token["masked"])
    claims: dict[str, Any] = json.loads(decode(token["value"].split(".")[1]))
    return claims


def build_claims(fake: Fakeplat, taken: dict[str, Any]) -> dict[str, Any]:
    """Return the claims that each release has."""
    view = fake.bench.platform.view
    job = view.jobs[taken["id"]]
    user = view.users[job.user_id or 0]
    issued_at = 1_605_862_800
    return {
        "namespace_id": str(view.projects[job.project_id].namespace_id),
        "namespace_path": "acme",
        "project_id": str(job.project_id),
        "project_path": "acme/site",
        "user_id": str(user.id),
        "user_login": "ada",
        "user_email": user.email,
        "pipeline_id": str(job.pipeline_id),
        "pipeline_source": "push",
        "job_id": str(job.id),
        "ref": "main",
        "ref_type": "branch",
        "ref_protected": "true",
        "iat": issued_at,
        "nbf": issued_at - 5,
        "exp": issued_at + 3600,
        "iss": fake.url.rstrip("/"),
        "aud": "https://vault.example.com",
        "sub": "project_path:acme/site:ref_type:branch:ref:main",
    }


ID_TOKEN = "id_tokens: {TOKEN: {aud: 'https://vault.example.com'}}"


@pytest.mark.fakeplat(version="15.7")
def test_a_job_gets_its_id_tokens(fakeplat: Fakeplat) -> None:
    """An ID token says for which job it is, and is a secret variable."""
    taken = take(fakeplat, ID_TOKEN)
    claims = find_token(taken)

    assert {*build_claims(fakeplat, taken), "jti"} == set(claims)
    assert build_claims(fakeplat, taken) == {key: value for key, value in claims.items() if key != "jti"}


@pytest.mark.fakeplat(version="18.4")
def test_later_id_tokens_have_more_claims(fakeplat: Fakeplat) -> None:
    """Later releases added the runner, the commit, the configuration, and what the user may do."""
    taken = take(fakeplat, f"environment: production, {ID_TOKEN}")
    claims = find_token(taken)
    expected = build_claims(fakeplat, taken)
    sha = taken["git_info"]["sha"]
    host = fakeplat.url.rstrip("/").partition("://")[2]

    assert {
        **expected,
        **{f"job_{name}": expected[name] for name in ("namespace_id", "namespace_path", "project_id", "project_path")},
        "user_access_level": "owner",
        "ref_path": "refs/heads/main",
        "environment": "production",
        "environment_protected": "false",
        "deployment_tier": "production",
        "environment_action": "start",
        "runner_id": fakeplat.bench.platform.view.jobs[taken["id"]].runner_id,
        "runner_environment": "self-hosted",
        "sha": sha,
        "project_visibility": "private",
        "ci_config_ref_uri": f"{host}/acme/site//.gitlab-ci.yml@refs/heads/main",
        "ci_config_sha": sha,
    } == {key: value for key, value in claims.items() if key != "jti"}


@pytest.mark.fakeplat(version="18.0")
def test_the_published_key_verifies_the_id_token_of_a_job(fakeplat: Fakeplat) -> None:
    """ID tokens of jobs are signed with the key that the instance publishes."""
    taken = take(fakeplat, ID_TOKEN)
    (token,) = [variable["value"] for variable in taken["variables"] if variable["key"] == "TOKEN"]
    (key,) = fakeplat.as_user(None).get(f"{fakeplat.url.rstrip('/')}/oauth/discovery/keys").json()["keys"]
    content, _, signature = token.rpartition(".")
    number, modulus = int.from_bytes(decode(signature)), int.from_bytes(decode(key["n"]))

    assert pow(number, 65537, modulus).to_bytes(256).endswith(sha256(content.encode()).digest())


@by_release(AUDIENCES_HAVE_VARIABLES, "audience", {"16.0": "$CI_JOB_NAME", "16.1": "job"})
def test_the_audience_of_an_id_token_may_have_variables(fakeplat: Fakeplat, audience: str) -> None:
    """From 16.1 on, an audience may contain variables."""
    assert audience == find_token(take(fakeplat, "id_tokens: {TOKEN: {aud: $CI_JOB_NAME}}"))["aud"]


@pytest.mark.fakeplat(version="18.0")
def test_the_subject_of_id_tokens_has_the_parts_of_the_project(fakeplat: Fakeplat) -> None:
    """A project says what the subject of its ID tokens consists of."""
    body = {"ci_id_token_sub_claim_components": ["project_path", "ref"]}
    assert 200 == fakeplat.as_user("ada").put("projects/acme%2Fsite", json=body).status
    assert "project_path:acme/site:ref:main" == find_token(take(fakeplat, ID_TOKEN))["sub"]


@pytest.mark.fakeplat(version="16.4")
def test_default_id_tokens_are_inherited(fakeplat: Fakeplat) -> None:
    """From 16.4 on, jobs inherit ID tokens from ``default``."""
    runner = create_runner(fakeplat)
    commit_ci(fakeplat, "default: {id_tokens: {TOKEN: {aud: [a, b]}}}\njob: {script: a}", branch="main")

    assert ["a", "b"] == find_token(take_job(fakeplat, runner))["aud"]
