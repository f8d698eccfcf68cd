"""The NuGet registry. Source: docs/platform/packages.md."""

from hashlib import sha256
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    MAX_NUGET_VERSIONS,
    NUGET_CREDENTIALS_ARE_CHECKED,
    NUGET_ENTRIES_ARE_DESCRIBED,
    NUGET_GROUP_NEEDS_SIGHT,
    NUGET_INDEX_IS_PUBLIC,
    NUGET_PACKAGES_ARE_CREATED_AT_ONCE,
    NUGET_PUBLISHES_SYMBOLS,
    NUGET_REFUSES_DUPLICATES,
    NUGET_SYMBOLS_BELONG_TO_PROJECTS,
    NUGET_VERSIONS_ARE_NORMALIZED,
)
from tests.api.company import COMPANY
from tests.api.nuget_files import (
    GUID,
    SIGNATURE,
    archive,
    form,
    list_files,
    nupkg,
    nuspec,
    pdb,
    publish,
    snupkg,
)
from tests.api.package_files import basic, deploy_token, job_token, list_statuses, multipart, project_id
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(clock="virtual", scenario=COMPANY)
LATEST = pytest.mark.fakeplat(version="latest", clock="virtual", scenario=COMPANY)
NAME = "Acme.Tool"
CHALLENGE = 'Basic realm="Platform Packages Registry"'
DEPENDENCIES = (
    "<dependencies><dependency id='Any' version='1.0'/>"
    "<group targetFramework='.NETStandard2.0'><dependency id='Json.Net' version='[12,13)'/><dependency id='X'/></group>"
    "</dependencies>"
)
URLS = "<projectUrl>https://acme.test/p</projectUrl><licenseUrl>https://acme.test/l</licenseUrl>"


@pytest.fixture
def site(fakeplat: Fakeplat) -> int:
    """The private project."""
    return project_id(fakeplat, "projects/acme%2Fsite")


@pytest.fixture
def docs(fakeplat: Fakeplat) -> int:
    """The public project."""
    return project_id(fakeplat, "projects/acme%2Fdocs")


def get(fake: Fakeplat, path: str, user: str | None = "rep") -> Any:
    return fake.as_user(user).get(path).json()


def registry(fake: Fakeplat, project: int) -> str:
    return f"{fake.url}/api/v4/projects/{project}/packages/nuget"


def test_a_published_package_is_a_record_with_a_file(fakeplat: Fakeplat, site: int) -> None:
    """Name, version and tags come from the nuspec, the name of the file is in lower case."""
    reply = publish(fakeplat, site, nupkg(inner="<tags>tool acme tool</tags>"))
    assert (201, {"message": "201 Created"}) == (reply.status, reply.json())
    (package,) = get(fakeplat, f"projects/{site}/packages?package_type=nuget")
    assert (NAME, "1.0.0", "nuget", ["tool", "acme"]) == (
        package["name"],
        package["version"],
        package["package_type"],
        [tag["name"] for tag in package["tags"]],
    )
    assert ["acme.tool.1.0.0.nupkg"] == list_files(fakeplat, site)


@pytest.mark.parametrize(
    ("project", "read", "publishing"),
    [
        ("acme%2Fdocs", "200 200 200 200 200 200 200 200 200", "401 403 403 403 403 201 201 201 201"),
        ("acme%2Fsite", "401 404 404 403 200 200 200 200 200", "401 404 404 403 403 201 201 201 201"),
    ],
    ids=["public", "private"],
)
def test_roles(fakeplat: Fakeplat, project: str, read: str, publishing: str) -> None:
    """Reporters of a private project read its packages, everybody those of a public one; Developers publish."""
    id_ = project_id(fakeplat, f"projects/{project}")
    base = f"projects/{id_}/packages/nuget"
    assert publishing == list_statuses(fakeplat, "PUT", base, **form(nupkg()))
    publish(fakeplat, id_, nupkg())
    for path in (
        "index.json",
        f"metadata/{NAME}/index.json",
        f"metadata/{NAME}/1.0.0.json",
        "query?q=acme",
        f"download/{NAME}/index.json",
        f"download/{NAME}/1.0.0/{NAME}.1.0.0.nupkg",
    ):
        assert read == list_statuses(fakeplat, "GET", f"{base}/{path}")


def test_anonymous_callers_get_a_challenge(fakeplat: Fakeplat, site: int) -> None:
    """Callers who are not signed in get a challenge for each project, and 400 for what is no id."""
    for path, user, status, body in (
        (f"projects/{site}", None, 401, {"message": "401 Unauthorized"}),
        ("projects/1234567", None, 401, {"message": "401 Unauthorized"}),
        ("projects/1234567", "eve", 404, {"message": "404 Not Found"}),
        ("projects/acme%2Fsite", None, 400, {"error": "id is invalid"}),
        ("projects/0012", "dev", 400, {"error": "id is invalid"}),
    ):
        reply = fakeplat.as_user(user).get(f"{path}/packages/nuget/query?q=x")
        assert (status, body) == (reply.status, reply.json())
        assert (CHALLENGE if status == 401 else None) == reply.headers.get("WWW-Authenticate")


