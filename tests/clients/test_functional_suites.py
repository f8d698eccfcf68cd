"""The functional tests of a client, which its authors run against servers in containers, run against fakeplat."""

import os
import subprocess
import xml.etree.ElementTree as ET
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import orjson
import pytest

from tests.clients.environments import MINUTE, SUITES, PythonClient
from tests.clients.server import serving


def build_client(version: str) -> PythonClient:
    """Return a release of python-gitlab with its source distribution, in which its tests are."""
    plugins = ("pytest-console-scripts==1.4.1", "responses>=0.26")
    if version == "8.6.0":
        return PythonClient("python-gitlab", version, extras="[graphql]", plugins=plugins, with_source=True)
    # Suites of earlier releases have a hook with an argument that pytest removed.
    return PythonClient("python-gitlab", version, plugins=(*plugins, "pytest<9", "PyYAML>=6"), with_source=True)


# Nobody takes the jobs: the suite registers a runner where it needs one.
SCENARIO = {"extends": "empty", "job_outcomes": [{"outcome": "stuck"}]}
WITHOUT_PAID = "not gitlab_premium and not gitlab_ultimate"

QUEUES: Final = {"api.test_gitlab::test_sidekiq_queue_metrics": "fakeplat has one queue of background jobs"}
# The suites have no mark for what their servers, which have a paid licence, give.
UNMARKED_BEFORE: Final = {
    "api.test_boards::test_group_boards": "several boards of a group, and deleting one, are part of paid tiers",
    "api.test_issues::test_issue_weight_events": "weights are part of paid tiers",
    "api.test_wikis::test_group_wikis": "wikis of groups are part of paid tiers",
    "api.test_wikis::test_group_wiki_file_upload": "wikis of groups are part of paid tiers",
}
UNMARKED: Final = {
    **UNMARKED_BEFORE,
    "api.test_groups::test_group_protected_branches": "protected branches of groups are part of paid tiers",
    "api.test_member_roles::test_instance_member_role": "custom roles are part of paid tiers",
    "api.test_projects::test_project_pull_mirrors": "pull mirroring is part of paid tiers",
}
# The suites expect a failure of these, and they succeed.
IMPORT: Final = {
    "api.test_import_export::test_project_import_export": "fails on the server of the suite for a reason to be found",
    "api.test_import_export::test_project_remote_import": "fails on the server of the suite for a reason to be found",
    "api.test_import_export::test_project_remote_import_s3": "fails on the server of the suite, too",
}
UNEXPECTED: Final = {
    **IMPORT,
    "api.test_project_job_token_scope::test_disable_limit_access_to_this_project": (
        "a known bug of the platform keeps the limit enabled on the server of the suite"
    ),
}
FAILING: Final[dict[str, dict[str, str]]] = {
    "2.8.0 api 13.12.0 free": QUEUES,
    "3.7.0 api 14.9.2 free": QUEUES,
    "4.4.0 api 15.4.0 free": {
        **UNMARKED_BEFORE,
        "api.test_import_export::test_project_remote_import_s3": "imports from buckets begin with 15.11",
    },
    "4.5.0 api 16.11.2 free": {**UNMARKED_BEFORE, **IMPORT},
    "8.6.0 api 16.11.10 free": {
        **UNMARKED,
        **UNEXPECTED,
        "api.test_deploy_keys::test_deploy_keys": "administrators create deploy keys from 17.5 on",
        "api.test_graphql::test_query_returns_valid_response": "the field active is absent in a schema of 16.8",
        "api.test_graphql::test_async_query_returns_valid_response[asyncio]": "as above",
        "api.test_packages::test_list_project_protected_packages": "packages are protected from 17.6 on",
        "api.test_projects::test_project_pages": "settings of pages are updated from 17.0 on",
        "api.test_variables::test_hidden_group_variables": "variables are hidden from 17.4 on",
        "api.test_variables::test_hidden_project_variables": "variables are hidden from 17.4 on",
    },
    "8.6.0 api latest free": {**UNMARKED, **UNEXPECTED},
    "8.6.0 api latest ultimate": {
        **UNEXPECTED,
        "api.test_gitlab::test_geo_nodes": "fakeplat leaves out Geo",
        "api.test_groups::test_ldap_groups": "expected to fail: the server of the suite has no LDAP",
        "api.test_groups::test_group_ldap_links": "expects the refusal of a server without LDAP",
        "api.test_groups::test_group_saml_group_links": "expected to fail: the server of the suite has no SAML",
    },
    "8.6.0 cli latest free": {
        "cli.test_cli::test_invalid_auth_config[subprocess]": "asks the platform's own site on the network",
    },
}
"""What fails in a folder of the suite of a client's release, with a release of the platform and a tier, and why."""


def list_failures(report: Path) -> dict[str, str]:
    """Return the tests of a JUnit report that failed, with the message of each."""
    failures = {}
    for case in ET.parse(report).iter("testcase"):
        problem = next((child for child in case if child.tag in {"failure", "error"}), None)
        if problem is not None:
            name = f"{case.attrib['classname'].removeprefix('tests.functional.')}::{case.attrib['name']}"
            failures[name] = str(problem.get("message"))
    return failures


@pytest.mark.clients
@pytest.mark.parametrize(
    "instance", [pytest.param(name, marks=pytest.mark.xdist_group(f"functional {name}")) for name in FAILING]
)
def test_the_functional_tests_of_python_gitlab_pass(tmp_path: Path, instance: str) -> None:
    """The tests that python-gitlab runs against a real server pass, but for those that are named here."""
    release, folder, version, tier = instance.split()
    client = build_client(release)
    client.make()
    scenario, report, programs = tmp_path / "world.json", tmp_path / "report.xml", tmp_path / "bin"
    # The suite sends dates of today.
    scenario.write_bytes(
        orjson.dumps({**SCENARIO, "clock": {"start": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")}})
    )
    programs.mkdir()
    python = client.program("python")
    docker = f'#!/bin/sh\nexec {python} {SUITES / "docker_services.py"} "$@"\n'
    programs.joinpath("docker").write_text(docker, "utf-8")
    programs.joinpath("docker").chmod(0o755)
    settings = (f"instance.version={version}", f"instance.tier={tier}")
    options = ["--scenario", str(scenario), "--clock", "virtual", *(f"--set={setting}" for setting in settings)]
    marks = [] if tier == "ultimate" else ["-m", WITHOUT_PAID]
    with serving(tmp_path, *options) as ready:
        done = subprocess.run(
            [
                *(python, "-m", "pytest", "-q", "-p", "docker_services", "--script-launch-mode=subprocess"),
                *("-p", "no:cacheprovider", "--tb=short", f"--junitxml={report}", *marks, f"tests/functional/{folder}"),
            ],
            cwd=client.source,
            env={
                "PATH": os.pathsep.join([str(programs), str(python.parent), os.environ["PATH"]]),
                "PYTHONPATH": str(SUITES),
                "TMPDIR": str(tmp_path),
                "FAKEPLAT_URL": ready["url"],
            },
            capture_output=True,
            text=True,
            timeout=5 * MINUTE,
            check=False,
        )
    failures = list_failures(report)
    assert sorted(FAILING[instance]) == sorted(failures), f"{failures}\n{done.stdout}"
