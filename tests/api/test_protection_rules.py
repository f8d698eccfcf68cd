"""Rules that protect packages and images. Sources: docs/platform/packages.md, docs/platform/registry.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import MODULES_AND_CRATES_ARE_PROTECTED, PACKAGES_ARE_PROTECTED
from tests.api.company import COMPANY
from tests.api.package_files import SITE, deploy_token, list_statuses, npm_document
from tests.api.requests import FORBIDDEN, LONG_AGO, STALE, UNAUTHORIZED, Outcome, invalid, outcome, refusal
from tests.api.test_registry_tokens import list_granted, request_token
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(clock="virtual", scenario=COMPANY, version="18.11")
RULES, IMAGE_RULES = f"{SITE}/packages/protection/rules", f"{SITE}/registry/protection/repository/rules"
FILE = "packages/generic/app/1.0.0/app.txt"
NOT_FOUND: Outcome = (404, {"message": "404 Not found"})
PROTECTED: Outcome = (403, {"message": "403 Forbidden - Package protected."})
NO_LEVEL = "A rule must have at least a minimum access role for push or delete."


def refused(*texts: str) -> Outcome:
    return 422, {"message": {"error": [*texts]}}


def protect(fake: Fakeplat, path: str = RULES, **body: Any) -> dict[str, Any]:
    name = "package" if path == RULES else "image"
    required = {
        "package": {"package_name_pattern": "app*", "package_type": "generic"},
        "image": {"repository_path_pattern": "acme/site/*"},
    }[name]
    reply = fake.as_user("mia").post(path, json={**required, **body})
    assert 201 == reply.status, reply.text
    return dict(reply.json())


def test_a_list_without_pages_shows_a_change(fakeplat: Fakeplat) -> None:
    """A rule that was listed before it was changed is listed with the change."""
    rule, mia = protect(fakeplat, minimum_access_level_for_push="maintainer"), fakeplat.as_user("mia")
    assert [rule] == mia.get(RULES).json()

    changed = mia.patch(f"{RULES}/{rule['id']}", json={"package_name_pattern": "lib*"}).json()
    assert [{**rule, "package_name_pattern": "lib*"}] == [changed] == mia.get(RULES).json()


@pytest.mark.parametrize("path", [RULES, IMAGE_RULES], ids=["packages", "images"])
def test_rules_are_created_changed_and_deleted(fakeplat: Fakeplat, path: str) -> None:
    """A rule is listed, changed in part, and deleted; a level is removed by null, that of images by an empty text."""
    nothing = None if path == RULES else ""
    rule = protect(fakeplat, path, minimum_access_level_for_push="maintainer")
    caller, rule_path = fakeplat.as_user("mia"), f"{path}/{rule['id']}"
    assert (None, [rule]) == (rule["minimum_access_level_for_delete"], caller.get(path).json())
    changed = caller.request("PATCH", rule_path, json={"minimum_access_level_for_delete": "owner"})
    assert (200, {**rule, "minimum_access_level_for_delete": "owner"}) == outcome(changed)
    cleared = caller.request("PATCH", rule_path, json={"minimum_access_level_for_push": nothing})
    assert (None, "owner") == (
        cleared.json()["minimum_access_level_for_push"],
        cleared.json()["minimum_access_level_for_delete"],
    )
    assert refused(NO_LEVEL) == refusal(
        fakeplat, "mia", "PATCH", rule_path, json={"minimum_access_level_for_delete": nothing}
    )
    assert STALE == refusal(fakeplat, "mia", "DELETE", rule_path, headers=LONG_AGO)
    assert 204 == caller.delete(rule_path).status
    assert [] == caller.get(path).json()
    assert NOT_FOUND == refusal(fakeplat, "mia", "DELETE", rule_path)
    assert NOT_FOUND == refusal(fakeplat, "mia", "PATCH", rule_path, json={})


MISSING = (
    "minimum_access_level_for_push, minimum_access_level_for_delete are missing, "
    "at least one parameter must be provided"
)


@pytest.mark.parametrize(
    ("path", "body", "expected"),
    [
        (RULES, {"package_type": "npm", "minimum_access_level_for_push": "owner"}, "package_name_pattern is missing"),
        (
            RULES,
            {"package_name_pattern": "x", "package_type": "ruby", "minimum_access_level_for_push": "owner"},
            "package_type does not have a valid value",
        ),
        (RULES, {"package_name_pattern": "x", "package_type": "npm"}, MISSING),
        (IMAGE_RULES, {"repository_path_pattern": "x"}, MISSING),
        (
            IMAGE_RULES,
            {"repository_path_pattern": "x", "minimum_access_level_for_push": "guest"},
            "minimum_access_level_for_push does not have a valid value",
        ),
    ],
    ids=["no pattern", "type", "no level", "no level for images", "level"],
)
def test_parameters_of_rules_are_checked(fakeplat: Fakeplat, path: str, body: dict[str, str], expected: str) -> None:
    """A rule has a pattern and at least one level."""
    assert invalid(expected) == refusal(fakeplat, "mia", "POST", path, json=body)


def test_patterns_are_unique_and_those_of_images_in_the_project(fakeplat: Fakeplat) -> None:
    """A pattern is taken once; that of images starts with the path of the project."""
    for path in (RULES, IMAGE_RULES):
        protect(fakeplat, path, minimum_access_level_for_push="owner")
    level = {"minimum_access_level_for_push": "owner"}
    package = {"package_name_pattern": "app*", "package_type": "generic", **level}
    expected = refused("Package name pattern has already been taken")
    assert expected == refusal(fakeplat, "mia", "POST", RULES, json=package)
    assert 201 == fakeplat.as_user("mia").post(RULES, json={**package, "package_type": "npm"}).status
    taken = {"repository_path_pattern": "acme/site/*", **level}
    expected = refused("Repository path pattern has already been taken")
    assert expected == refusal(fakeplat, "mia", "POST", IMAGE_RULES, json=taken)
    expected = refused("Repository path pattern should start with the project's full path")
    other = {"repository_path_pattern": "acme/docs/*", **level}
    assert expected == refusal(fakeplat, "mia", "POST", IMAGE_RULES, json=other)
    text = "Repository path pattern should be a valid container repository path with optional wildcard characters."
    odd = {"repository_path_pattern": "acme/site/Web!", **level}
    assert refused(text) == refusal(fakeplat, "mia", "POST", IMAGE_RULES, json=odd)


@pytest.mark.parametrize("path", [RULES, IMAGE_RULES], ids=["packages", "images"])
def test_rules_are_for_maintainers(fakeplat: Fakeplat, path: str) -> None:
    """Below Maintainer rules are neither read nor created."""
    assert UNAUTHORIZED == refusal(fakeplat, None, "GET", path)
    assert [FORBIDDEN] * 2 == [refusal(fakeplat, "dev", method, path, json={}) for method in ("GET",) * 2]


def test_who_may_push_a_protected_package(fakeplat: Fakeplat) -> None:
    """Below the level of a rule a package is not pushed; others of the project are."""
    protect(fakeplat, minimum_access_level_for_push="owner")
    statuses = list_statuses(fakeplat, "PUT", f"{SITE}/{FILE}", data=b"app")
    assert "401 404 404 403 403 403 403 201 201" == statuses
    assert PROTECTED == refusal(fakeplat, "mia", "PUT", f"{SITE}/{FILE}", data=b"app")
    assert 201 == fakeplat.as_user("dev").put(f"{SITE}/packages/generic/other/1.0.0/a.txt", data=b"a").status
    token = {"Deploy-Token": deploy_token(fakeplat, SITE)}
    assert PROTECTED == outcome(fakeplat.as_user(None).put(f"{SITE}/{FILE}", data=b"app", headers=token))


def test_npm_and_maven_packages_are_protected_by_name(fakeplat: Fakeplat) -> None:
    """The name of a package is what its own protocol calls it."""
    level = {"minimum_access_level_for_push": "maintainer"}
    protect(fakeplat, package_name_pattern="@acme/*", package_type="npm", **level)
    protect(fakeplat, package_name_pattern="acme/site*", package_type="maven", **level)
    document, path = npm_document("@acme/site", "1.0.0"), f"{SITE}/packages/npm/@acme%2fsite"
    expected = (403, {"message": "Package protected.", "error": "Package protected."})
    assert expected == refusal(fakeplat, "dev", "PUT", path, json=document)
    jar = f"{SITE}/packages/maven/acme/site/1.0/site-1.0.jar"
    assert PROTECTED == refusal(fakeplat, "dev", "PUT", jar, data=b"jar")
    assert [200, 200] == [
        fakeplat.as_user("mia").put(path, json=document).status,
        fakeplat.as_user("mia").put(jar, data=b"jar").status,
    ]


def test_who_may_delete_a_protected_package(fakeplat: Fakeplat) -> None:
    """Below the level of a rule neither a package nor a file of it is deleted."""
    protect(fakeplat, minimum_access_level_for_delete="owner")
    fakeplat.as_user("dev").put(f"{SITE}/{FILE}", data=b"app")
    (package,) = fakeplat.as_user("mia").get(f"{SITE}/packages").json()
    path = f"{SITE}/packages/{package['id']}"
    (file,) = fakeplat.as_user("mia").get(f"{path}/package_files").json()
    expected = (403, {"message": "403 Forbidden - Package is deletion protected."})
    for each in (path, f"{path}/package_files/{file['id']}"):
        assert expected == refusal(fakeplat, "mia", "DELETE", each)
    assert 204 == fakeplat.as_user("ada").delete(path).status


@by_release(PACKAGES_ARE_PROTECTED, "expected", {"17.5": 201, "17.6": 403})
def test_rules_hold_from_17_6_on(fakeplat: Fakeplat, expected: int) -> None:
    """Rules of a scenario protect nothing in earlier releases."""
    rule = {"package_name_pattern": "app*", "package_type": "generic", "minimum_access_level_for_push": "maintainer"}
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "package_protection_rules": [rule]}]})
    assert expected == fakeplat.as_user("dev").put(f"{SITE}/{FILE}", data=b"app").status


def test_who_may_push_to_and_delete_a_protected_image(fakeplat: Fakeplat) -> None:
    """A token for the registry has no push below the level of a rule, and the API deletes nothing below it."""
    images = {"path_with_namespace": "acme/site", "container_repositories": [{"name": "web", "tags": ["latest"]}]}
    fakeplat.load({"projects": [images]})
    levels = {"minimum_access_level_for_push": "maintainer", "minimum_access_level_for_delete": "owner"}
    protect(fakeplat, IMAGE_RULES, **levels)
    scope = "repository:acme/site/web:pull,push"
    granted = {
        name: list_granted(request_token(fakeplat, scope, auth=("x", fakeplat.token(name)))) for name in ("dev", "mia")
    }
    assert {"dev": [("acme/site/web", ["pull"])], "mia": [("acme/site/web", ["pull", "push"])]} == granted
    (image,) = fakeplat.as_user("mia").get(f"{SITE}/registry/repositories").json()
    path = f"{SITE}/registry/repositories/{image['id']}"
    assert FORBIDDEN == refusal(fakeplat, "mia", "DELETE", path)
    assert 202 == fakeplat.as_user("ada").delete(path).status


# Files and pipelines of packages


def test_a_file_of_a_package_is_downloaded_and_deleted(fakeplat: Fakeplat) -> None:
    """A file is downloaded by its id, and deleted by maintainers."""
    fakeplat.as_user("dev").put(f"{SITE}/{FILE}", data=b"app")
    (package,) = fakeplat.as_user("mia").get(f"{SITE}/packages").json()
    path = f"{SITE}/packages/{package['id']}/package_files"
    (file,) = fakeplat.as_user("mia").get(path).json()
    assert b"app" == fakeplat.as_user("rep").get(f"{path}/{file['id']}/download").content
    assert NOT_FOUND == refusal(fakeplat, "mia", "DELETE", f"{path}/1")
    assert FORBIDDEN == refusal(fakeplat, "dev", "DELETE", f"{path}/{file['id']}")
    assert 204 == fakeplat.as_user("mia").delete(f"{path}/{file['id']}").status
    assert [] == fakeplat.as_user("mia").get(path).json()


def test_the_pipelines_of_a_package_are_listed(fakeplat: Fakeplat) -> None:
    """A package that a job published has the pipeline of the job, with its user; another one has none."""
    project = {
        "path_with_namespace": "acme/site",
        "pipelines": [{"ref": "main", "sha": "a" * 40, "iid": 7, "user": "dev"}],
        "packages": [
            {"name": "app", "version": "1.0.0", "package_type": "generic", "pipeline": 7},
            {"name": "own", "version": "1.0.0", "package_type": "generic"},
        ],
    }
    fakeplat.load({"projects": [project]})
    packages = {each["name"]: each["id"] for each in fakeplat.as_user("mia").get(f"{SITE}/packages").json()}
    (pipeline,) = fakeplat.as_user("rep").get(f"{SITE}/packages/{packages['app']}/pipelines").json()
    assert (7, "dev") == (pipeline["iid"], pipeline["user"]["username"])
    assert [] == fakeplat.as_user("rep").get(f"{SITE}/packages/{packages['own']}/pipelines").json()


@pytest.mark.parametrize("name", ["minimum_access_level_for_push", "minimum_access_level_for_delete"])
def test_an_empty_level_is_none_of_packages(fakeplat: Fakeplat, name: str) -> None:
    """A rule for packages takes no empty text for a level."""
    rule = protect(fakeplat, minimum_access_level_for_push="owner", minimum_access_level_for_delete="owner")
    expected = invalid(f"{name} does not have a valid value")
    assert expected == refusal(fakeplat, "mia", "PATCH", f"{RULES}/{rule['id']}", json={name: ""})


def test_protection_is_checked_before_the_file(fakeplat: Fakeplat) -> None:
    """Of a package that is protected from being deleted, a file that does not exist is refused like any other."""
    fakeplat.as_user("dev").put(f"{SITE}/{FILE}", data=b"app")
    (package,) = fakeplat.as_user("mia").get(f"{SITE}/packages").json()
    protect(fakeplat, minimum_access_level_for_delete="owner")
    path = f"{SITE}/packages/{package['id']}/package_files/1"
    expected = (403, {"message": "403 Forbidden - Package is deletion protected."})
    assert expected == refusal(fakeplat, "mia", "DELETE", path)
    assert NOT_FOUND == refusal(fakeplat, "ada", "DELETE", path)


@pytest.mark.fakeplat(version="19.2")
def test_modules_of_terraform_are_protected_by_name_and_system(fakeplat: Fakeplat) -> None:
    """The name of a module that a rule protects includes its system."""
    protect(
        fakeplat,
        package_name_pattern="net/*",
        package_type="terraform_module",
        minimum_access_level_for_push="maintainer",
    )
    path = f"{SITE}/packages/terraform/modules"
    expected = (403, {"message": "Package protected."})
    assert expected == refusal(fakeplat, "dev", "PUT", f"{path}/net/aws/1.0.0/file", data=b"module")
    assert 201 == fakeplat.as_user("dev").put(f"{path}/web/aws/1.0.0/file", data=b"module").status
    assert 201 == fakeplat.as_user("mia").put(f"{path}/net/aws/1.0.0/file", data=b"module").status


@by_release(MODULES_AND_CRATES_ARE_PROTECTED, "status", {"19.1": 400, "19.2": 201})
@pytest.mark.parametrize("package_type", ["cargo", "terraform_module"])
def test_later_releases_protect_more_types(fakeplat: Fakeplat, package_type: str, status: int) -> None:
    """Packages of Cargo and modules of Terraform can be protected later than others."""
    rule = {"package_name_pattern": "new", "package_type": package_type, "minimum_access_level_for_push": "owner"}
    assert status == fakeplat.as_user("mia").post(RULES, json=rule).status