def test_each_way_to_send_a_token(fakeplat: Fakeplat, site: int) -> None:
    """A package is published with tokens of people, jobs and deployments, as a password or as an API key."""
    personal, job, deploy = fakeplat.token("dev"), job_token(fakeplat), deploy_token(fakeplat)
    headers = [
        basic("dev", personal),
        basic("gitlab-ci-token", job),
        basic("ci", deploy),
        {"X-NuGet-ApiKey": personal},
        {"X-NuGet-ApiKey": job},
        {"X-NuGet-ApiKey": deploy},
    ]
    caller = fakeplat.as_user(None)
    for number, sent in enumerate(headers):
        sent_form = form(nupkg(version=f"1.{number}.0"))
        sent_form["headers"].update(sent)
        assert 201 == caller.put(f"projects/{site}/packages/nuget", **sent_form).status
    sent_form = form(nupkg(version="2.0.0"))
    sent_form["headers"].update({"X-NuGet-ApiKey": "wrong"})
    assert 401 == caller.put(f"projects/{site}/packages/nuget", **sent_form).status
    versions = caller.get(f"projects/{site}/packages/nuget/download/{NAME}/index", headers=headers[2]).json()
    assert {"versions": [f"1.{number}.0" for number in range(6)]} == versions


@by_release(NUGET_CREDENTIALS_ARE_CHECKED, "status", {"13.5": 200, "16.2": 401})
def test_wrong_credentials_are_refused_by_later_releases(fakeplat: Fakeplat, docs: int, status: int) -> None:
    """Later releases refuse a wrong password even where nobody needs one."""
    path = f"projects/{docs}/packages/nuget/query?q=x"
    assert status == fakeplat.as_user(None).get(path, headers=basic("dev", "wrong")).status


def service(base: str, name: str, comment: str, *kinds: str) -> list[dict[str, str]]:
    return [{"@id": f"{base}/{name}".rstrip("/"), "@type": kind, "comment": comment} for kind in kinds]


def project_services(base: str) -> list[dict[str, str]]:
    search = ("SearchQueryService", "SearchQueryService/3.0.0-beta", "SearchQueryService/3.0.0-rc")
    metadata = ("RegistrationsBaseUrl", "RegistrationsBaseUrl/3.0.0-beta", "RegistrationsBaseUrl/3.0.0-rc")
    return [
        *service(base, "query", "Filter and search for packages by keyword.", *search),
        *service(base, "metadata", "Get package metadata.", *metadata),
        *service(base, "download", "Get package content (.nupkg).", "PackageBaseAddress/3.0.0"),
        *service(base, "", "Push and delete (or unlist) packages.", "PackagePublish/2.0.0"),
    ]


def test_the_service_index_names_each_service(fakeplat: Fakeplat, site: int) -> None:
    """The service index of a project says where NuGet searches, reads metadata, downloads and publishes."""
    expected = {"version": "3.0.0", "resources": project_services(registry(fakeplat, site))}
    for path in ("index", "index.json"):
        assert expected == get(fakeplat, f"projects/{site}/packages/nuget/{path}")


@LATEST
def test_later_indexes_are_public_and_name_symbols(fakeplat: Fakeplat, site: int) -> None:
    """Later service indexes need no login, and a group's has only what groups answer."""
    base = registry(fakeplat, site)
    symbols = service(base, "symbolpackage", "Push symbol packages.", "SymbolPackagePublish/4.9.0")
    index = get(fakeplat, f"projects/{site}/packages/nuget/index.json", None)
    assert [*project_services(base), *symbols] == index["resources"]
    acme = get(fakeplat, "groups/acme", "root")["id"]
    base = f"{fakeplat.url}/api/v4/groups/{acme}/-/packages/nuget"
    index = get(fakeplat, f"groups/{acme}/-/packages/nuget/index.json", None)
    assert project_services(base)[:6] == index["resources"]
    reply = fakeplat.as_user(None).get("projects/1234567/packages/nuget/index.json")
    assert (404, {"message": "404 Not Found"}) == (reply.status, reply.json())


