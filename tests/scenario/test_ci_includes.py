"""Files outside the instance in scenarios, and back."""

from fakeplat import scenario
from tests.scenario.test_schema import build_validator
from tests.scenario.worlds import create_platform, reload_export

TEXTS = {"https://example.com/ci.yml": "a: {script: x}\n", "template:Nodejs.gitlab-ci.yml": "b: {script: x}\n"}
LISTED = [{"location": location, "content": content} for location, content in TEXTS.items()]


def test_files_outside_are_a_map_or_a_list() -> None:
    """`ci_includes` is a map or a list of locations and contents; a later entry replaces a content."""
    for source in ({"ci_includes": TEXTS}, {"ci_includes": LISTED}):
        build_validator().validate(source)
        rows = create_platform(source).view.ci_includes.all()
        assert TEXTS == {row.location: row.content for row in rows}
        assert 9_310_001 == rows[0].id


def test_files_outside_are_exported() -> None:
    """Included CI files from outside the world are the same after a round trip."""
    platform = create_platform({"ci_includes": TEXTS})
    again = reload_export(platform)

    assert TEXTS == scenario.export_world(platform)["ci_includes"]
    assert list(platform.view.ci_includes.all()) == list(again.view.ci_includes.all())
