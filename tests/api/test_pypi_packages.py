"""The PyPI repository of a project. Source: docs/platform/packages.md."""

from hashlib import sha256
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    PYPI_DIGESTS_ARE_CHECKED,
    PYPI_FILES_NEED_A_RIGHT,
    PYPI_METADATA_IS_TRUNCATED,
    PYPI_REFUSALS_HAVE_A_STATUS,
)
from tests.api.company import COMPANY
from tests.api.package_files import DOCS, SITE, basic, deploy_token, finish_jobs, job_token, list_statuses, multipart
from tests.by_release import by_release

pytestmark = [pytest.mark.every_release, pytest.mark.fakeplat(clock="virtual", scenario=COMPANY)]
WHEEL = "my_app-1.0-py3-none-any.whl"
FIELDS = {"name": "My.App", "version": "1.0", "requires_python": ">=3.7"}


def build_form(content: bytes = b"wheel", file_name: str = WHEEL, **fields: str) -> dict[str, Any]:
    return multipart({**FIELDS, **fields}, ("content", file_name, content))


def upload_package(fake: Fakeplat, project: str = SITE, **rest: Any) -> Any:
    return fake.as_user("dev").post(f"{project}/packages/pypi", **build_form(**rest))


@pytest.mark.parametrize(
    ("project", "simple", "post"),
    [
        (DOCS, "200 200 200 200 200 200 200 200 200", "401 403 403 403 403 201 201 201 201"),
        (SITE, "401 404 404 403 200 200 200 200 200", "401 404 404 403 403 201 201 201 201"),
    ],
    ids=["public", "private"],
)
def test_roles_that_upload_and_read_the_index(fakeplat: Fakeplat, project: str, simple: str, post: str) -> None:
    """Uploads and the index follow the roles."""
    assert post == list_statuses(fakeplat, "POST", f"{project}/packages/pypi", **build_form())
    upload_package(fakeplat, project)
    assert simple == list_statuses(fakeplat, "GET", f"{project}/packages/pypi/simple/my-app/")


@by_release(
    PYPI_FILES_NEED_A_RIGHT,
    "statuses",
    {"15.6": "200 200 200 200 200 200 200 200 200", "15.7": "401 404 404 403 200 200 200 200 200"},
)
def test_roles_that_download_files(fakeplat: Fakeplat, statuses: str) -> None:
    """From 15.7 on, files are for those who read packages; before, for whoever knows the digest."""
    upload_package(fakeplat)
    path = f"{SITE}/packages/pypi/files/{sha256(b'wheel').hexdigest()}/{WHEEL}"
    assert statuses == list_statuses(fakeplat, "GET", path)
    for token in (job_token(fakeplat), deploy_token(fakeplat)):
        assert 200 == fakeplat.as_user(None).get(path, headers=basic("gitlab-ci-token", token)).status
    reply = fakeplat.as_user(None).get(path.replace("acme%2Fsite", "1"))
    assert (404, {"message": "404 Not Found"}) == (reply.status, reply.json())


def test_anonymous_callers_get_a_challenge(fakeplat: Fakeplat) -> None:
    """Anonymous callers get a challenge for a hidden project; signed-in ones a 404."""
    reply = fakeplat.as_user(None).get(f"{SITE}/packages/pypi/simple/app")
    challenge = 'Basic realm="Platform Packages Registry"'
    assert (401, {"message": "401 Unauthorized"}) == (reply.status, reply.json())
    assert challenge == reply.headers["WWW-Authenticate"]
    reply = fakeplat.as_user("eve").get(f"{SITE}/packages/pypi/simple/app")
    assert (404, {"message": "404 Not Found"}) == (reply.status, reply.json())


@pytest.mark.parametrize("user", [None, "dev"])
def test_an_unknown_project_has_no_challenge(fakeplat: Fakeplat, user: str | None) -> None:
    """The PyPI registry of an unknown project is not found, whoever asks, without a challenge."""
    reply = fakeplat.as_user(user).get("projects/1/packages/pypi/simple/app")
    assert (404, {"message": "404 Not Found"}) == (reply.status, reply.json())
    assert "WWW-Authenticate" not in reply.headers
    reply = fakeplat.as_user(user).post("projects/1/packages/pypi", **build_form())
    assert (404, {"message": "404 Not Found"}) == (reply.status, reply.json())