def test_metadata_of_versions(fakeplat: Fakeplat, site: int) -> None:
    """Metadata has the dependencies by framework, and the lowest and highest version; names are found in any case."""
    publish(fakeplat, site, nupkg(version="1.10.0"))
    fakeplat.clock.advance(1)
    publish(fakeplat, site, nupkg(version="1.9.0-rc.1", inner=DEPENDENCIES + URLS + "<tags>a b</tags>"))
    base = registry(fakeplat, site)
    url = f"{base}/metadata/{NAME}/1.9.0-rc.1.json"
    content = f"{base}/download/{NAME}/1.9.0-rc.1/acme.tool.1.9.0-rc.1.nupkg"
    framework = f"{url}#dependencyGroup/.netstandard2.0"
    kind = "PackageDependency"
    groups = [
        {
            "@id": f"{url}#dependencyGroup",
            "@type": "PackageDependencyGroup",
            "dependencies": [
                {"@id": f"{url}#dependencyGroup/any", "@type": kind, "id": "Any", "range": "1.0"},
            ],
        },
        {
            "@id": framework,
            "@type": "PackageDependencyGroup",
            "targetFramework": ".NETStandard2.0",
            "dependencies": [
                {"@id": f"{framework}/json.net", "@type": kind, "id": "Json.Net", "range": "[12,13)"},
                {"@id": f"{framework}/x", "@type": kind, "id": "X", "range": ""},
            ],
        },
    ]
    entry = {
        "@id": url,
        "packageContent": content,
        "catalogEntry": {
            "@id": url,
            "authors": "",
            "dependencyGroups": groups,
            "id": NAME,
            "version": "1.9.0-rc.1",
            "tags": "a b",
            "packageContent": content,
            "summary": "",
            "projectUrl": "https://acme.test/p",
            "licenseUrl": "https://acme.test/l",
        },
    }
    for name in (NAME, "acme.tool"):
        assert entry == get(fakeplat, f"projects/{site}/packages/nuget/metadata/{name}/1.9.0-rc.1.json")
    index = get(fakeplat, f"projects/{site}/packages/nuget/metadata/acme.tool/index.json")
    (page,) = index["items"]
    assert (1, url, "1.9.0-rc.1", "1.10.0", 2) == (
        index["count"],
        page["@id"],
        page["lower"],
        page["upper"],
        page["count"],
    )
    assert entry == page["items"][0]


@LATEST
def test_later_metadata_describes_the_package(fakeplat: Fakeplat, site: int) -> None:
    """Later metadata has the authors, the description and the time of publication."""
    publish(fakeplat, site, nupkg())
    entry = get(fakeplat, f"projects/{site}/packages/nuget/metadata/{NAME}/1.0.0.json")["catalogEntry"]
    description = ("Ada, Mia", "A tool", "A tool")
    assert description == (entry["authors"], entry["description"], entry["summary"])
    (package,) = get(fakeplat, f"projects/{site}/packages")
    assert package["created_at"] == entry["published"]
    (result,) = get(fakeplat, f"projects/{site}/packages/nuget/query")["data"]
    assert description == (result["authors"], result["description"], result["summary"])


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("metadata/None/index.json", "404 Packages Not Found"),
        (f"metadata/{NAME}/9.0.0.json", "404 Package Not Found"),
        ("download/None/index", "404 Packages Not Found"),
        (f"download/{NAME}/9.0.0/{NAME}.9.0.0.nupkg", "404 Package Not Found"),
        (f"download/{NAME}/1.0.0/{NAME}.1.0.0.snupkg", "404 Package Not Found"),
    ],
)
def test_unknown_packages_are_not_found(fakeplat: Fakeplat, site: int, path: str, text: str) -> None:
    """Unknown names, versions and files are not found."""
    publish(fakeplat, site, nupkg())
    reply = fakeplat.as_user("rep").get(f"projects/{site}/packages/nuget/{path}")
    assert (404, {"message": text}) == (reply.status, reply.json())


def test_packages_are_downloaded_by_names_in_lower_case(fakeplat: Fakeplat, site: int) -> None:
    """NuGet downloads by the name and version in lower case."""
    content = nupkg(version="1.0.0-RC")
    publish(fakeplat, site, content)
    for name, version in ((NAME, "1.0.0-RC"), ("acme.tool", "1.0.0-rc")):
        path = f"projects/{site}/packages/nuget/download/{name}/{version}/{name}.{version}.nupkg"
        reply = fakeplat.as_user("rep").get(path)
        assert (200, content, "application/octet-stream") == (
            reply.status,
            reply.content,
            reply.headers["Content-Type"],
        )


@LATEST
@pytest.mark.parametrize(
    ("version", "normal"), [("1.0.0.0", "1.0.0"), ("1.2", "1.2.0"), ("1.0.0-Rc+build.5", "1.0.0-rc"), ("1.2.3.4", None)]
)
def test_later_releases_normalize_versions(fakeplat: Fakeplat, site: int, version: str, normal: str | None) -> None:
    """Later releases also find a package by the normal form of its version."""
    publish(fakeplat, site, nupkg(version=version))
    base, wanted = f"projects/{site}/packages/nuget", normal or version
    assert version == get(fakeplat, f"{base}/metadata/{NAME}/{wanted}.json")["catalogEntry"]["version"]
    assert 200 == fakeplat.as_user("rep").get(f"{base}/download/acme.tool/{wanted}/acme.tool.{wanted}.nupkg").status


def search(fake: Fakeplat, site: int, query: str) -> tuple[int, dict[str, list[str]]]:
    """Return the number of hits, and the versions by name."""
    found = get(fake, f"projects/{site}/packages/nuget/query?{query}")
    return found["totalHits"], {row["id"]: [version["version"] for version in row["versions"]] for row in found["data"]}


