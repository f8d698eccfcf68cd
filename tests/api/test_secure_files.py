"""Secure files of projects. Source: docs/platform/secure-files.md."""

import plistlib
from datetime import UTC, datetime, timedelta
from hashlib import sha256

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.api.package_files import SITE, basic, job_token, list_statuses
from tests.api.requests import Outcome, form, invalid, invalid_record, outcome, refusal

pytestmark = pytest.mark.fakeplat(
    clock="virtual", start="2020-11-20T09:00:00.000Z", tick=0, scenario=COMPANY, version="16.11"
)
FILES = f"{SITE}/secure_files"
NOW = "2020-11-20T09:00:00.000Z"
MISSING: Outcome = (404, {"message": "404 Not found"})


def upload(fake: Fakeplat, name: str, content: bytes = b"secret", by: str = "mia") -> Outcome:
    return outcome(
        fake.as_user(by).post(FILES, **form(name=name, file=("upload", "application/octet-stream", content)))
    )


def create_certificate() -> x509.Certificate:
    name = x509.Name(
        [x509.NameAttribute(NameOID.ORGANIZATION_NAME, "Example"), x509.NameAttribute(NameOID.COMMON_NAME, "Apps")]
    )
    key = ec.generate_private_key(ec.SECP256R1())
    begin = datetime(2020, 1, 1, tzinfo=UTC)
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    dated = builder.serial_number(33669367788748363528491290218354043267).not_valid_before(begin)
    return dated.not_valid_after(begin + timedelta(days=365)).sign(key, hashes.SHA256())


def test_a_file_is_added_shown_and_downloaded(fakeplat: Fakeplat) -> None:
    """A secure file shows its checksum, and is downloaded as it was sent."""
    status, file = upload(fakeplat, "upload.jks")
    assert (
        201,
        {
            "id": file["id"],
            "name": "upload.jks",
            "checksum": sha256(b"secret").hexdigest(),
            "checksum_algorithm": "sha256",
            "created_at": NOW,
            "expires_at": None,
            "metadata": None,
            "file_extension": "jks",
        },
    ) == (status, file)
    caller = fakeplat.as_user("dev")
    assert (200, file) == outcome(caller.get(f"{FILES}/{file['id']}"))
    loaded = caller.get(f"{FILES}/{file['id']}/download")
    assert ("application/octet-stream", "attachment; filename=upload.jks", b"secret") == (
        loaded.headers["Content-Type"],
        loaded.headers["Content-Disposition"],
        loaded.content,
    )


def test_the_newest_file_is_listed_first(fakeplat: Fakeplat) -> None:
    """Secure files are listed by their time, the newest first."""
    for name in ("a", "b"):
        upload(fakeplat, name)
        fakeplat.clock.advance("1s")
    assert ["b", "a"] == [file["name"] for file in fakeplat.as_user("dev").get(FILES).json()]


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({"name": "x"}, invalid("file is missing")),
        ({"file": ("a", "text/plain", b"a")}, invalid("name is missing")),
        ({"name": "../x", "file": ("a", "text/plain", b"a")}, invalid("name should be a valid file path")),
        ({"name": "taken", "file": ("a", "text/plain", b"a")}, invalid_record(name=["has already been taken"])),
        (
            {"name": "x", "file": ("a", "text/plain", bytes(5 * 1024 * 1024))},
            (413, {"message": "413 Request Entity Too Large"}),
        ),
    ],
    ids=["no file", "no name", "outside", "taken", "large"],
)
def test_invalid_files_are_refused(
    fakeplat: Fakeplat, parts: dict[str, str | tuple[str, str, bytes]], expected: Outcome
) -> None:
    """A file needs a name of its own and less than five megabytes."""
    upload(fakeplat, "taken")
    assert expected == refusal(fakeplat, "mia", "POST", FILES, **form(**parts))


def test_a_project_has_at_most_a_hundred_files(fakeplat: Fakeplat) -> None:
    """The file after the hundredth is refused."""
    files = [{"name": f"file {number}", "content": "x"} for number in range(100)]
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "secure_files": files}]})
    text = "Maximum number of project ci secure files (100) exceeded"
    assert invalid_record(base=[text]) == upload(fakeplat, "one more")