def test_each_way_to_send_a_token(fakeplat: Fakeplat) -> None:
    """PyPI accepts tokens as password or in a header, and no wrong password."""
    personal, job, deploy = fakeplat.token("dev"), job_token(fakeplat), deploy_token(fakeplat)
    headers = [
        basic("__token__", personal),
        basic("gitlab-ci-token", job),
        basic("ci", deploy),
        {"PRIVATE-TOKEN": personal},
        {"JOB-TOKEN": job},
        {"Deploy-Token": deploy},
    ]
    caller = fakeplat.as_user(None)
    for number, sent in enumerate(headers):
        sent_form = build_form(file_name=f"my_app-1.0-{number}.whl")
        sent_form["headers"].update(sent)
        assert 201 == caller.post(f"{SITE}/packages/pypi", **sent_form).status
        assert 200 == caller.get(f"{SITE}/packages/pypi/simple/my-app", headers=sent).status
    finish_jobs(fakeplat)
    assert 401 == caller.get(f"{SITE}/packages/pypi/simple/my-app", headers=headers[1]).status
    upload_package(fakeplat, DOCS)
    wrong = basic("dev", "wrong")
    public, private = (caller.get(f"{project}/packages/pypi/simple/my-app", headers=wrong) for project in (DOCS, SITE))
    assert (200, 401) == (public.status, private.status)


@pytest.mark.parametrize("name", ["my-app", "My.App", "my_app", "MY--APP", "my-app/"])
def test_the_index_is_found_by_any_spelling_of_the_name(fakeplat: Fakeplat, name: str) -> None:
    """The index of a package is found by any spelling that pip normalizes."""
    upload_package(fakeplat)
    upload_package(fakeplat, content=b"source", file_name="my_app-1.0.tar.gz")
    upload_package(fakeplat, content=b"next", file_name="my_app-1.1.tar.gz", version="1.1", requires_python="")
    reply = fakeplat.as_user("rep").get(f"{SITE}/packages/pypi/simple/{name}")
    assert (200, "text/html; charset=utf-8") == (reply.status, reply.headers["Content-Type"])
    assert "<title>Links for My.App</title>" in reply.text
    assert "<h1>Links for My.App</h1>" in reply.text
    base = f"{fakeplat.url}/api/v4/projects/5001/packages/pypi/files"
    links = [
        f'<a href="{base}/{sha256(content).hexdigest()}/{file}#sha256={sha256(content).hexdigest()}" '
        f'data-requires-python="{python}">{file}</a><br>'
        for content, file, python in (
            (b"wheel", WHEEL, "&gt;=3.7"),
            (b"source", "my_app-1.0.tar.gz", "&gt;=3.7"),
            (b"next", "my_app-1.1.tar.gz", ""),
        )
    ]
    assert links == [line for line in reply.text.splitlines() if line.startswith("<a")]


def test_names_are_escaped_in_the_page(fakeplat: Fakeplat) -> None:
    """Names of clients are escaped in the index."""
    upload_package(fakeplat, requires_python='>=3"><script>')
    page = fakeplat.as_user("rep").get(f"{SITE}/packages/pypi/simple/my-app").text
    assert "<script>" not in page
    assert "&gt;=3&quot;&gt;&lt;script&gt;" in page


@pytest.mark.fakeplat(releases="<14.2")
def test_an_unknown_package_is_not_found(fakeplat: Fakeplat) -> None:
    """Unknown PyPI packages, digests and file names are not found."""
    upload_package(fakeplat)
    reply = fakeplat.as_user("rep").get(f"{SITE}/packages/pypi/simple/none")
    assert (404, {"message": "404 Package Not Found"}) == (reply.status, reply.json())
    digest = sha256(b"wheel").hexdigest()
    for path in (f"{'0' * 64}/{WHEEL}", f"{digest}/other.whl"):
        assert 404 == fakeplat.as_user("rep").get(f"{SITE}/packages/pypi/files/{path}").status


def test_names_are_paths(fakeplat: Fakeplat) -> None:
    """Neither the name of a package nor that of a file may lead elsewhere."""
    rep = fakeplat.as_user("rep")
    for path, name in ((f"files/{'0' * 64}/..%2F{WHEEL}", "file_identifier"), ("simple/..%2Fmy-app", "package_name")):
        reply = rep.get(f"{SITE}/packages/pypi/{path}")
        assert (400, {"error": f"{name} should be a valid file path"}) == (reply.status, reply.json())


def test_a_file_is_uploaded_once(fakeplat: Fakeplat) -> None:
    """A version has a wheel and a source distribution, but no two files of one name."""
    reply = upload_package(fakeplat)
    assert (201, {"message": "201 Created"}) == (reply.status, reply.json())
    assert 201 == upload_package(fakeplat, content=b"source", file_name="my_app-1.0.tar.gz").status
    reply = upload_package(fakeplat, content=b"other")
    assert 400 == reply.status
    assert reply.json()["message"].endswith("Validation failed: File name has already been taken")
    (package,) = fakeplat.as_user("rep").get(f"{SITE}/packages").json()
    files = fakeplat.as_user("rep").get(f"{SITE}/packages/{package['id']}/package_files").json()
    assert ("My.App", [WHEEL, "my_app-1.0.tar.gz"]) == (package["name"], [file["file_name"] for file in files])