def test_searches(fakeplat: Fakeplat, site: int) -> None:
    """A search finds parts of names, pages by names, and leaves pre-releases out if told so."""
    for name, version in (("Acme.A", "1.0.0"), ("Acme.A", "1.10.0"), ("Acme.A", "1.9.0"), ("Acme.B", "1.0.0-rc")):
        publish(fakeplat, site, nupkg(name, version))
        fakeplat.clock.advance(1)
    publish(fakeplat, site, nupkg("Other"))
    every = {"Acme.A": ["1.9.0", "1.10.0", "1.0.0"], "Acme.B": ["1.0.0-rc"]}
    assert (2, every) == search(fakeplat, site, "q=aCME")
    assert (2, {"Acme.B": ["1.0.0-rc"]}) == search(fakeplat, site, "q=acme&skip=1")
    assert (2, {"Acme.A": every["Acme.A"]}) == search(fakeplat, site, "q=acme&take=1")
    assert (1, {"Acme.A": every["Acme.A"]}) == search(fakeplat, site, "q=acme&prerelease=false")
    assert (3, {**every, "Other": ["1.0.0"]}) == search(fakeplat, site, "q=")
    assert (0, {}) == search(fakeplat, site, "q=nothing")
    (row, _) = get(fakeplat, f"projects/{site}/packages/nuget/query?q=acme")["data"]
    url = f"{registry(fakeplat, site)}/metadata/Acme.A"
    versions = [{"@id": f"{url}/{number}.json", "version": number, "downloads": 0} for number in every["Acme.A"]]
    expected = {
        "@type": "Package",
        "authors": "",
        "id": "Acme.A",
        "title": "Acme.A",
        "summary": "",
        "totalDownloads": 0,
        "verified": True,
        "version": "1.10.0",
        "versions": versions,
        "tags": "",
    }
    assert expected == row


@pytest.mark.parametrize(
    ("query", "error"),
    [
        ("", "q is missing"),
        ("q=a&take=0", "take is invalid"),
        ("q=a&skip=-1", "skip is invalid"),
        ("q=a&take=x", "take is invalid"),
    ],
)
def test_invalid_searches_are_refused(fakeplat: Fakeplat, site: int, query: str, error: str) -> None:
    """A search needs a term, a number to skip and a positive number of results."""
    reply = fakeplat.as_user("rep").get(f"projects/{site}/packages/nuget/query?{query}")
    assert (400, {"error": error}) == (reply.status, reply.json())


def test_a_version_that_is_published_again_gets_another_file(fakeplat: Fakeplat, site: int) -> None:
    """Duplicates are files of one package; the newest is served, and the dependencies are those of the first."""
    publish(fakeplat, site, nupkg(inner=DEPENDENCIES))
    newest = nupkg(inner=URLS)
    publish(fakeplat, site, newest)
    assert ["acme.tool.1.0.0.nupkg"] * 2 == list_files(fakeplat, site)
    base = f"projects/{site}/packages/nuget"
    assert newest == fakeplat.as_user("rep").get(f"{base}/download/{NAME}/1.0.0/{NAME}.1.0.0.nupkg").content
    entry = get(fakeplat, f"{base}/metadata/{NAME}/1.0.0.json")["catalogEntry"]
    assert ("https://acme.test/p", 2) == (entry["projectUrl"], len(entry["dependencyGroups"]))


@LATEST
@pytest.mark.parametrize(
    ("settings", "status"),
    [
        ({}, 201),
        ({"nuget_duplicates_allowed": False}, 409),
        ({"nuget_duplicates_allowed": False, "nuget_duplicate_exception_regex": "Acme[.].*"}, 201),
        ({"nuget_duplicates_allowed": False, "nuget_duplicate_exception_regex": "Acme"}, 409),
        ({"nuget_duplicates_allowed": False, "nuget_duplicate_exception_regex": "1.0.0"}, 201),
    ],
    ids=["default", "forbidden", "name", "part of the name", "version"],
)
def test_a_group_forbids_duplicates(fakeplat: Fakeplat, site: int, settings: dict[str, Any], status: int) -> None:
    """The settings of a group forbid duplicates, but for names and versions of an expression."""
    fakeplat.load({"groups": [{"full_path": "acme", "package_settings": settings}]})
    publish(fakeplat, site, nupkg())
    reply = publish(fakeplat, site, nupkg())
    answers = {
        201: {"message": "201 Created"},
        409: {"message": "A package with the same name and version already exists"},
    }
    assert (status, answers[status]) == (reply.status, reply.json())
    assert (2 if status == 201 else 1) == len(list_files(fakeplat, site))


BROKEN = {
    "no archive": b"package",
    "no nuspec": archive({"readme.txt": "?"}),
    "nested": archive({"a/Acme.nuspec": nuspec()}),
    "no XML": archive({"Acme.nuspec": "<package"}),
    "entities": archive({"Acme.nuspec": '<!DOCTYPE a [<!ENTITY b "c">]><package>&b;</package>'}),
    "bomb": archive({"Acme.nuspec": nuspec(inner=f"<tags>{' ' * 5_000_000}</tags>")}),
}


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN)
def test_files_without_a_nuspec_are_discarded(fakeplat: Fakeplat, site: int, content: bytes) -> None:
    """A file that has no readable nuspec is accepted, and nothing remains of it."""
    assert 201 == publish(fakeplat, site, content).status
    assert [] == list_files(fakeplat, site)


