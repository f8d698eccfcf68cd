"""Deployments of pages by jobs. Source: docs/platform/pages.md."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import PAGES_ARE_DEPLOYED, PAGES_URLS_HAVE_PREFIXES
from tests.by_release import by_release

PAGES = "projects/acme%2Fsite/pages"
URL = "http://site-5001.pages.localhost"
JOB = "deploy: {stage: deploy, script: make, artifacts: {paths: [public]}, pages: %s}"
START = "2027-01-01T09:00:00.000Z"
pytestmark = pytest.mark.fakeplat(version="latest", clock="virtual", start=START)


def build_scenario(configuration: str, files: Mapping[str, str], **project: Any) -> dict[str, Any]:
    """A project whose jobs leave files."""
    commits = [{"message": "first", "branch": "main", "files": {".gitlab-ci.yml": configuration}}]
    return {
        "extends": "starter",
        "projects": [{"path_with_namespace": "acme/site", "repository": {"commits": commits}, **project}],
        "job_outcomes": [{"artifacts": dict(files)}],
    }


@pytest.fixture
def run(fakeplat_factory: Callable[..., Fakeplat], request: pytest.FixtureRequest) -> Any:
    """Return a function that runs the pipeline of a configuration, and returns the fake and the pipeline's id."""

    mark = request.node.get_closest_marker("fakeplat")

    def run_pipeline(
        configuration: str, files: Mapping[str, str] | None = None, **project: Any
    ) -> tuple[Fakeplat, int]:
        contents = {"public/index.html": "hello"} if files is None else files
        scenario = build_scenario(configuration, contents, **project)
        fake = fakeplat_factory(scenario=scenario, version=mark.kwargs["version"], clock="virtual", start=START)
        return fake, run_again(fake)

    return run_pipeline


def run_again(fake: Fakeplat, ref: str = "main") -> int:
    reply = fake.as_user("mia").post("projects/acme%2Fsite/pipeline", json={"ref": ref})
    assert 201 == reply.status, reply.json()
    fake.settle()
    return int(reply.json()["id"])


def list_deployments(fake: Fakeplat) -> list[tuple[str, str | None, str | None]]:
    deployments = fake.as_user("root").get(PAGES).json()["deployments"]
    return [(each["url"], each["path_prefix"], each["root_directory"]) for each in deployments]


def read_status(fake: Fakeplat, pipeline: int) -> tuple[Any, ...]:
    """Return the stage, the status and the description of the status about the deployment, if there is one."""
    sha = fake.as_user("root").get(f"projects/acme%2Fsite/pipelines/{pipeline}").json()["sha"]
    statuses = fake.as_user("root").get(f"projects/acme%2Fsite/repository/commits/{sha}/statuses?all=true").json()
    (status,) = [each for each in statuses if each["name"] == "pages:deploy"] or [None]
    return () if status is None else (status["status"], status["description"])


@pytest.mark.parametrize(
    ("job", "expected"),
    [
        ("pages: {script: a}", [(f"{URL}/", None, None)]),
        ("pages: {script: a, pages: false}", []),
        ("other: {script: a}", []),
        (JOB % "true", [(f"{URL}/", None, None)]),
        (JOB % "{publish: dist}", [(f"{URL}/", None, "dist")]),
        (JOB % "{publish: $FOLDER}" + "\nvariables: {FOLDER: dist}", [(f"{URL}/", None, "dist")]),
        ("pages: {script: a, publish: dist}", [(f"{URL}/", None, "dist")]),
        (JOB % "{path_prefix: Docs/$CI_COMMIT_BRANCH-1.2_}", [(f"{URL}/docs-main-1.2", "docs-main-1.2", None)]),
        (JOB % "{path_prefix: ''}", [(f"{URL}/", None, None)]),
    ],
    ids=["name", "no", "other-job", "keyword", "publish", "variable", "publish-of-job", "prefix", "empty-prefix"],
)
def test_a_job_about_pages_deploys_them(run: Any, job: str, expected: list[Any]) -> None:
    """A job deploys pages by its name or its keyword, from a folder and below a prefix."""
    fake, pipeline = run(job, {"public/index.html": "a", "dist/index.html": "b"})

    assert expected == list_deployments(fake)
    assert (("success", None) if expected else ()) == read_status(fake, pipeline)


def test_a_deployment_replaces_the_one_with_its_prefix(run: Any) -> None:
    """Deployments with different prefixes are there at the same time."""
    fake, _ = run("pages: {script: a}\n" + JOB % "{path_prefix: docs}")
    fake.clock.advance("1h")
    run_again(fake)

    assert [(f"{URL}/", None, None), (f"{URL}/docs", "docs", None)] == sorted(list_deployments(fake))


def test_pages_without_a_domain_of_their_own_have_prefixes_after_the_project(run: Any) -> None:
    """The prefix follows the path of the project."""
    fake, _ = run(JOB % "{path_prefix: docs}", pages_unique_domain_enabled=False)

    assert [("http://acme.pages.localhost/site/docs", "docs", None)] == list_deployments(fake)


