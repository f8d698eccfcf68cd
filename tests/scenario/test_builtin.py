"""The built-in scenarios are what the contract says, and their generated files are fresh."""

import subprocess
import sys

import pytest

from fakeplat import scenario
from fakeplat.model.people import Level
from tests.architecture.sources import ROOT
from tests.scenario.worlds import create_platform, create_world, get_group, get_status, get_user, list_levels, project
from tools.generate import builtin_scenarios, scenario_schema

ALL_SCOPES = {"api", "read_user", "read_api", "read_repository", "write_repository", "read_registry", "write_registry"}


def test_empty_and_starter_are_built_in() -> None:
    """The scenarios `empty` and `starter` are listed without any folder."""
    assert {"empty", "starter"} <= set(scenario.list_names())


def test_empty_holds_the_administrator_and_nothing_else() -> None:
    """The only user of `empty` is root, with id 1, the name Administrator and root-token with every scope."""
    seen = create_world("empty")
    (root,) = seen.users.all()
    (token,) = seen.tokens.all()

    assert (1, "root", "Administrator", True) == (root.id, root.username, root.name, root.admin)
    assert ("root-token", ALL_SCOPES | {"sudo"}) == (token.value, set(token.scopes))
    assert 0 == len(seen.projects)
    assert ["root"] == [space.path for space in seen.namespaces.all()]


def test_starter_has_a_person_in_each_role() -> None:
    """In `starter` ada owns acme, and mia, dev, rep and gus have the four lower roles; the others are no members."""
    seen = create_world("starter")
    expected = {"ada": 50, "mia": 40, "dev": 30, "rep": 20, "gus": 10}

    assert ["root", "ada", "mia", "dev", "rep", "gus", "eve", "ext", "bob"] == [u.username for u in seen.users.all()]
    assert expected == list_levels(seen, get_group(seen, "acme"))
    assert {"ada": Level.MAINTAINER} == list_levels(seen, project(seen, "ada/notes"))
    for path in ("acme/site", "acme/docs", "acme/tools/kit"):
        assert {} == list_levels(seen, project(seen, path))


def test_starter_has_an_external_and_a_blocked_user() -> None:
    """In `starter` only ext is external, and only bob is blocked."""
    seen = create_world("starter")

    assert ["ext"] == [u.username for u in seen.users.all() if u.external]
    assert ["bob"] == [u.username for u in seen.users.all() if u.state == "blocked"]


def test_starter_has_projects_of_each_visibility() -> None:
    """In `starter` acme/site and ada/notes are private, acme/tools/kit is internal and acme/docs is public."""
    seen = create_world("starter")
    expected = {"acme/site": "private", "acme/docs": "public", "acme/tools/kit": "internal", "ada/notes": "private"}

    assert expected == {path: project(seen, path).visibility for path in expected}
    assert ["site", "docs", "kit", "notes"] == [project.path for project in seen.projects.all()]


def test_starter_people_can_sign_in() -> None:
    """Each user of `starter` has <username>-token and <username>-password; the blocked user is refused."""
    platform = create_platform("starter")

    for username in ("ada", "mia", "dev", "rep", "gus", "eve", "ext", "root"):
        assert 200 == get_status(platform, "user", f"{username}-token")
        assert f"{username}-password" == get_user(platform.view, username).password
    assert 403 == get_status(platform, "user", "bob-token")


@pytest.mark.parametrize("name", ["empty", "starter"])
def test_a_scenario_file_opens_with_what_it_is_for(name: str) -> None:
    """The first line of each shipped scenario file is a comment."""
    assert (ROOT / f"scenarios/{name}.yaml").read_text("utf-8").startswith("# ")


def test_a_builtin_name_parses_no_yaml() -> None:
    """Loading a built-in scenario reads the generated JSON and imports neither ruamel nor jsonschema."""
    code = (
        "import sys; from fakeplat import scenario; scenario.create_platform(scenario.get_scenario('starter'));"
        "print([name for name in ('ruamel.yaml', 'jsonschema', 'difflib', 'faker') if name in sys.modules])"
    )

    assert (
        "[]\n"
        == subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    )


def test_generated_files_are_fresh() -> None:
    """The shipped schema and JSON are what tools/generate.py would write now."""
    generated = [*scenario_schema(), *builtin_scenarios()]

    assert [] == [file.name for file, content in generated if file.read_bytes() != content]