@by_release(NUGET_PACKAGES_ARE_CREATED_AT_ONCE, "status", {"13.5": 201, "17.0": 400})
@pytest.mark.parametrize(
    ("name", "version", "message"),
    [
        ("Acme Tool", "1.0.0", "Validation failed: Name is invalid"),
        ("", "1.0.0", "Validation failed: Name can't be blank, Name is invalid"),
        (NAME, "1", "Validation failed: Version is invalid"),
        (NAME, "01.0.0", "Validation failed: Version is invalid"),
        (NAME, "../1.0.0", "Validation failed: Version is invalid"),
    ],
)
def test_fields_of_the_nuspec_are_checked(
    fakeplat: Fakeplat, site: int, name: str, version: str, message: str, status: int
) -> None:
    """Later releases refuse an invalid name or version, older ones discard the package."""
    reply = publish(fakeplat, site, archive({"a.nuspec": nuspec(name, version)}))
    assert (status, {"message": message if status == 400 else "201 Created"}) == (reply.status, reply.json())
    assert [] == list_files(fakeplat, site)


@by_release(NUGET_REFUSES_DUPLICATES, "status", {"16.0": 201, "17.0": 409})
def test_older_releases_know_no_setting_of_duplicates(fakeplat: Fakeplat, site: int, status: int) -> None:
    """Older releases accept a version again, whatever the group decides."""
    fakeplat.load({"groups": [{"full_path": "acme", "package_settings": {"nuget_duplicates_allowed": False}}]})
    publish(fakeplat, site, nupkg())
    assert status == publish(fakeplat, site, nupkg()).status


@pytest.mark.parametrize("version", ["1.0", "1.0.0", "1.0.0.5", "1.2.3-beta.1+exp.sha", "0.0.1-alpha"])
def test_versions_have_two_to_four_numbers(fakeplat: Fakeplat, site: int, version: str) -> None:
    """Versions have two to four numbers, a pre-release and build metadata."""
    publish(fakeplat, site, nupkg(version=version))
    assert {"versions": [version]} == get(fakeplat, f"projects/{site}/packages/nuget/download/{NAME}/index")


def test_a_form_without_a_package_is_refused(fakeplat: Fakeplat, site: int) -> None:
    """The part with the package is required."""
    sent = multipart({"other": "x"}, None)
    reply = fakeplat.as_user("dev").put(f"projects/{site}/packages/nuget", **sent)
    assert (400, {"error": "package is missing"}) == (reply.status, reply.json())


def test_a_package_above_the_limit_is_refused(fakeplat: Fakeplat, site: int) -> None:
    """A NuGet package above the limit is refused and not stored."""
    fakeplat.load({"settings": {"nuget_max_file_size": 6}})
    reply = publish(fakeplat, site, nupkg())
    answer = {"message": '400 (Bad request) "File is too large" not given'}
    assert (400, answer) == (reply.status, reply.json())
    assert [] == list_files(fakeplat, site)


@LATEST
def test_groups_answer_for_their_projects(fakeplat: Fakeplat, site: int, docs: int) -> None:
    """A group finds the packages that the caller may read in its projects; nobody is answered without a login."""
    publish(fakeplat, docs, nupkg("Acme.Docs"))
    publish(fakeplat, site, nupkg("Acme.Site"))
    acme = get(fakeplat, "groups/acme", "root")["id"]
    base = f"groups/{acme}/-/packages/nuget"
    for user, names in (("rep", ["Acme.Docs", "Acme.Site"]), ("gus", ["Acme.Docs"]), ("eve", ["Acme.Docs"])):
        assert names == [row["id"] for row in get(fakeplat, f"{base}/query?q=acme", user)["data"]]
    url = f"{registry(fakeplat, site)}/metadata/Acme.Site/1.0.0.json"
    assert url == get(fakeplat, f"{base}/metadata/acme.site/1.0.0.json")["@id"]
    assert url == get(fakeplat, f"{base}/metadata/acme.site/index.json")["items"][0]["@id"]
    reply = fakeplat.as_user(None).get(f"{base}/query?q=acme")
    assert (401, CHALLENGE) == (reply.status, reply.headers["WWW-Authenticate"])
    assert 404 == fakeplat.as_user("gus").get(f"{base}/metadata/acme.site/index.json").status
    token = deploy_token(fakeplat, "groups/acme", "read_package_registry")
    reply = fakeplat.as_user(None).get(f"{base}/metadata/acme.site/index.json", headers=basic("ci", token))
    assert 200 == reply.status


