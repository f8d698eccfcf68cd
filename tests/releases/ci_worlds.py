"""A project whose CI configuration is changed, as each release of the platform would serve it."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

import orjson

from fakeplat.core.operations.http_messages import JSON, Request
from fakeplat.core.release import Release
from fakeplat.domain.ci import runners
from fakeplat.domain.clusters import agents
from tests.api.ci_jobs import find_project
from tests.scenario.worlds import create_platform

FILES: Final = {
    ".gitlab-ci.yml": "first: {script: a}",
    "extra.yml": "extra: {script: a}",
    "inputs.yml": "inputs: {shared: {default: b}}",
    "templates/part.yml": "part: {script: a}",
    "child.yml": "child: {script: a}",
}
SCENARIO: Final[dict[str, Any]] = {
    "groups": [
        {
            "path": "acme",
            "projects": [
                {
                    "path": path,
                    "repository": {"commits": [{"message": "first", "branch": "main", "files": FILES}]},
                    "runners": "external",
                }
                for path in ("site", "tool")
            ],
        }
    ],
}
FEATURES: Final = dict.fromkeys(
    ("refspecs", "upload_multiple_artifacts", "artifacts_exclude", "return_exit_code", "fallback_cache_keys"), True
)
"""What the runner can do."""
SITE: Final = "/api/v4/projects/acme%2Fsite"


class Verdict(NamedTuple):
    """Whether a configuration is valid, and what is wrong with it first."""

    is_valid: bool
    error: str | None


class CiWorld:
    """A new world of a release."""

    def __init__(self, release: Release) -> None:
        instance = {"tier": "ultimate", "version": ".".join(map(str, release)), "default_branch": "main"}
        self.platform = create_platform({**SCENARIO, "instance": instance}, kind="virtual")

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        """Return the status and the JSON of the answer to the administrator."""
        sent = {"private-token": "root-token", "content-type": JSON, **headers}
        data = b"" if body is None else orjson.dumps(body)
        response = self.platform.handle(Request(method, path, "", sent, data))
        return response.status, orjson.loads(response.body) if response.body else None

    def commit(self, configuration: str, message: str = "Configure CI [skip ci]") -> None:
        """Change the configuration of the project."""
        action = {"action": "update", "file_path": ".gitlab-ci.yml", "content": configuration}
        body = {"branch": "main", "commit_message": message, "actions": [action]}
        self.post("repository/commits", body)

    def lint(self, configuration: str) -> Verdict:
        """Return what lint says of a configuration."""
        answer = self.post("ci/lint", {"content": configuration})
        return Verdict(answer["valid"], next(iter(answer["errors"]), None))

    def create_pipeline(self, configuration: str) -> Verdict:
        """Return whether a pipeline can be created with a configuration, and why not."""
        self.commit(configuration)
        status, answer = self.ask("POST", f"{SITE}/pipeline", {"ref": "main"})
        return Verdict(True, None) if status == 201 else Verdict(False, answer["message"]["base"][0])

    def push(self, configuration: str) -> Verdict:
        """Return whether the pipeline of a push has jobs, and why not."""
        self.commit(configuration, "Configure CI")
        pipeline = next(iter(self.platform.view.pipelines.all().in_reverse()))
        return Verdict(pipeline.yaml_errors is None, pipeline.yaml_errors)

    def post(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Create something in the project and return it."""
        status, answer = self.ask("POST", f"{SITE}/{path}", body or {})
        assert status in (200, 201), (path, answer)
        return answer

    def take_jobs(self) -> Iterator[dict[str, Any]]:
        """Yield all waiting jobs as a runner gets them."""
        with self.platform.acting() as ctx:
            token = runners.create(ctx, "instance_type").token
        body = {"token": token, "info": {"features": FEATURES}}
        while (taken := self.ask("POST", "/api/v4/jobs/request", body))[0] == 201:
            yield taken[1]


VARIABLES: Final = """
bridge: {trigger: acme/tool, stage: .pre}
job: {script: a, environment: production, parallel: 2, only: [branches, tags, merge_requests]}
manual: {script: a, when: manual, only: [branches, tags, merge_requests]}
"""
INTEGRATIONS: Final = {
    "apple-app-store": {
        "app_store_issuer_id": "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee",
        "app_store_key_id": "ABC1",
        "app_store_private_key_file_name": "key.p8",
        "app_store_private_key": "-----BEGIN PRIVATE KEY-----\nMIGH\n-----END PRIVATE KEY-----",
        "app_store_protected_refs": False,
    },
    "diffblue-cover": {
        "diffblue_license_key": "key",
        "diffblue_access_token_name": "name",
        "diffblue_access_token_secret": "secret",
    },
    "google-play": {
        "package_name": "com.acme.site",
        "service_account_key": orjson.dumps(
            dict.fromkeys(["type", "project_id", "private_key_id", "private_key", "client_email", "client_id"], "a")
        ).decode(),
        "service_account_key_file_name": "key.json",
        "google_play_protected_refs": False,
    },
    "harbor": {"url": "https://harbor.test", "project_name": "p", "username": "u", "password": "password"},
}
"""Integrations that have variables, with their settings."""


@cache
def list_variables(release: Release) -> frozenset[str]:
    """Return the names of the variables of all jobs in a world with many kinds of pipelines."""
    world = CiWorld(release)
    with world.platform.acting() as ctx:
        agents.create_agent(ctx, find_project(ctx.world, "acme/site"), name="edge", creator_id=None)
    for slug, settings in INTEGRATIONS.items():
        # Releases that do not know an integration answer 404.
        world.ask("PUT", f"{SITE}/integrations/{slug}", settings)
    world.push(VARIABLES + ("workflow: {name: a}" if release >= (15, 7) else ""))
    change = {"action": "create", "file_path": "a.txt", "content": "a"}
    branch = {"branch": "feature", "start_branch": "main", "commit_message": "Change", "actions": [change]}
    merge_request = {"source_branch": "feature", "target_branch": "main", "title": "Change", "description": "a"}
    world.post("repository/commits", branch)
    world.post("merge_requests", merge_request)
    world.post("merge_requests/1/pipelines")
    world.post("repository/tags", {"tag_name": "v1", "ref": "main"})
    world.post("pipeline", {"ref": "feature"})
    trigger = world.post("triggers", {"description": "a"})
    world.post("trigger/pipeline", {"token": trigger["token"], "ref": "main"})
    world.post("releases", {"tag_name": "v1", "description": "a"})
    schedule = world.post("pipeline_schedules", {"description": "a", "ref": "main", "cron": "0 1 * * *"})
    world.post(f"pipeline_schedules/{schedule['id']}/play")
    world.platform.settle()
    for job in list(world.platform.view.jobs.all()):
        if job.status == "manual":
            world.post(f"jobs/{job.id}/play")
    return frozenset(variable["key"] for job in world.take_jobs() for variable in job["variables"])
