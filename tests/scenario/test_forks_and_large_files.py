"""Forks and large files come back as they were."""

from fakeplat.platform import Platform
from tests.scenario.worlds import create_platform, reload_export

LARGE = {
    "groups": [
        {
            "path": "acme",
            "projects": [
                {"path": "site", "lfs_objects": [{"content": "large"}, {"content_base64": "AAE="}]},
                {"path": "copy", "forked_from_project": "acme/site", "import_status": "scheduled"},
            ],
        }
    ]
}


def list_file_contents(of: Platform) -> list[bytes]:
    return [lfs_object.content for lfs_object in of.view.lfs_objects.all()]


def list_import_states(of: Platform) -> dict[str, str]:
    return {project.path: project.import_status for project in of.view.projects.all()}


def test_large_files_come_back() -> None:
    """LFS objects keep their content after an export and a load."""
    platform = create_platform(LARGE)
    assert [b"large", b"\x00\x01"] == list_file_contents(platform) == list_file_contents(reload_export(platform))


def test_a_fork_under_way_goes_on() -> None:
    """A fork that is still scheduled in an export finishes in the loaded world, with its parent's large files."""
    platform = reload_export(create_platform(LARGE))
    assert {"site": "none", "copy": "scheduled"} == list_import_states(platform)
    platform.settle()
    assert {"site": "none", "copy": "finished"} == list_import_states(platform)
    assert 2 * [b"large", b"\x00\x01"] == list_file_contents(platform)