@by_release(NUGET_GROUP_NEEDS_SIGHT, "status", {"15.7": 403, "15.8": 200})
def test_older_groups_ask_for_a_role(fakeplat: Fakeplat, status: int) -> None:
    """Up to 15.7 a private group answers only to its Reporters; later it has no packages for its Guests."""
    members = [{"username": "gus", "access_level": 10}, {"username": "rep", "access_level": 20}]
    fakeplat.load({"groups": [{"path": "vault", "visibility": "private", "members": members}]})
    vault = get(fakeplat, "groups/vault", "root")["id"]
    path = f"groups/{vault}/-/packages/nuget/query?q=x"
    assert (status, 200) == (fakeplat.as_user("gus").get(path).status, fakeplat.as_user("rep").get(path).status)
    assert 404 == fakeplat.as_user("eve").get(path).status


@by_release(NUGET_INDEX_IS_PUBLIC, "status", {"16.0": 401, "16.1": 200})
def test_the_service_index_is_public_later(fakeplat: Fakeplat, site: int, status: int) -> None:
    """From 16.1 on everybody gets the service index of a private project."""
    assert status == fakeplat.as_user(None).get(f"projects/{site}/packages/nuget/index.json").status


@by_release(NUGET_PUBLISHES_SYMBOLS, "count", {"14.0": 8, "14.1": 9})
def test_the_service_index_names_symbols_later(fakeplat: Fakeplat, site: int, count: int) -> None:
    """From 14.1 on the service index names where symbol packages are published."""
    assert count == len(get(fakeplat, f"projects/{site}/packages/nuget/index.json")["resources"])


@by_release(NUGET_ENTRIES_ARE_DESCRIBED, "authors", {"13.5": "", "16.3": "Ada, Mia"})
def test_entries_name_the_authors_later(fakeplat: Fakeplat, site: int, authors: str) -> None:
    """Entries of older releases have no authors."""
    publish(fakeplat, site, nupkg())
    entry = get(fakeplat, f"projects/{site}/packages/nuget/metadata/{NAME}/1.0.0.json")["catalogEntry"]
    assert authors == entry["authors"]


@by_release(NUGET_VERSIONS_ARE_NORMALIZED, "status", {"16.0": 404, "16.9": 200})
def test_versions_are_normalized_later(fakeplat: Fakeplat, site: int, status: int) -> None:
    """Older releases find a version only as it was published."""
    publish(fakeplat, site, nupkg(version="1.0"))
    path = f"projects/{site}/packages/nuget/metadata/{NAME}/1.0.0.json"
    assert status == fakeplat.as_user("rep").get(path).status


@by_release(MAX_NUGET_VERSIONS, "count", {"13.5": 50, "18.9": 52})
def test_few_versions_are_found(fakeplat: Fakeplat, site: int, count: int) -> None:
    """Of more than 50 versions older releases find the newest, later ones up to 300."""
    rows = [{"name": NAME, "version": f"1.{number}.0", "package_type": "nuget"} for number in range(52)]
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "packages": rows}]})
    versions = get(fakeplat, f"projects/{site}/packages/nuget/download/{NAME}/index.json")["versions"]
    assert (count, True) == (len(versions), "1.51.0" in versions)


@LATEST
def test_versions_are_deleted(fakeplat: Fakeplat, site: int) -> None:
    """Maintainers delete a version, in any case and normal form."""
    publish(fakeplat, site, nupkg(version="1.0.0.0"))
    path = f"projects/{site}/packages/nuget/acme.tool/1.0.0"
    assert "401 404 404 403 403 403 204 204 204" == list_statuses(fakeplat, "DELETE", path)
    mia = fakeplat.as_user("mia")
    for tail, status, answer in (
        ("acme.tool/2.0.0", 404, {"message": "404 Package Not Found"}),
        ("acme%20tool/1.0.0", 400, {"error": "package_name is invalid"}),
        ("acme.tool/one", 400, {"error": "package_version is invalid"}),
    ):
        reply = mia.delete(f"projects/{site}/packages/nuget/{tail}")
        assert (status, answer) == (reply.status, reply.json())
    assert ["acme.tool.1.0.0.0.nupkg"] == list_files(fakeplat, site)
    assert 204 == mia.delete(path, headers={"X-NuGet-ApiKey": fakeplat.token("mia")}).status
    assert [] == list_files(fakeplat, site)


@LATEST
def test_protection_rules_keep_developers_from_publishing_and_owners_from_deleting(
    fakeplat: Fakeplat, site: int
) -> None:
    """Rules that protect packages hold for NuGet."""
    publish(fakeplat, site, nupkg())
    rule = {
        "package_name_pattern": "acme.*",
        "package_type": "nuget",
        "minimum_access_level_for_push": "maintainer",
        "minimum_access_level_for_delete": "owner",
    }
    fakeplat.as_user("mia").post(f"projects/{site}/packages/protection/rules", json=rule)
    assert (403, 201) == tuple(publish(fakeplat, site, nupkg(version="2.0.0"), user).status for user in ("dev", "mia"))
    path = f"projects/{site}/packages/nuget/{NAME}/1.0.0"
    assert (403, 204) == tuple(fakeplat.as_user(user).delete(path).status for user in ("mia", "ada"))