def test_files_are_deleted(fakeplat: Fakeplat) -> None:
    """A deleted file is gone; unknown ones and those of other projects are not found."""
    _, file = upload(fakeplat, "upload.jks")
    path, caller = f"{FILES}/{file['id']}", fakeplat.as_user("mia")
    assert MISSING == outcome(fakeplat.as_user("root").get(path.replace("site", "docs")))
    assert 204 == caller.delete(path).status
    replies = caller.get(path), caller.get(f"{path}/download"), caller.delete(path)
    assert [MISSING] * 3 == [outcome(reply) for reply in replies]


def test_roles_that_read_and_change_files(fakeplat: Fakeplat) -> None:
    """Developers read secure files, maintainers add and delete them."""
    _, file = upload(fakeplat, "upload.jks")
    path, reads, writes = f"{FILES}/{file['id']}", "401 404 404 403 403 200 200 200 200", "401 404 404 403 403 403 "
    assert [reads] * 3 == [list_statuses(fakeplat, "GET", each) for each in (FILES, path, f"{path}/download")]
    sent = form(name="new", file=("a", "text/plain", b"a"))
    assert f"{writes}201 201 201" == list_statuses(fakeplat, "POST", FILES, **sent)
    assert f"{writes}204 204 204" == list_statuses(fakeplat, "DELETE", path)


def test_jobs_and_passwords_download_files(fakeplat: Fakeplat) -> None:
    """The token of a running job, and a personal access token as a password, are accepted."""
    _, file = upload(fakeplat, "upload.jks")
    headers = ({"JOB-TOKEN": job_token(fakeplat)}, basic("dev", fakeplat.token("dev")), basic("dev", "wrong"))
    path, caller = f"{FILES}/{file['id']}/download", fakeplat.as_user(None)
    assert [200, 200, 401] == [caller.get(path, headers=each).status for each in headers]


@pytest.mark.parametrize("encoding", [Encoding.DER, Encoding.PEM], ids=["der", "pem"])
def test_certificates_tell_of_themselves(fakeplat: Fakeplat, encoding: Encoding) -> None:
    """The metadata of a certificate are its names, its serial number and the beginning of its validity."""
    _, file = upload(fakeplat, "apps.cer", create_certificate().public_bytes(encoding))
    name = {"O": "Example", "CN": "Apps"}
    expires_at, number = "2020-01-01T00:00:00.000Z", "33669367788748363528491290218354043267"
    assert {"issuer": name, "subject": name, "id": number, "expires_at": expires_at} == file["metadata"]
    assert expires_at == file["expires_at"]


def test_provisioning_profiles_tell_of_themselves(fakeplat: Fakeplat) -> None:
    """The metadata of a provisioning profile come from the property list in it."""
    profile = plistlib.dumps(
        {
            "UUID": "6b9fcce1",
            "ExpirationDate": datetime(2023, 8, 1, 23, 15, 13),  # noqa: DTZ001 - property lists have no zone
            "Platform": ["iOS"],
            "TeamName": "Example",
            "TeamIdentifier": ["N7SYAN8PX8"],
            "AppIDName": "Apps",
            "Name": "apps ad hoc",
            "ApplicationIdentifierPrefix": ["N7SYAN8PX8"],
            "IsXcodeManaged": False,
            "Entitlements": {"get-task-allow": False},
            "ProvisionedDevices": ["0000"],
            "DeveloperCertificates": [create_certificate().public_bytes(Encoding.DER)],
        }
    )
    _, file = upload(fakeplat, "apps.mobileprovision", b"0\x82signed" + profile + b"signature")
    assert {
        "id": "6b9fcce1",
        "expires_at": "2023-08-01T23:15:13.000Z",
        "platforms": ["iOS"],
        "team_name": "Example",
        "team_id": ["N7SYAN8PX8"],
        "app_name": "Apps",
        "app_id": "apps ad hoc",
        "app_id_prefix": ["N7SYAN8PX8"],
        "xcode_managed": False,
        "entitlements": {"get-task-allow": False},
        "devices": ["0000"],
        "certificate_ids": ["33669367788748363528491290218354043267"],
    } == file["metadata"]
    assert "2023-08-01T23:15:13.000Z" == file["expires_at"]


@pytest.mark.parametrize("name", ["a.cer", "a.p12", "a.mobileprovision", "a.jks"])
def test_unreadable_files_have_no_metadata(fakeplat: Fakeplat, name: str) -> None:
    """What cannot be read as what its name says has no metadata."""
    status, file = upload(fakeplat, name, b"no certificate")
    assert (201, None, None) == (status, file["metadata"], file["expires_at"])
