"""Releases in scenarios, and back."""

from typing import Any

import pytest

from fakeplat import scenario
from fakeplat.scenario import ScenarioError
from tests.scenario.answers import collect_responses, compare_values
from tests.scenario.test_schema import build_validator
from tests.scenario.worlds import create_platform, reload_export

VIEWERS = ("root", "rep")
CREATED, CHANGED = "2020-11-10T00:00:00.000Z", "2020-11-11T00:00:00.000Z"
LINK: dict[str, Any] = {
    "name": "Binary",
    "url": "https://files.example.com/a",
    "filepath": "/a",
    "link_type": "package",
    "created_at": CHANGED,
    "updated_at": CHANGED,
}
RELEASES: list[dict[str, Any]] = [
    {
        "tag_name": "v1.0",
        "name": "First",
        "description": "Notes",
        "author": "dev",
        "milestones": ["v1.0", "Winter"],
        "created_at": CREATED,
        "updated_at": CHANGED,
        "released_at": CHANGED,
        "links": [LINK],
        "evidences": [{"summary": '{"release":{"id":1}}', "created_at": CHANGED}],
    },
    {"tag_name": "gone", "sha": "a" * 40, "created_at": CREATED},
    {"tag_name": "v9", "created_at": CREATED, "released_at": "2030-01-01T00:00:00.000Z"},
]


def build_scenario(*releases: dict[str, Any]) -> dict[str, Any]:
    """The starter scenario with releases."""
    return {"extends": "starter", "projects": [{"path_with_namespace": "acme/site", "releases": [*releases]}]}


def export_releases(platform: Any) -> Any:
    (site,) = [
        project
        for project in scenario.export_world(platform)["projects"]
        if project["path_with_namespace"] == "acme/site"
    ]
    return site["releases"]


def test_releases_are_exported_as_they_were_declared() -> None:
    """Releases are exported with the keys that differ from the defaults and the commit of the tag."""
    platform = create_platform(build_scenario(*RELEASES))
    first, *others = export_releases(platform)
    assert RELEASES == [{name: value for name, value in first.items() if name != "sha"}, *others]


def test_a_world_with_releases_is_the_same_after_a_round_trip() -> None:
    """Every viewer gets the same responses about releases after a round trip."""
    platform = create_platform(build_scenario(*RELEASES))
    before, again = (collect_responses(server, VIEWERS) for server in (platform, reload_export(platform)))
    assert [] == list(compare_values(before, again))


def test_the_schema_knows_all_keys() -> None:
    """The schema accepts all keys of releases, links and evidence."""
    assert [] == list(build_validator().iter_errors(build_scenario(*RELEASES)))


def test_evidence_of_an_upcoming_release_is_collected_after_loading() -> None:
    """Evidence of an upcoming release is collected at its date; a past release keeps the declared evidence."""
    platform = reload_export(create_platform(build_scenario(*RELEASES)))
    platform.advance_to(1_893_456_000_000)
    assert [("v1.0", CHANGED), ("v9", "2030-01-01T00:00:00.000Z")] == [
        (platform.view.releases[row.release_id].tag_name, row.collected_at) for row in platform.view.evidences.all()
    ]


def test_a_release_is_replaced_by_a_later_fragment() -> None:
    """A later fragment replaces a release with the same tag and deletes its links."""
    platform = create_platform(build_scenario(RELEASES[0]))
    scenario.load(platform, {"projects": [{"path_with_namespace": "acme/site", "releases": ["v1.0"]}]})
    (release,) = platform.view.releases.all()
    assert ("v1.0", []) == (release.name, [*platform.view.release_links.all()])


@pytest.mark.parametrize(
    ("release", "text"),
    [
        ({"tag_name": "v1.0", "milestones": ["v1.2"]}, "unknown milestone 'v1.2', did you mean 'v1.1'"),
        ({"tag_name": "v1.0", "author": "devv"}, "unknown user 'devv'"),
        ({"name": "x"}, "tag_name"),
    ],
    ids=["milestone", "author", "tag"],
)
def test_mistakes_are_reported(release: dict[str, Any], text: str) -> None:
    """A mistake in a release is refused, with the nearest milestone if one is close."""
    with pytest.raises(ScenarioError, match=text):
        create_platform(build_scenario(release))