@LATEST
def test_symbol_packages_belong_to_a_package(fakeplat: Fakeplat, site: int) -> None:
    """A symbol package becomes a file of its package, and is discarded without one."""
    assert 201 == publish(fakeplat, site, snupkg(), tail="/symbolpackage").status
    assert [] == list_files(fakeplat, site)
    publish(fakeplat, site, nupkg())
    assert 201 == publish(fakeplat, site, snupkg(), tail="/symbolpackage").status
    assert ["acme.tool.1.0.0.nupkg", "acme.tool.1.0.0.snupkg"] == list_files(fakeplat, site)
    base = f"projects/{site}/packages/nuget"
    assert snupkg() == fakeplat.as_user("rep").get(f"{base}/download/{NAME}/1.0.0/{NAME}.1.0.0.snupkg").content
    content = get(fakeplat, f"{base}/metadata/{NAME}/1.0.0.json")["packageContent"]
    assert content.endswith("/acme.tool.1.0.0.nupkg")
    put = f"{base}/symbolpackage"
    assert "401 404 404 403 403 201 201 201 201" == list_statuses(fakeplat, "PUT", put, **form(snupkg()))


@LATEST
def test_debuggers_download_symbol_files(fakeplat: Fakeplat, site: int) -> None:
    """A symbol file is found by name, signature and digest, where the group has switched the symbol server on."""
    publish(fakeplat, site, nupkg())
    publish(fakeplat, site, snupkg(), tail="/symbolpackage")
    acme = get(fakeplat, "groups/acme", "root")["id"]
    digest = sha256(pdb().replace(GUID + b"\1\2\3\4", bytes(20))).hexdigest()
    checksum = {"Symbolchecksum": f"SHA256:{digest.upper()}"}
    paths = [
        f"{base}/symbolfiles/Acme.Tool.pdb/{SIGNATURE.upper()}/Acme.Tool.pdb"
        for base in (f"projects/{site}/packages/nuget", f"groups/{acme}/-/packages/nuget")
    ]
    nobody = fakeplat.as_user(None)
    for path in paths:
        assert (403, {"message": "403 Forbidden"}) == (nobody.get(path).status, nobody.get(path).json())
    fakeplat.load({"groups": [{"full_path": "acme", "package_settings": {"nuget_symbol_server_enabled": True}}]})
    for path in paths:
        assert (200, pdb()) == (nobody.get(path, headers=checksum).status, nobody.get(path, headers=checksum).content)
        missing = {"message": "400 Bad request - Missing checksum header"}
        assert (400, missing) == (nobody.get(path).status, nobody.get(path).json())
        other = nobody.get(path, headers={"Symbolchecksum": f"SHA256:{'0' * 64}"})
        assert (404, {"message": "404 Symbol Not Found"}) == (other.status, other.json())
        reply = nobody.get(f"{path}x", headers=checksum)
        assert (400, {"error": "same_file_name is not the same as file_name"}) == (reply.status, reply.json())


@LATEST
def test_the_feed_of_version_2_has_a_service_index_and_a_schema(fakeplat: Fakeplat, site: int) -> None:
    """The feed of protocol version 2 begins with a service index, and its schema is the same for each project."""
    nobody = fakeplat.as_user(None)
    acme = get(fakeplat, "groups/acme", "root")["id"]
    for base in (f"projects/{site}/packages/nuget/v2", f"groups/{acme}/-/packages/nuget/v2"):
        reply = nobody.get(base)
        assert (200, "application/xml; charset=utf-8") == (reply.status, reply.headers["Content-Type"])
        assert f'xml:base="{fakeplat.url}/api/v4/{base}"' in reply.text
        assert '<collection href="Packages">' in reply.text
    for base in ("projects/1234567/packages/nuget/v2", "groups/1234567/-/packages/nuget/v2"):
        assert '<FunctionImport Name="FindPackagesById"' in nobody.get(f"{base}/$metadata").text
        assert 404 == nobody.get(base).status


@LATEST
@pytest.mark.parametrize(
    ("query", "version", "file"),
    [
        ("FindPackagesById()?id='Acme.Tool'", "0.0.0-latest-version", "latest"),
        ("Packages()?$filter=(tolower(Id)%20eq%20'acme.tool')", "0.0.0-latest-version", "latest"),
        ("Packages(Id='Acme.Tool',Version='1.0.0')", "1.0.0", "1.0.0"),
    ],
)
def test_entries_of_the_feed(fakeplat: Fakeplat, site: int, query: str, version: str, file: str) -> None:
    """An entry of the feed names the version and its download, whether or not the package exists."""
    reply = fakeplat.as_user(None).get(f"projects/{site}/packages/nuget/v2/{query}")
    name = "acme.tool" if "acme" in query else NAME
    base = f"{registry(fakeplat, site)}/v2"
    assert (200, "application/xml; charset=utf-8") == (reply.status, reply.headers["Content-Type"])
    assert f"<id>{base}/Packages(Id='{name}',Version='{version}')</id>" in reply.text
    assert f'src="{base}/download/{name}/{file}"' in reply.text
    assert f"<d:Version>{version}</d:Version>" in reply.text


