"""Packages with their files, their deletion and protection, and results of tests by GraphQL.

Source: docs/platform/graphql.md, docs/platform/packages.md, app/graphql/mutations/packages of the platform.
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

PACKAGES = [
    {
        "name": "app",
        "package_type": "generic",
        "version": "1.0.0",
        "files": [{"file_name": "app.txt", "content": "hello"}],
    },
    {"name": "app", "package_type": "generic", "version": "2.0.0"},
    {"name": "Kit", "package_type": "npm", "version": "1.0.0"},
]
SITE = {"path_with_namespace": "acme/site", "packages": PACKAGES}
pytestmark = pytest.mark.fakeplat(version="latest", scenario={"extends": "starter", "projects": [SITE]})


def list_names(fake: Fakeplat, arguments: str = "", by: str = "rep") -> list[str]:
    nodes = query_project(fake, by, f"packages{arguments} {{ nodes {{ name version }} }}")["packages"]["nodes"]
    return [f"{node['name']} {node['version']}" for node in nodes]


def find_id(fake: Fakeplat, name: str, version: str) -> str:
    packages = fake.as_user("mia").get(f"projects/acme%2Fsite/packages?package_name={name}").json()
    return f"gid://gitlab/Packages::Package/{next(row['id'] for row in packages if row['version'] == version)}"


def find_package(fake: Fakeplat, id_: str, selection: str, by: str = "rep") -> Any:
    query = f"query($id: PackagesPackageID!) {{ package(id: $id) {{ {selection} }} }}"
    return query_data(fake, by, query, id=id_)["package"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("", ["Kit 1.0.0", "app 2.0.0", "app 1.0.0"]),
        ("(sort: NAME_ASC)", ["Kit 1.0.0", "app 1.0.0", "app 2.0.0"]),
        ("(packageType: NPM)", ["Kit 1.0.0"]),
        ('(packageName: "kit")', ["Kit 1.0.0"]),
        ('(packageVersion: "2.0.0")', ["app 2.0.0"]),
        ("(status: HIDDEN)", []),
    ],
    ids=["default", "name", "type", "text", "version", "status"],
)
def test_packages_are_filtered_and_sorted(fakeplat: Fakeplat, arguments: str, expected: list[str]) -> None:
    """Packages are filtered by type, name, version and status; the newest comes first by default."""
    assert expected == list_names(fakeplat, arguments)


def test_a_package_shows_its_files_and_versions(fakeplat: Fakeplat) -> None:
    """A package shows its files, its other versions, its page and what the caller may do."""
    id_ = find_id(fakeplat, "app", "1.0.0")
    package = find_package(
        fakeplat,
        id_,
        """id status protectionRuleExists publicPackage _links { webPath } userPermissions { destroyPackage }
        packageFiles { nodes { fileName size fileSha256 downloadPath } } versions { nodes { version } }
        tags { nodes { name } } pipelines { nodes { id } } project { fullPath } lastDownloadedAt""",
    )
    (file,) = package.pop("packageFiles")["nodes"]
    number = id_.rpartition("/")[2]

    assert {
        "id": id_,
        "status": "DEFAULT",
        "protectionRuleExists": False,
        "publicPackage": False,
        "_links": {"webPath": f"/acme/site/-/packages/{number}"},
        "userPermissions": {"destroyPackage": False},
        "versions": {"nodes": [{"version": "2.0.0"}]},
        "tags": {"nodes": []},
        "pipelines": {"nodes": []},
        "project": {"fullPath": "acme/site"},
        "lastDownloadedAt": None,
    } == package
    assert ("app.txt", "5") == (file["fileName"], file["size"])
    assert file["downloadPath"].startswith("/acme/site/-/package_files/")


def test_a_package_shows_the_addresses_of_registries(fakeplat: Fakeplat) -> None:
    """The address for pip has a place for a token, as the project is not public."""
    project = fakeplat.as_user("mia").get("projects/acme%2Fsite").json()
    api, host = f"{fakeplat.url}/api/v4", fakeplat.url.partition("://")[2]
    group_id = project["namespace"]["id"]
    fields = "npmUrl mavenUrl nugetUrl conanUrl pypiUrl pypiSetupUrl composerUrl composerConfigRepositoryUrl"
    base = f"{api}/projects/{project['id']}/packages"

    assert {
        "npmUrl": f"{base}/npm",
        "mavenUrl": f"{base}/maven",
        "nugetUrl": f"{base}/nuget/index.json",
        "conanUrl": f"{base}/conan",
        "pypiUrl": f"{base}/pypi/simple".replace("://", "://__token__:<your_personal_token>@"),
        "pypiSetupUrl": f"{base}/pypi",
        "composerUrl": f"{api}/group/{group_id}/-/packages/composer/packages.json",
        "composerConfigRepositoryUrl": f"{host.partition(':')[0]}/{group_id}",
    } == find_package(fakeplat, find_id(fakeplat, "Kit", "1.0.0"), fields)


def test_a_package_of_a_private_project_is_hidden(fakeplat: Fakeplat) -> None:
    """Visitors find no package of a private project."""
    assert None is find_package(fakeplat, find_id(fakeplat, "app", "1.0.0"), "id", by="gus")


def test_packages_and_files_are_deleted(fakeplat: Fakeplat) -> None:
    """Maintainers delete a file of a package, a package, and several packages."""
    first, second, kit = (
        find_id(fakeplat, name, version) for name, version in (("app", "1.0.0"), ("app", "2.0.0"), ("Kit", "1.0.0"))
    )
    (file,) = find_package(fakeplat, first, "packageFiles { nodes { id } }")["packageFiles"]["nodes"]
    for name, given in (
        ("destroyPackageFiles", {"projectPath": "acme/site", "ids": [file["id"]]}),
        ("destroyPackage", {"id": first}),
        ("destroyPackages", {"ids": [second, kit]}),
    ):
        assert {name: {"errors": []}} == query_data(fakeplat, "mia", write_mutation(name, ""), input=given)
        assert (
            []
            == (find_package(fakeplat, first, "packageFiles { nodes { id } }") or {"packageFiles": {"nodes": []}})[
                "packageFiles"
            ]["nodes"]
        )

    assert [] == list_names(fakeplat)


@pytest.mark.parametrize("name", ["destroyPackage", "destroyPackages", "destroyPackageFile"])
def test_who_may_not_delete_packages_is_refused(fakeplat: Fakeplat, name: str) -> None:
    """Developers delete neither packages nor their files."""
    id_ = find_id(fakeplat, "app", "1.0.0")
    (file,) = find_package(fakeplat, id_, "packageFiles { nodes { id } }")["packageFiles"]["nodes"]
    given = {"destroyPackages": {"ids": [id_]}, "destroyPackageFile": file}.get(name, {"id": id_})
    content = query_refused(fakeplat, "dev", write_mutation(name, ""), input=given)

    assert [NOT_AVAILABLE] == list_messages(content)


def test_too_many_packages_are_refused(fakeplat: Fakeplat) -> None:
    """More than a hundred packages are not deleted at once, and files only together with their project."""
    ids = [f"gid://gitlab/Packages::Package/{number}" for number in range(1, 102)]
    many = query_refused(fakeplat, "mia", write_mutation("destroyPackages", ""), input={"ids": ids})
    given = {"projectPath": "acme/site", "ids": ["gid://gitlab/Packages::PackageFile/1"]}
    other = query_refused(fakeplat, "mia", write_mutation("destroyPackageFiles", ""), input=given)

    assert ["Cannot delete more than 100 packages"] == list_messages(many)
    assert ["All files must be in the requested project"] == list_messages(other)


RULE = (
    "packageProtectionRule { id packageNamePattern packageType minimumAccessLevelForPush minimumAccessLevelForDelete }"
)


def test_packages_are_protected(fakeplat: Fakeplat) -> None:
    """A rule keeps Maintainers from deleting packages, until it is changed and deleted."""
    create = write_mutation("createPackagesProtectionRule", RULE)
    given = {
        "projectPath": "acme/site",
        "packageNamePattern": "ap*",
        "packageType": "GENERIC",
        "minimumAccessLevelForDelete": "OWNER",
    }
    rule = query_data(fakeplat, "mia", create, input=given)["createPackagesProtectionRule"]["packageProtectionRule"]
    id_ = find_id(fakeplat, "app", "1.0.0")
    refused = query_refused(fakeplat, "mia", write_mutation("destroyPackage", ""), input={"id": id_})
    update = write_mutation("updatePackagesProtectionRule", RULE)
    changed = query_data(fakeplat, "mia", update, input={"id": rule["id"], "packageNamePattern": "x*"})
    rules = query_project(fakeplat, "mia", "packagesProtectionRules { nodes { packageNamePattern } }")
    delete = write_mutation("deletePackagesProtectionRule", RULE)

    assert ("ap*", "GENERIC", None, "OWNER") == tuple(value for key, value in rule.items() if key != "id")
    assert {"errors": ["Package is deletion protected."]} == refused["data"]["destroyPackage"]
    assert "x*" == changed["updatePackagesProtectionRule"]["packageProtectionRule"]["packageNamePattern"]
    assert [{"packageNamePattern": "x*"}] == rules["packagesProtectionRules"]["nodes"]
    assert [] == query_data(fakeplat, "mia", delete, input={"id": rule["id"]})["deletePackagesProtectionRule"]["errors"]
    assert {"nodes": []} == query_project(fakeplat, "mia", "packagesProtectionRules { nodes { id } }")[
        "packagesProtectionRules"
    ]


def test_a_rule_that_protects_from_nothing_is_refused(fakeplat: Fakeplat) -> None:
    """A rule needs a role for pushing or for deleting; Developers create none."""
    create = write_mutation("createPackagesProtectionRule", "")
    given = {"projectPath": "acme/site", "packageNamePattern": "ap*", "packageType": "GENERIC"}
    empty = query_refused(fakeplat, "mia", create, input=given)
    denied = query_refused(fakeplat, "dev", create, input={**given, "minimumAccessLevelForPush": "OWNER"})

    assert ["A rule must have at least a minimum access role for push or delete."] == (
        empty["data"]["createPackagesProtectionRule"]["errors"]
    )
    assert [NOT_AVAILABLE] == list_messages(denied)


# Results of tests

JUNIT = """<testsuite><testcase name="adds" classname="Sum" time="1.5"/>
<testcase name="fails" classname="Sum" time="0.5"><failure>No</failure></testcase></testsuite>"""
JOB = {
    "name": "unit",
    "status": "failed",
    "artifact_files": [{"file_type": "junit", "files": {"report.xml": JUNIT}}],
}
TESTED = {"path_with_namespace": "acme/site", "pipelines": [{"ref": "main", "status": "failed", "jobs": [JOB]}]}


@pytest.mark.fakeplat(version="latest", scenario={"extends": "starter", "projects": [TESTED]})
def test_a_pipeline_shows_its_test_results(fakeplat: Fakeplat) -> None:
    """A pipeline shows the numbers of its test results, and the cases of a suite."""
    iid = fakeplat.as_user("dev").get("projects/acme%2Fsite/pipelines?status=failed").json()[0]["iid"]
    summary = """testReportSummary { total { count success failed skipped error time suiteError }
        testSuites { nodes { name totalCount failedCount buildIds } } }"""
    pipeline = query_project(fakeplat, "dev", f'pipeline(iid: "{iid}") {{ {summary} }}')["pipeline"]
    (suite,) = pipeline["testReportSummary"]["testSuites"]["nodes"]
    fields = "name successCount testCases { nodes { name status systemOutput } }"
    query = f'pipeline(iid: "{iid}") {{ testSuite(buildIds: ["{suite["buildIds"][0]}"]) {{ {fields} }} }}'

    total = {"count": 2, "success": 1, "failed": 1, "skipped": 0, "error": 0, "time": 2.0, "suiteError": None}
    assert total == pipeline["testReportSummary"]["total"]
    assert ("unit", 2, 1) == (suite["name"], suite["totalCount"], suite["failedCount"])
    assert {
        "name": "unit",
        "successCount": 1,
        "testCases": {
            "nodes": [
                {"name": "fails", "status": "failed", "systemOutput": "No"},
                {"name": "adds", "status": "success", "systemOutput": None},
            ]
        },
    } == query_project(fakeplat, "dev", query)["pipeline"]["testSuite"]
