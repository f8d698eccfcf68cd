"""Pipelines, deployments and what belongs to them, from servers and tapes to scenarios."""

import asyncio
from pathlib import Path
from typing import Any

import orjson
import pytest

from fakeplat.core.operations.http_messages import JSON, Request
from fakeplat.domain.ci import pipeline_creation
from fakeplat.platform import Platform
from fakeplat.tape.export.crawler import Crawl
from fakeplat.tape.export.from_tape import scenario_from_tape
from fakeplat.tape.records.transports import ask_platform
from tests.api.full_world import FULL
from tests.scenario.answers import compare_values
from tests.scenario.ci_answers import collect_ci_responses
from tests.scenario.worlds import create_platform, get_user, project
from tests.tape.sessions import Session, as_server_tape, record_session
from tests.tape.test_crawl import crawl_scenario

SITE = "projects/acme%2Fsite"
NOT_EXPORTED = (".value", ".artifacts", "/trace')[1]", "/merge_requests')[1]", "flag new')", "feature_flags')[1]")
"""Secrets, logs, which merge requests were deployed, and flags whose lists of users the API does not name."""


def build_scenario(keys: dict[str, Any]) -> dict[str, Any]:
    (site,) = [each for each in keys["projects"] if each["path_with_namespace"] == "acme/site"]
    return dict(site)


def list_unexpected_changes(before: Platform, after: Platform, *viewers: str) -> list[str]:
    """The differences of all answers, without those of what an export leaves out."""
    changes = compare_values(collect_ci_responses(before, viewers), collect_ci_responses(after, viewers))
    return [line for line in changes if not any(part in line for part in NOT_EXPORTED) and "resource group" not in line]


def test_ci_records_survive_a_crawl() -> None:
    """CI records answer the same in a world made from a crawl; what no API shows is counted."""
    platform = create_platform(FULL)
    built = crawl_scenario(platform)

    assert [] == list_unexpected_changes(platform, create_platform(built.scenario), "root", "mia", "dev")
    lost = {
        "projects.feature_flags: Strategies user list can't be blank": 1,
        "contents of package files, which are zero bytes instead": 14,
        "contents of images, which cannot be pulled": 2,
        "board lists": 1,
        # The single sign-on of a group has no API that shows it.
        "user identities": 1,
        "user group_saml_identity": 1,
    }
    assert lost == +built.left_out


def test_a_generated_history_survives_a_crawl() -> None:
    """Pipelines and jobs, retried ones included, survive a crawl with their status and times."""
    generate = [{"into": "acme/site", "pipelines": 40}]
    platform = create_platform({"extends": "starter", "generate": generate, "instance": {"version": "latest"}})
    twin = create_platform(crawl_scenario(platform).scenario)

    def jobs(of: Platform) -> list[Any]:
        return [(job.name, job.status, job.retried, job.started_at, job.coverage) for job in of.view.jobs.all()]

    assert jobs(platform) == jobs(twin)
    assert [(pipeline.status, pipeline.duration) for pipeline in platform.view.pipelines.all()] == [
        (pipeline.status, pipeline.duration) for pipeline in twin.view.pipelines.all()
    ]


def test_only_the_newest_pipelines_are_read() -> None:
    """A crawl reads a hundred pipelines of each project and counts the older ones."""
    platform = create_platform({"extends": "starter", "generate": [{"into": "acme/site", "pipelines": 130}]})
    crawl = Crawl(ask_platform(platform), "root-token")
    seen = asyncio.run(crawl.read(["acme/site"], []))

    assert 30 == crawl.unread["older pipelines"]
    assert 100 == len(seen.subresources_of("project", ("acme/site",), "pipelines") or ())


def test_a_crawl_writes_no_secret() -> None:
    """A crawled scenario contains no value of a variable and no token of a trigger, runner or deployment."""
    platform = create_platform(FULL)
    world = platform.view
    text = orjson.dumps(crawl_scenario(platform).scenario).decode()
    secrets = [
        *(token.value for token in world.deploy_tokens.all()),
        *(runner.token for runner in world.runners.all()),
        *(trigger.token for trigger in world.triggers.all()),
        *(variable.value for variable in world.ci_variables.all()),
        "fast",
    ]

    assert 10 == len(secrets)
    assert [] == [secret for secret in secrets if secret in text]