def test_an_archive_without_the_folder_deploys_nothing(run: Any) -> None:
    """The status of the deployment says what is missing, and the pipeline fails."""
    fake, pipeline = run("pages: {script: a}", {"other/index.html": "a"})
    expected = (
        "Error: You need to either include a `public/` folder in your artifacts, or specify which one to use for "
        "Pages using `publish` in `.gitlab-ci.yml`"
    )

    assert [] == list_deployments(fake)
    assert ("failed", expected) == read_status(fake, pipeline)
    assert "failed" == fake.as_user("root").get(f"projects/acme%2Fsite/pipelines/{pipeline}").json()["status"]


def test_a_job_without_archive_or_a_project_without_pages_deploys_nothing(run: Any) -> None:
    """Neither makes a deployment or a status about one."""
    without_files, first = run("pages: {script: a}", {})
    disabled, second = run("pages: {script: a}", pages_access_level="disabled")

    assert [] == list_deployments(without_files)
    assert () == read_status(without_files, first)
    assert () == read_status(disabled, second)


@pytest.mark.parametrize(
    ("options", "hours", "expected"),
    [
        ("{path_prefix: docs}", 23, 1),
        ("{path_prefix: docs}", 25, 0),
        ("{path_prefix: docs, expire_in: 1 week}", 25, 1),
        ("{path_prefix: docs, expire_in: never}", 1000, 1),
        ("{expire_in: 2 hours}", 3, 0),
        ("true", 1000, 1),
    ],
    ids=["a-day", "after-a-day", "own-time", "never", "main", "main-never"],
)
def test_deployments_with_prefixes_end_after_a_day(run: Any, options: str, hours: int, expected: int) -> None:
    """A deployment ends after its own time; those with a prefix after a day otherwise."""
    fake, _ = run(JOB % options)
    fake.clock.advance(f"{hours}h")

    assert expected == len(list_deployments(fake))


def test_the_settings_say_when_deployments_with_prefixes_end(run: Any) -> None:
    """With zero seconds, deployments with prefixes do not end."""
    fake, _ = run("other: {script: a}\n" + JOB % "{path_prefix: docs}")
    fake.as_user("root").put("application/settings", json={"pages_extra_deployments_default_expiry_seconds": 0})
    run_again(fake)
    fake.clock.advance("1000h")

    assert 1 == len(list_deployments(fake))


def test_unpublishing_ends_all_deployments(run: Any) -> None:
    """Removing the pages of a project removes its deployments."""
    fake, _ = run("pages: {script: a}")
    assert 204 == fake.as_user("root").delete(PAGES).status

    assert [] == list_deployments(fake)


def test_a_closed_merge_request_ends_its_deployments(run: Any) -> None:
    """Deployments with prefixes of a request's pipelines end with the request; the others stay."""
    rules = "rules: [{if: $CI_MERGE_REQUEST_IID}]"
    fake, _ = run(
        "pages: {script: a, except: [merge_requests]}\n"
        f"preview: {{script: a, {rules}, pages: {{path_prefix: mr-$CI_MERGE_REQUEST_IID}}}}"
    )
    mia = fake.as_user("mia")
    files = {"branch": "topic", "content": "x", "commit_message": "x", "start_branch": "main"}
    assert 201 == mia.post("projects/acme%2Fsite/repository/files/x", json=files).status
    request = {"source_branch": "topic", "target_branch": "main", "title": "x"}
    iid = mia.post("projects/acme%2Fsite/merge_requests", json=request).json()["iid"]
    fake.settle()
    prefixes = [prefix for _, prefix, _ in list_deployments(fake)]
    mia.put(f"projects/acme%2Fsite/merge_requests/{iid}", json={"state_event": "close"})

    assert {None, f"mr-{iid}"} == set(prefixes)
    assert [None] == [prefix for _, prefix, _ in list_deployments(fake)]


@by_release(PAGES_URLS_HAVE_PREFIXES, "expected", {"17.8": URL, "17.9": f"{URL}/docs"})
def test_the_url_of_pages_has_the_prefix_of_the_job(run: Any, expected: str) -> None:
    """The variable with the URL of the pages has the job's prefix since 17.9."""
    environment = "environment: {name: docs, url: $CI_PAGES_URL}"
    fake, _ = run(f"deploy: {{script: a, {environment}, pages: {{path_prefix: docs}}}}")
    environments = fake.as_user("root").get("projects/acme%2Fsite/environments").json()

    assert [expected] == [each["external_url"] for each in environments if each["name"] == "docs"]


@by_release(PAGES_ARE_DEPLOYED, "expected", {"16.7": False, "16.8": True})
def test_earlier_releases_show_no_deployments(run: Any, expected: bool) -> None:
    """Where no operation shows deployments, pipelines have no status of them."""
    fake, pipeline = run("pages: {script: a}")

    assert expected == bool(read_status(fake, pipeline))
