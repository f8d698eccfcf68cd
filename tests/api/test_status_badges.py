"""Badges with the status and the coverage of a ref. Source: docs/platform/pipelines-jobs.md."""

from xml.etree.ElementTree import fromstring

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.jobs import create_pipeline
from tests.api.merge_requests import commit
from tests.api.pipelines import create_pipelines, load_project
from tests.api.requests import NO_ROUTE, outcome

SVG = "{http://www.w3.org/2000/svg}"


def draw_badge(fake: Fakeplat, path: str, by: str | None = "rep") -> tuple[list[str | None], str | None, int]:
    """Return the texts of a badge of the branch ``feature``, the color of its value, and its width."""
    reply = fake.as_user(by).get(f"{fake.url}/acme/site/badges/{path}")
    assert (200, "image/svg+xml; charset=utf-8") == (reply.status, reply.headers["Content-Type"])
    assert "no-cache, no-store, max-age=0, must-revalidate" == reply.headers["Cache-Control"]
    picture = fromstring(reply.text)
    boxes = [box for box in picture.iter(f"{SVG}rect") if box.get("fill")]
    return [text.text for text in picture.iter(f"{SVG}text")], boxes[-1].get("fill"), int(picture.get("width") or 0)


@pytest.mark.parametrize(
    ("status", "text", "color"),
    [
        ("success", "passed", "#4c1"),
        ("failed", "failed", "#e05d44"),
        ("running", "running", "#dfb317"),
        ("pending", "pending", "#dfb317"),
        ("preparing", "preparing", "#a7a7a7"),
        ("canceled", "canceled", "#9f9f9f"),
        ("skipped", "skipped", "#9f9f9f"),
        ("manual", "manual", "#9f9f9f"),
    ],
)
def test_a_badge_shows_the_status_of_a_ref(fakeplat: Fakeplat, status: str, text: str, color: str) -> None:
    """A status badge shows the ref's status in its color."""
    create_pipelines(fakeplat, {"status": "success"}, {"status": status})
    assert (["pipeline", text], color, 116) == draw_badge(fakeplat, "feature/pipeline.svg")


def test_only_pipelines_of_the_newest_commit_count(fakeplat: Fakeplat) -> None:
    """A badge uses the newest commit's pipeline without children and, on request, skipped ones."""
    load_project(fakeplat, ci_config_path="none.yml")
    create_pipelines(
        fakeplat,
        {"status": "failed"},
        {"status": "skipped"},
        {"status": "success", "source": "parent_pipeline"},
        {"status": "success", "ref": "master"},
    )
    assert ["pipeline", "skipped"] == draw_badge(fakeplat, "feature/pipeline.svg")[0]
    assert ["pipeline", "failed"] == draw_badge(fakeplat, "feature/pipeline.svg?ignore_skipped=true")[0]
    commit(fakeplat, "feature")
    assert (["pipeline", "unknown"], "#9f9f9f", 116) == draw_badge(fakeplat, "feature/pipeline.svg")
    assert ["pipeline", "unknown"] == draw_badge(fakeplat, "gone/pipeline.svg")[0]


def test_a_ref_may_have_slashes(fakeplat: Fakeplat) -> None:
    """The ref of a badge may contain slashes."""
    commit(fakeplat, "team/work")
    create_pipelines(fakeplat, {"ref": "team/work", "status": "success"})
    assert ["pipeline", "passed"] == draw_badge(fakeplat, "team/work/pipeline.svg")[0]


@pytest.mark.parametrize(
    ("coverage", "color"),
    [(100.0, "#4c1"), (95.0, "#4c1"), (94.99, "#a3c51c"), (90.0, "#a3c51c"), (75.0, "#dfb317"), (0.0, "#e05d44")],
)
def test_a_badge_shows_the_coverage_of_a_ref(fakeplat: Fakeplat, coverage: float, color: str) -> None:
    """A coverage badge shows two digits in the color of their range."""
    create_pipeline(fakeplat, {"name": "a", "status": "success", "coverage": coverage})
    create_pipeline(fakeplat, {"name": "a", "status": "failed", "coverage": 1.0})
    assert (["coverage", f"{coverage:.2f}%"], color, 116) == draw_badge(fakeplat, "feature/coverage.svg")


def test_the_coverage_of_a_job_is_shown_on_request(fakeplat: Fakeplat) -> None:
    """The coverage of a job is shown on request, else unknown."""
    assert (["coverage", "unknown"], "#9f9f9f", 120) == draw_badge(fakeplat, "feature/coverage.svg")
    create_pipeline(
        fakeplat,
        {"name": "a", "status": "success", "coverage": 40.0},
        {"name": "b", "status": "success", "coverage": 60.0},
    )
    assert ["coverage", "50.00%"] == draw_badge(fakeplat, "feature/coverage.svg")[0]
    assert ["coverage", "60.00%"] == draw_badge(fakeplat, "feature/coverage.svg?job=b")[0]
    assert ["coverage", "unknown"] == draw_badge(fakeplat, "feature/coverage.svg?job=c")[0]


@pytest.mark.parametrize(
    ("query", "key", "width"),
    [
        ("key_text=a%20%3C%20b&key_width=100", "a < b", 154),
        ("key_width=513", "pipeline", 116),
        ("key_width=0", "pipeline", 116),
        (f"key_text={'x' * 65}", "pipeline", 116),
        (f"key_text={'x' * 64}&key_width=512", "x" * 64, 566),
    ],
)
def test_the_key_of_a_badge_can_be_chosen(fakeplat: Fakeplat, query: str, key: str, width: int) -> None:
    """The key of a badge has up to 64 characters and 512 pixels."""
    assert ([key, "unknown"], width) == draw_badge(fakeplat, f"feature/pipeline.svg?{query}")[::2]


@pytest.mark.parametrize(("style", "radius"), [("flat", "3"), ("flat-square", "0"), ("round", "3")])
def test_a_badge_has_two_styles(fakeplat: Fakeplat, style: str, radius: str) -> None:
    """A badge has two styles, and any other word means the default one."""
    reply = fakeplat.as_user("rep").get(f"{fakeplat.url}/acme/site/badges/feature/pipeline.svg?style={style}")
    assert f'rx="{radius}"' in reply.text


@pytest.mark.parametrize("name", ["pipeline", "coverage"])
def test_badges_are_for_those_who_read_jobs(fakeplat: Fakeplat, name: str) -> None:
    """Badges are shown to those who read jobs, and answer 404 to others."""
    path = f"feature/{name}.svg"
    url = f"{fakeplat.url}/acme/site/badges/{path}"
    draw_badge(fakeplat, path, "gus")
    for caller in (None, "eve"):
        assert NO_ROUTE == outcome(fakeplat.as_user(caller).get(url))
    load_project(fakeplat, visibility="public")
    draw_badge(fakeplat, path, None)
    load_project(fakeplat, public_builds=False)
    assert NO_ROUTE == outcome(fakeplat.as_user("gus").get(url))
    assert NO_ROUTE == outcome(fakeplat.as_user("root").get(url.replace("acme/site", "acme/gone")))
