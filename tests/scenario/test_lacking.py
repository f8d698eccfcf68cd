"""`fakeplat scenario check` tells what a scenario names and the release of its world lacks."""

from pathlib import Path

import pytest

from tests.cli.commands import fakeplat

TEAM = """
settings: {domain_allowlist: [acme.example]}
topics: [{name: python}]
groups:
  - path: acme
    access_tokens: [{name: ci}]
    projects:
      - path: site
        access_tokens: [{name: ci}]
        protected_branches: [{name: master, allow_force_push: true}]
users: [{username: ada, linkedin: ada}]
"""
SETTING = "{file}:2: $.settings.domain_allowlist: domain_allowlist exists since 13.7; this world is {version}"
TOPICS = "{file}:3: $.topics: topics exists since 14.5; this world is {version}"
OF_GROUP = "{file}:6: $.groups[0].access_tokens: access_tokens exists since 14.7; this world is {version}"
OF_PROJECT = "{file}:9: $.groups[0].projects[0].access_tokens: access_tokens exists since 13.9; this world is {version}"
BRANCH = (
    "{file}:10: $.groups[0].projects[0].protected_branches[0].allow_force_push: "
    "allow_force_push exists since 13.11; this world is {version}"
)


@pytest.mark.parametrize(
    ("version", "lacking"),
    [
        ("13.5.1", [SETTING, TOPICS, OF_GROUP, OF_PROJECT, BRANCH]),
        ("13.10", [TOPICS, OF_GROUP, BRANCH]),
        ("14.6", [OF_GROUP]),
        ("14.7", []),
        ("latest", []),
    ],
)
def test_what_a_release_lacks_is_told_with_its_line(tmp_path: Path, version: str, lacking: list[str]) -> None:
    """A scenario stays valid in every release; records, keys and settings that its release lacks are told."""
    file = tmp_path / "team.yaml"
    file.write_text(TEAM, "utf-8")
    done = fakeplat("scenario", "check", file, "--set", f"instance.version={version}")
    expected = [line.format(file=file, version=version) for line in [*lacking, "{file}: fine"]]
    assert (0, expected) == (done.returncode, done.stdout.splitlines())


def test_the_release_is_that_of_the_scenario(tmp_path: Path) -> None:
    """Without an option, the version that the scenario gives decides; what ended is told like what begins later."""
    file = tmp_path / "team.yaml"
    file.write_text('instance: {version: "17.0"}\nsettings: {domain_whitelist: [acme.example]}\n', "utf-8")
    done = fakeplat("scenario", "check", file)
    message = f"{file}:2: $.settings.domain_whitelist: domain_whitelist exists until 15.4 at the latest"
    assert [f"{message}; this world is 17.0", f"{file}: fine"] == done.stdout.splitlines()


def test_an_extended_scenario_is_told_of_too(tmp_path: Path) -> None:
    """What the scenario extends is told with the file where it stands."""
    base, file = tmp_path / "base.yaml", tmp_path / "team.yaml"
    base.write_text("topics: [{name: python}]\n", "utf-8")
    file.write_text(f"extends: {base}\n", "utf-8")
    message = f"{base}:1: $.topics: topics exists since 14.5; this world is 13.5.1"
    assert [message, f"{file}: fine"] == fakeplat("scenario", "check", file).stdout.splitlines()


@pytest.mark.parametrize("version", ["17.6", "17.7"])
def test_a_value_of_a_later_release_is_told(tmp_path: Path, version: str) -> None:
    """A value that the parameter of the same name has only in later releases is told."""
    file = tmp_path / "team.yaml"
    file.write_text("member_roles: [{base_access_level: 15, name: Planner}]\n", "utf-8")
    done = fakeplat("scenario", "check", file, "--set", f"instance.version={version}")
    path, message = "$.member_roles[0].base_access_level", "base_access_level=15 exists since 17.7; this world is 17.6"
    lacking = {"17.6": [f"{file}:1: {path}: {message}"], "17.7": []}[version]
    assert [*lacking, f"{file}: fine"] == done.stdout.splitlines()


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("version=16.11", "--set version=16.11: use instance.KEY=VALUE"),
        ("instance.versoin=16.11", "instance: unknown key 'versoin'; did you mean version?"),
    ],
)
def test_a_wrong_setting_is_refused(tmp_path: Path, setting: str, message: str) -> None:
    """A setting that is none is refused with one line and status 2."""
    file = tmp_path / "team.yaml"
    file.write_text("users: [ada]\n", "utf-8")
    done = fakeplat("scenario", "check", file, "--set", setting)
    assert (2, f"fakeplat: {message}\n") == (done.returncode, done.stderr)


def test_a_document_of_a_release_refuses_a_wrong_setting() -> None:
    """`fakeplat openapi` refuses an unknown key in the words of all other commands."""
    done = fakeplat("openapi", "--set", "instance.versoin=16.11")
    message = "fakeplat: instance: unknown key 'versoin'; did you mean version?\n"
    assert (2, message) == (done.returncode, done.stderr)