def test_a_tape_shows_the_world_before_its_session(tmp_path: Path) -> None:
    """A world made from a tape has the CI records that were listed first, and none that the session created."""

    def send_requests(session: Session) -> None:
        session.ask("GET", SITE, "mia")
        for name in ("pipelines", "jobs", "variables", "environments", "triggers", "freeze_periods", "feature_flags"):
            session.ask("GET", f"{SITE}/{name}", "mia")
        pipeline = session.ask("GET", f"{SITE}/pipelines", "mia")[-1]["id"]
        session.ask("GET", f"{SITE}/pipelines/{pipeline}", "mia")
        session.ask("POST", f"{SITE}/variables", "mia", key="LATER", value="x")
        session.ask("PUT", f"{SITE}/variables/TOKEN", "mia", value="other", protected=True)
        session.ask("POST", f"{SITE}/environments", "mia", name="staging")
        session.ask("POST", f"{SITE}/triggers", "mia", description="New")
        session.ask("POST", f"{SITE}/pipelines/{pipeline}/retry", "mia")
        for name in ("pipelines", "jobs", "variables", "environments", "triggers"):
            session.ask("GET", f"{SITE}/{name}", "mia")

    platform = create_platform(FULL)
    tape = as_server_tape(record_session(platform, tmp_path / "session.tape", send_requests), platform)
    site = build_scenario(scenario_from_tape(tape).scenario)

    assert [("canceled", "dev"), ("created", None), ("success", None)] == [
        (pipeline["status"], pipeline.get("user")) for pipeline in site["pipelines"]
    ]
    assert [("test", "failed"), ("lint", "success")] == [
        (job["name"], job["status"]) for job in site["pipelines"][0]["jobs"]
    ]
    assert [{"key": "TOKEN", "value": "redacted-value"}] == site["variables"]
    assert ["edge", "production"] == [environment["name"] for environment in site["environments"]]
    assert ["Deploy"] == [trigger["description"] for trigger in site["triggers"]]
    assert 1 == len(site["freeze_periods"])
    assert ["old"] == [flag["name"] for flag in site["feature_flags"]]


def test_a_pipeline_that_the_session_started_was_not_there(tmp_path: Path) -> None:
    """A world made from a tape does not contain a pipeline that the session started."""
    configuration = {"message": "CI", "files": {".gitlab-ci.yml": "unit:\n  script: x\n"}}
    platform = create_platform(
        {
            "extends": "starter",
            "projects": [{"path_with_namespace": "acme/site", "repository": {"commits": [configuration]}}],
        }
    )

    def send_requests(session: Session) -> None:
        session.ask("GET", SITE, "mia")
        created = session.ask("POST", f"{SITE}/pipeline", "mia", ref="master")
        session.ask("GET", f"{SITE}/pipelines/{created['id']}", "mia")
        session.ask("GET", f"{SITE}/pipelines/{created['id']}/jobs", "mia")

    tape = as_server_tape(record_session(platform, tmp_path / "session.tape", send_requests), platform)

    assert "pipelines" not in build_scenario(scenario_from_tape(tape).scenario)


@pytest.mark.parametrize(
    ("method", "path", "body", "secrets"),
    [
        ("POST", f"{SITE}/triggers", {"description": "x"}, 1),
        ("POST", f"{SITE}/deploy_tokens", {"name": "x", "scopes": ["read_repository"]}, 1),
        ("POST", f"{SITE}/variables", {"key": "A", "value": "quite-secret", "masked": True}, 1),
        ("GET", f"{SITE}/variables", None, 1),
    ],
)
def test_secrets_of_ci_are_not_on_a_tape(
    tmp_path: Path, method: str, path: str, body: dict[str, Any] | None, secrets: int
) -> None:
    """Tokens of triggers and deployments and values of variables are not on the tape."""
    platform, file = create_platform(FULL), tmp_path / "session.tape"
    variables: list[str] = []

    def send_requests(session: Session) -> None:
        answer = session.ask(method, path, "mia", **(body or {}))
        for row in answer if isinstance(answer, list) else [answer]:
            variables.extend(row[name] for name in ("token", "value") if name in row)

    record_session(platform, file, send_requests)

    assert secrets == len(variables)
    assert [] == [secret for secret in variables if str(secret) in file.read_text("utf-8")]


def test_the_payload_of_a_job_keeps_what_is_public(tmp_path: Path) -> None:
    """The payload for a runner is recorded without the job's token and secret variables, but with public ones."""
    configuration = {"message": "CI", "files": {".gitlab-ci.yml": "unit:\n  script: x\n"}}
    platform = create_platform(
        {
            "extends": "starter",
            "runners": [{"token": "runner-token-of-mine"}],
            "projects": [
                {
                    "path_with_namespace": "acme/site",
                    "runners": "external",
                    "variables": [{"key": "PASSWORD", "value": "hidden-password"}],
                    "repository": {"commits": [configuration]},
                }
            ],
        }
    )
    with platform.acting(get_user(platform.view, "mia")) as ctx:
        pipeline_creation.create_pipeline(ctx, project(ctx.world, "acme/site"), "master", source="api")
    answers = []

    def send_requests(session: Session) -> None:
        content = orjson.dumps({"token": "runner-token-of-mine"})
        response = session.platform.handle(
            Request("POST", "/api/v4/jobs/request", "", {"content-type": JSON}, content, "https://git.example.test")
        )
        answers.append(orjson.loads(response.body))

    file = tmp_path / "session.tape"
    record_session(platform, file, send_requests)
    text, (job,) = file.read_text("utf-8"), answers

    assert [] == [secret for secret in (job["token"], "hidden-password", "runner-token-of-mine") if secret in text]
    assert '\\"key\\":\\"CI_COMMIT_REF_NAME\\",\\"value\\":\\"master\\"' in text
