"""Cleanup policies of packages, and the dependency proxy of packages of a project.

Source: docs/platform/graphql.md, app/services/packages/cleanup of the platform.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.graphql.queries import (
    NOT_AVAILABLE,
    list_messages,
    query_data,
    query_project,
    query_refused,
    write_mutation,
)

FILES = [{"file_name": name, "content": text} for name, text in (("a", "1"), ("a", "2"), ("b", "3"), ("a", "4"))]
CONAN_FILES = [
    {"file_name": "conaninfo.txt", "content": str(number), "conan_package_reference": reference}
    for number, reference in enumerate(("p1", "p1", "p2"))
]
PACKAGES = [
    {"name": "app", "package_type": "generic", "version": "1.0.0", "files": FILES},
    {"name": "fmt", "package_type": "conan", "version": "1.0", "files": CONAN_FILES},
]
SITE = {"path_with_namespace": "acme/site", "packages": PACKAGES}
pytestmark = pytest.mark.fakeplat(
    version="latest", scenario={"extends": "starter", "instance": {"tier": "premium"}, "projects": [SITE]}
)
POLICY = "packagesCleanupPolicy { keepNDuplicatedPackageFiles nextRunAt }"
UPDATE = write_mutation("updatePackagesCleanupPolicy", POLICY)


def update_policy(fake: Fakeplat, keep: str | None, by: str = "mia") -> Any:
    given = {"keepNDuplicatedPackageFiles": keep} if keep else {}
    return query_data(fake, by, UPDATE, input={"projectPath": "acme/site", **given})["updatePackagesCleanupPolicy"]


def list_contents(fake: Fakeplat) -> list[str]:
    return [file.content.decode() for file in fake.bench.platform.view.package_files.all()]


def test_a_project_keeps_all_files_at_first(fakeplat: Fakeplat) -> None:
    """Before its first change a policy keeps all files and has no next run; only who deletes packages sees it."""
    policy = query_project(fakeplat, "mia", POLICY)["packagesCleanupPolicy"]

    assert {"keepNDuplicatedPackageFiles": "ALL_PACKAGE_FILES", "nextRunAt": None} == policy
    assert query_project(fakeplat, "dev", POLICY)["packagesCleanupPolicy"] is None


def test_a_policy_keeps_the_newest_files(fakeplat: Fakeplat) -> None:
    """After twelve hours only the newest file of a name is left; files of Conan count for each binary package."""
    changed = update_policy(fakeplat, "ONE_PACKAGE_FILE")
    fakeplat.clock.advance("11h")
    before = list_contents(fakeplat)
    fakeplat.clock.advance("2h")

    assert "ONE_PACKAGE_FILE" == changed["packagesCleanupPolicy"]["keepNDuplicatedPackageFiles"]
    assert ["1", "2", "3", "4", "0", "1", "2"] == before
    assert ["3", "4", "1", "2"] == list_contents(fakeplat)


def test_a_run_starts_the_next_period(fakeplat: Fakeplat) -> None:
    """A run sets the time of the next one, which cleans up what was added meanwhile."""
    first = update_policy(fakeplat, "ONE_PACKAGE_FILE")["packagesCleanupPolicy"]["nextRunAt"]
    fakeplat.clock.advance("13h")
    second = query_project(fakeplat, "mia", POLICY)["packagesCleanupPolicy"]["nextRunAt"]
    fakeplat.load(
        {"projects": [{"path_with_namespace": "acme/site", "packages": [{**PACKAGES[0], "files": FILES[:1]}]}]}
    )
    fakeplat.clock.advance("13h")

    assert first < second
    assert ["3", "1", "2", "1"] == list_contents(fakeplat)


def test_a_policy_that_keeps_all_files_deletes_none(fakeplat: Fakeplat) -> None:
    """A policy that was switched to all files has a next run, which deletes nothing."""
    update_policy(fakeplat, "TEN_PACKAGE_FILES")
    policy = update_policy(fakeplat, "ALL_PACKAGE_FILES")["packagesCleanupPolicy"]
    fakeplat.clock.advance("25h")

    assert policy["nextRunAt"] is not None
    assert 7 == len(list_contents(fakeplat))


def test_a_project_without_packages_waits(fakeplat: Fakeplat) -> None:
    """A policy of a project without packages does not run, so that the time of its next run passes."""
    fakeplat.load({"projects": [{"path_with_namespace": "acme/empty", "packages_cleanup_keep": "1"}]})
    query = {"projectPath": "acme/empty"}
    due = query_data(fakeplat, "root", UPDATE, input=query)["updatePackagesCleanupPolicy"]["packagesCleanupPolicy"]
    fakeplat.clock.advance("30h")

    assert due == query_project(fakeplat, "root", POLICY, "acme/empty")["packagesCleanupPolicy"]


def test_developers_do_not_change_the_policy(fakeplat: Fakeplat) -> None:
    """Who may not delete packages does not change the policy."""
    content = query_refused(fakeplat, "dev", UPDATE, input={"projectPath": "acme/site"})
    assert [NOT_AVAILABLE] == list_messages(content)


# The dependency proxy of packages

SETTING = "dependencyProxyPackagesSetting { enabled mavenExternalRegistryUrl mavenExternalRegistryUsername }"
CHANGE = write_mutation("updateDependencyProxyPackagesSettings", SETTING)
URL = "https://repo.example.test/maven"


def change_setting(fake: Fakeplat, by: str = "mia", **changes: Any) -> Any:
    content = query_data(fake, by, CHANGE, input={"projectPath": "acme/site", **changes})
    return content["updateDependencyProxyPackagesSettings"]


def show_setting(fake: Fakeplat) -> Any:
    return query_project(fake, "mia", SETTING)["dependencyProxyPackagesSetting"]


def test_the_proxy_of_packages_is_changed(fakeplat: Fakeplat) -> None:
    """A Maintainer switches the proxy on, with an address and credentials; blank ones are none."""
    change_setting(
        fakeplat,
        enabled=True,
        mavenExternalRegistryUrl=URL,
        mavenExternalRegistryUsername="mia",
        mavenExternalRegistryPassword="secret",
    )
    first = show_setting(fakeplat)
    change_setting(fakeplat, mavenExternalRegistryUsername="", mavenExternalRegistryPassword="")

    expected = {"enabled": True, "mavenExternalRegistryUrl": URL}
    assert {**expected, "mavenExternalRegistryUsername": "mia"} == first
    assert {**expected, "mavenExternalRegistryUsername": None} == show_setting(fakeplat)


def test_another_address_ends_the_credentials(fakeplat: Fakeplat) -> None:
    """A new address removes the credentials, unless both of them are new as well."""
    change_setting(
        fakeplat,
        mavenExternalRegistryUrl=URL,
        mavenExternalRegistryUsername="mia",
        mavenExternalRegistryPassword="secret",
    )
    change_setting(fakeplat, mavenExternalRegistryUrl=f"{URL}/2")

    assert show_setting(fakeplat)["mavenExternalRegistryUsername"] is None


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"enabled": True},
            'At least one field of ["maven_external_registry_url", "npm_external_registry_url"] must be present',
        ),
        (
            {"mavenExternalRegistryUrl": URL, "mavenExternalRegistryUsername": "mia"},
            "Maven external registry password can't be blank",
        ),
        (
            {"mavenExternalRegistryUrl": "ftp://repo.example.test"},
            "Maven external registry url is blocked: Only allowed schemes are http, https",
        ),
    ],
    ids=["nothing", "no password", "scheme"],
)
def test_an_invalid_setting_is_refused(fakeplat: Fakeplat, changes: dict[str, Any], message: str) -> None:
    """A setting needs an address, which a client can reach, and either both credentials or none."""
    before = show_setting(fakeplat)
    assert [message] == change_setting(fakeplat, **changes)["errors"]
    assert before == show_setting(fakeplat)


@pytest.mark.parametrize("user", ["dev", "gus"])
def test_maintainers_change_the_proxy(fakeplat: Fakeplat, user: str) -> None:
    """Who does not administer the project does not change its proxy."""
    content = query_refused(fakeplat, user, CHANGE, input={"projectPath": "acme/site", "enabled": True})
    assert [NOT_AVAILABLE] == list_messages(content)
