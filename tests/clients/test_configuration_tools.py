"""Tools that keep an instance as a file describes it: what one run applied, the next one finds, and changes nothing."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from fakeplat.domain.ci.runners import instance_registration_token
from fakeplat.harness.fake import Fakeplat
from tests.clients.documented import environment, settings
from tests.clients.environments import PythonClient
from tests.clients.tools import Tool

pytestmark = pytest.mark.clients

PAGE = "configuration"
CONFIGURATIONS = Path(__file__).parent / "configurations"
GITLABFORM = PythonClient("gitlabform", "3.16.5")
GITLABFORM_OF_TODAY = PythonClient("gitlabform", "6.3.0", python="3.12")
# Later releases of pygit2 lack a name that this release of gitlabracadabra imports.
GITLABRACADABRA = PythonClient("gitlabracadabra", "2.8.1", plugins=("pygit2<1.19",))
# The distribution `ansible` has a hundred collections; one of them is taken out of it.
ANSIBLE = PythonClient(
    "ansible-core",
    "2.19.14",
    plugins=("python-gitlab==8.6.0",),
    extracts=(("ansible==12.3.0", "ansible_collections/community/general/"),),
)


def run_twice(fakeplat: Fakeplat, run: Callable[[], str]) -> tuple[str, str, set[str | None]]:
    """Run a tool twice; return what both runs printed, and the writing operations of the second one.

    The second run must leave the world as it is.
    """
    with fakeplat.changes() as first:
        output = run()
    assert first.created
    number = len(fakeplat.requests)
    with fakeplat.changes() as second:
        again = run()
    assert ({}, {}, {}) == (second.changed, second.created, second.deleted)
    return output, again, {request.operation for request in list(fakeplat.requests)[number:] if request.method != "GET"}


def find_configuration(name: str) -> Path:
    return CONFIGURATIONS / name


@pytest.mark.fakeplat(tier="premium", version="latest")
def test_gitlabform_finds_what_it_applied(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """gitlabform applies its configuration to three projects and changes nothing in a second run."""
    tool = Tool(GITLABFORM, tmp_path)
    arguments = ("--verbose", "-c", find_configuration("gitlabform.yml"), "ALL_DEFINED")
    server = environment(fakeplat, PAGE, "environment of gitlabform")

    first, second, writes = run_twice(fakeplat, lambda: tool.run("gitlabform", *arguments, environment=server))

    assert "Editing project_settings in acme/site" in first
    for kind in ("key of variables", "coverage of badges", "lead of merge_requests_approval_rules"):
        assert f" * Adding {kind} in acme/site" in first
        assert f" * {kind} in acme/site doesn't need an update." in second
    assert not re.search(r"^\W*(Adding|Editing|Setting|Updating) ", second, re.MULTILINE)
    assert set() == writes
    site = fakeplat.as_user("ada").get("projects/acme%2Fsite").json()
    assert ("ff", "internal", 1800) == (site["merge_method"], site["visibility"], site["build_timeout"])
    assert fakeplat.as_user("root").get("application/settings").json()["domain_allowlist"] == ["example.test"]


@pytest.mark.fakeplat(tier="premium", version="latest")
def test_todays_gitlabform_finds_what_it_applied(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """Today's gitlabform applies hooks and job token scopes, too, and changes nothing in a second run."""
    tool = Tool(GITLABFORM_OF_TODAY, tmp_path)
    arguments = ("--verbose", "-c", find_configuration("gitlabform-6.yml"), "ALL_DEFINED")
    server = environment(fakeplat, PAGE, "environment of gitlabform")

    _, second, writes = run_twice(fakeplat, lambda: tool.run("gitlabform", *arguments, environment=server))

    assert "failed" not in second
    assert set() == writes
    ada = fakeplat.as_user("ada")
    (hook,) = ada.get("projects/acme%2Fsite/hooks").json()
    assert ("Listener", True, False) == (hook["name"], hook["emoji_events"], hook["push_events"])
    allowed = ada.get("projects/acme%2Fsite/job_token_scope/groups_allowlist").json()
    assert ["tools"] == [group["name"].lower() for group in allowed]
    assert [40] == [
        access["access_level"]
        for access in ada.get("projects/acme%2Fsite/protected_branches/main").json()["push_access_levels"]
    ]


def test_gitlabracadabra_finds_what_it_applied(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """gitlabracadabra applies its configuration and changes nothing in a second run."""
    tool = Tool(GITLABRACADABRA, tmp_path)
    (tmp_path / "python-gitlab.cfg").write_text(settings(fakeplat, PAGE, "python-gitlab.cfg"), "utf-8")
    strictly = ("--verbose", "--fail-on-errors", "--fail-on-warnings", "-c", "python-gitlab.cfg")
    arguments = (*strictly, find_configuration("gitlabracadabra.yml"))

    first, second, writes = run_twice(fakeplat, lambda: tool.run("gitlabracadabra", *arguments))

    assert "[application_settings] Changing param domain_blacklist_enabled: False -> True" in first
    assert "[newbie] Creating user" in first
    assert "[works/app] Changing protected tag v* access level" in first
    assert "" == second
    assert set() == writes


# The modules compare fields of CI variables that 13.5 does not have. From 18.10 on labels have a field that the module
# of labels does not know, so it writes them in each run.
@pytest.mark.fakeplat(version="18.9")
def test_ansible_finds_what_it_applied(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """A playbook with fifteen modules of community.general changes nothing in a second run."""
    tool = Tool(ANSIBLE, tmp_path)
    registration = instance_registration_token(fakeplat.bench.platform.view)
    server = environment(fakeplat, PAGE, "variables of the playbook") | {"registration_token": registration}
    facts = " ".join(f"{name}={value}" for name, value in server.items())
    arguments = ("-i", "localhost,", "-e", facts, find_configuration("playbook.yml"))
    variables = {
        "ANSIBLE_COLLECTIONS_PATH": str(ANSIBLE.folder),
        "ANSIBLE_PYTHON_INTERPRETER": str(ANSIBLE.program("python")),
        "ANSIBLE_NOCOLOR": "1",
    }

    first, second, writes = run_twice(fakeplat, lambda: tool.run("ansible-playbook", *arguments, environment=variables))

    assert "ok=15   changed=15 " in first
    assert "ok=15   changed=0 " in second
    assert {"update_user"} == writes  # the module cannot see whether a link for a new password was sent
    app = fakeplat.as_user("root").get("projects/works%2Fapp").json()
    assert ("ff", 5) == (app["merge_method"], app["container_expiration_policy"]["keep_n"])
    (runner,) = fakeplat.as_user("root").get("runners/all").json()
    assert "builder" == runner["description"]