@pytest.mark.fakeplat(releases="<17.9")
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": "my app"}, "Validation failed: Name is invalid"),
        ({"version": "one"}, "Validation failed: Version is invalid"),
        ({"version": "1.0.."}, "Validation failed: Version is invalid"),
        ({"requires_python": "3" * 256}, "Validation failed: Required python is too long (maximum is 255 characters)"),
    ],
)
def test_fields_are_checked(fakeplat: Fakeplat, changes: dict[str, str], message: str) -> None:
    """A PyPI package with invalid fields is refused and not stored."""
    reply = upload_package(fakeplat, **changes)
    assert (400, {"message": message}) == (reply.status, reply.json())
    assert 0 == len(fakeplat.bench.platform.view.packages.all())


@by_release(
    PYPI_REFUSALS_HAVE_A_STATUS,
    "message",
    {"17.8": "Validation failed: Name is invalid", "17.9": "400 Bad request - Validation failed: Name is invalid"},
)
def test_refusals_have_a_status_later(fakeplat: Fakeplat, message: str) -> None:
    """From 17.9 on, what is wrong with a package follows the status."""
    reply = upload_package(fakeplat, name="my app")
    assert (400, {"message": message}) == (reply.status, reply.json())
    assert 0 == len(fakeplat.bench.platform.view.packages.all())


@by_release(PYPI_METADATA_IS_TRUNCATED, "status", {"17.8": 400, "17.9": 201})
def test_long_fields_are_truncated_later(fakeplat: Fakeplat, status: int) -> None:
    """From 17.9 on, fields that are too long end with an ellipsis."""
    reply = upload_package(fakeplat, requires_python="3" * 256, summary="s" * 256, keywords="k" * 1024)
    assert status == reply.status
    rows = list(fakeplat.bench.platform.view.packages.all())
    shortened = {"summary": "s" * 252 + "...", "keywords": "k" * 1024}
    expected = [("3" * 252 + "...", shortened)] if status == 201 else []
    assert expected == [(row.requires_python, row.manifest) for row in rows]


@by_release(PYPI_DIGESTS_ARE_CHECKED, "status", {"15.6": 201, "15.7": 400})
def test_a_digest_is_a_sha256_later(fakeplat: Fakeplat, status: int) -> None:
    """From 15.7 on, the digest that a client sends has to be a SHA-256."""
    reply = upload_package(fakeplat, sha256_digest="1" * 63 + "%")
    answer = {"message": "201 Created"} if status == 201 else {"error": "sha256_digest is invalid"}
    assert (status, answer) == (reply.status, reply.json())


@pytest.mark.parametrize("version", ["1.0", "1!2.0", "1.0a1", "1.0.post1", "1.0.dev3", "1.0+local.1", "v1.0rc1"])
def test_versions_follow_pep_440(fakeplat: Fakeplat, version: str) -> None:
    """PyPI versions follow PEP 440."""
    assert 201 == upload_package(fakeplat, version=version).status


@pytest.mark.parametrize("missing", ["name", "version", "content"])
def test_required_fields_are_missed(fakeplat: Fakeplat, missing: str) -> None:
    """A missing field of a PyPI package is refused by its name."""
    fields = {name: value for name, value in FIELDS.items() if name != missing}
    sent = multipart(fields, None if missing == "content" else ("content", WHEEL, b"x"))
    reply = fakeplat.as_user("dev").post(f"{SITE}/packages/pypi", **sent)
    assert (400, {"error": f"{missing} is missing"}) == (reply.status, reply.json())


@pytest.mark.parametrize("file_name", ["../evil.whl", "a/b.whl", ".."])
def test_the_name_of_a_file_is_no_path(fakeplat: Fakeplat, file_name: str) -> None:
    """A PyPI file whose name contains a path answers 400."""
    reply = upload_package(fakeplat, file_name=file_name)
    assert (400, {"error": "content is invalid"}) == (reply.status, reply.json())


def test_a_file_above_the_limit_is_refused(fakeplat: Fakeplat) -> None:
    """A PyPI file above the size limit is refused and not stored."""
    fakeplat.load({"settings": {"pypi_max_file_size": 4}})
    reply = upload_package(fakeplat)
    assert 400 == reply.status
    assert "File is too large" in reply.json()["message"]
    assert 0 == len(fakeplat.bench.platform.view.packages.all())


def test_the_handshake_of_uploads_is_for_the_proxy(fakeplat: Fakeplat) -> None:
    """The authorization of uploads is for the proxy; users get a 403."""
    reply = fakeplat.as_user("dev").post(f"{SITE}/packages/pypi/authorize")
    assert (403, {"message": "403 Forbidden"}) == (reply.status, reply.json())


@pytest.mark.fakeplat(product_name='Pläne "R"')
def test_the_challenge_is_plain(fakeplat: Fakeplat) -> None:
    """The realm of the challenge contains only ASCII letters of the product's name."""
    reply = fakeplat.as_user(None).get(f"{SITE}/packages/pypi/simple/app")
    assert 'Basic realm="Plne R Packages Registry"' == reply.headers["WWW-Authenticate"]