@LATEST
@pytest.mark.parametrize(
    ("query", "error"),
    [
        ("FindPackagesById()", "id is missing"),
        ("FindPackagesById()?id='a%20b'", "id is invalid"),
        ("Packages()", "$filter is missing"),
        ("Packages()?$filter=Id", "$filter is invalid"),
        ("Packages(Id='a%2F..',Version='1.0.0')", "package_name is invalid"),
        ("Packages(Id='a',Version='1')", "package_version is invalid"),
        ("Packages(Id='a',Version='1.0/0')", "package_version is invalid"),
    ],
)
def test_invalid_queries_of_the_feed_are_refused(fakeplat: Fakeplat, site: int, query: str, error: str) -> None:
    """Queries of the feed need a valid name and version."""
    reply = fakeplat.as_user(None).get(f"projects/{site}/packages/nuget/v2/{query}")
    assert (400, {"error": error}) == (reply.status, reply.json())


@LATEST
def test_queries_of_the_feed_call_the_project_by_another_name(fakeplat: Fakeplat, site: int) -> None:
    """The refusals of queries name project_id, and other paths of the feed are unknown."""
    nobody = fakeplat.as_user(None)
    queries = (
        "FindPackagesById()?id='a'",
        "Packages()?$filter=tolower(Id)%20eq%20'a'",
        "Packages(Id='a',Version='1.0.0')",
    )
    for query in queries:
        reply = nobody.get(f"projects/acme%2Fsite/packages/nuget/v2/{query}")
        assert (400, {"error": "project_id is invalid"}) == (reply.status, reply.json())
        assert 404 == nobody.get(f"projects/1234567/packages/nuget/v2/{query}").status
    reply = nobody.get(f"projects/{site}/packages/nuget/v2/other/path")
    assert (404, {"error": "404 Not Found"}) == (reply.status, reply.json())


@by_release(NUGET_SYMBOLS_BELONG_TO_PROJECTS, "status", {"19.1": 200, "19.2": 404})
def test_symbol_files_are_those_of_the_project(fakeplat: Fakeplat, site: int, docs: int, status: int) -> None:
    """From 19.2 on, symbol files are found only through their own project and its groups."""
    publish(fakeplat, site, nupkg())
    publish(fakeplat, site, snupkg(), tail="/symbolpackage")
    fakeplat.load({"groups": [{"full_path": "acme", "package_settings": {"nuget_symbol_server_enabled": True}}]})
    digest = sha256(pdb().replace(GUID + b"\1\2\3\4", bytes(20))).hexdigest()
    checksum = {"Symbolchecksum": f"SHA256:{digest}"}
    tail = f"packages/nuget/symbolfiles/Acme.Tool.pdb/{SIGNATURE}/Acme.Tool.pdb"
    statuses = [fakeplat.as_user(None).get(f"projects/{id_}/{tail}", headers=checksum).status for id_ in (site, docs)]
    assert [200, status] == statuses


@pytest.mark.fakeplat(version="19.2")
def test_a_public_registry_opens_the_group(fakeplat: Fakeplat) -> None:
    """A private group serves the packages of a public registry: with NuGet to all who log in, with Maven to all."""
    group = {"path": "vault", "visibility": "private", "projects": [{"path": "kit", "visibility": "private"}]}
    fakeplat.load({"groups": [group]})
    kit, vault = (get(fakeplat, path, "root")["id"] for path in ("projects/vault%2Fkit", "groups/vault"))
    root, maven = fakeplat.as_user("root"), "packages/maven/com/acme/1.0/a.jar"
    assert 201 == root.put(f"projects/{kit}/packages/nuget", **form(nupkg())).status
    assert 200 == root.put(f"projects/{kit}/{maven}", data=b"jar").status
    nuget = f"groups/{vault}/-/packages/nuget/metadata/{NAME}/index"
    paths = [("eve", nuget), (None, nuget), ("eve", f"groups/{vault}/-/{maven}"), (None, f"groups/{vault}/-/{maven}")]
    assert [404, 401, 404, 401] == [fakeplat.as_user(user).get(path).status for user, path in paths]
    root.put(f"projects/{kit}", json={"package_registry_access_level": "public"})
    assert [200, 401, 200, 200] == [fakeplat.as_user(user).get(path).status for user, path in paths]


@LATEST
def test_packages_are_published_through_the_feed(fakeplat: Fakeplat, site: int) -> None:
    """Clients of protocol version 2 publish to the feed."""
    path = f"projects/{site}/packages/nuget/v2"
    assert "401 404 404 403 403 201 201 201 201" == list_statuses(fakeplat, "PUT", path, **form(nupkg()))
    publish(fakeplat, site, nupkg(), tail="/v2")
    assert ["acme.tool.1.0.0.nupkg"] == list_files(fakeplat, site)
