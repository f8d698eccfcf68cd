"""Git LFS by HTTP. Source: the Git LFS specification (batch, basic transfers, locking)."""

from hashlib import sha256
from typing import Any

import orjson
import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import LOCKS_NAME_USERNAMES
from fakeplat.scenario.export import export_world
from tests.api.test_git_http import DENIED, DOCS, SITE, basic, send_request, text_outcome
from tests.by_release import by_release

TYPE = "application/vnd.git-lfs+json"
CONTENT = b"a large file"
OID = sha256(CONTENT).hexdigest()
FILE = {"oid": OID, "size": len(CONTENT)}
FORBIDDEN = (403, {"message": "Access forbidden. Check your access level."})
NOT_FOUND = (404, {"message": "Not found."})
MISSING = {"code": 404, "message": "Object does not exist on the server or you don't have permissions to access it"}


def call_lfs(
    fake: Fakeplat, method: str, below: str, by: str | None = "ada", body: Any = None, project: str = SITE
) -> tuple[int, Any]:
    headers = basic(by, fake.token(by)) if by else {}
    content = body if isinstance(body, bytes) else orjson.dumps(body)
    folder = "gitlab-lfs" if method == "PUT" or (below.startswith("objects/") and method == "GET") else "info/lfs"
    reply = send_request(fake, method, f"{project}/{folder}/{below}", headers, content)
    return (reply.status, reply.json()) if TYPE == reply.headers.get("Content-Type") else (reply.status, reply.content)


def request_batch(fake: Fakeplat, operation: str, by: str | None = "ada", project: str = SITE) -> tuple[int, Any]:
    return call_lfs(fake, "POST", "objects/batch", by, {"operation": operation, "objects": [FILE]}, project)


def upload_file(
    fake: Fakeplat, by: str | None = "ada", content: bytes = CONTENT, project: str = SITE
) -> tuple[int, Any]:
    return call_lfs(fake, "PUT", f"objects/{OID}/{len(CONTENT)}", by, content, project)


def test_a_file_is_uploaded_and_downloaded(fakeplat: Fakeplat) -> None:
    """An LFS file is uploaded and downloaded as its batch says, and only once."""
    url = f"{fakeplat.url}/{SITE}/gitlab-lfs/objects/{OID}"
    ada, rep = (basic(name, fakeplat.token(name))["Authorization"] for name in ("ada", "rep"))
    header = {"Authorization": ada, "Content-Type": "application/octet-stream"}
    up = {"upload": {"href": f"{url}/{len(CONTENT)}", "header": header}}
    down = {"download": {"href": url, "header": {"Authorization": rep}}}
    assert (200, {"objects": [{**FILE, "actions": up}]}) == request_batch(fakeplat, "upload")
    assert (200, b"") == upload_file(fakeplat)
    assert (200, {"objects": [FILE]}) == request_batch(fakeplat, "upload")
    assert (200, {"objects": [{**FILE, "actions": down}]}) == request_batch(fakeplat, "download", "rep")
    assert (200, CONTENT) == call_lfs(fakeplat, "GET", f"objects/{OID}", "rep")


def test_the_headers_of_a_batch_are_enough_for_its_transfers(fakeplat: Fakeplat) -> None:
    """A client that sends nothing else is let in at once."""
    (offer,) = request_batch(fakeplat, "upload")[1]["objects"]
    action = offer["actions"]["upload"]
    path = action["href"].removeprefix(f"{fakeplat.url}/")
    assert 200 == send_request(fakeplat, "PUT", path, action["header"], CONTENT).status


def test_public_downloads_need_no_credentials(fakeplat: Fakeplat) -> None:
    """authenticated stands at a download from a public project; who sent no credentials gets none back."""
    upload_file(fakeplat, project=DOCS)
    for by in (None, "rep"):
        (offer,) = request_batch(fakeplat, "download", by, DOCS)[1]["objects"]
        assert offer["authenticated"] is True
        assert (by is not None) == ("Authorization" in offer["actions"]["download"]["header"])


@pytest.mark.parametrize(("by", "expected"), [("eve", "NOT_FOUND"), ("gus", "NOT_FOUND"), ("ada", "FORBIDDEN")])
def test_an_unknown_operation(fakeplat: Fakeplat, by: str, expected: str) -> None:
    """An unknown LFS operation answers 403, or 404 where the project is hidden."""
    answer = {"NOT_FOUND": NOT_FOUND, "FORBIDDEN": FORBIDDEN}[expected]
    for operation in ("delete", ["download"], None):
        body = {"operation": operation, "objects": [FILE]}
        assert answer == call_lfs(fakeplat, "POST", "objects/batch", by, body)


@pytest.mark.parametrize("objects", [None, [], {}])
def test_a_batch_of_nothing_is_not_found(fakeplat: Fakeplat, objects: Any) -> None:
    """An LFS batch without objects answers 404."""
    assert NOT_FOUND == call_lfs(fakeplat, "POST", "objects/batch", body={"operation": "download", "objects": objects})


@pytest.mark.parametrize(("method", "below"), [("GET", f"info/lfs/objects/{OID}"), ("POST", "info/lfs/objects")])
def test_the_api_before_batches_is_gone(fakeplat: Fakeplat, method: str, below: str) -> None:
    """The former LFS API answers 501 with a message."""
    reply = send_request(fakeplat, method, f"{SITE}/{below}", basic("ada", fakeplat.token("ada")))
    text = "Server supports batch API only, please update your Git LFS client to version 1.0.1 and up."
    assert (501, {"message": text}) == (reply.status, reply.json())


def test_a_second_upload_changes_nothing(fakeplat: Fakeplat) -> None:
    """The file is the same one."""
    upload_file(fakeplat)
    before = fakeplat.bench.platform.state
    assert (200, b"") == upload_file(fakeplat)
    assert before is fakeplat.bench.platform.state


def test_missing_files_are_reported(fakeplat: Fakeplat) -> None:
    """Missing LFS files are reported in the batch and answer 404."""
    upload_file(fakeplat, project=DOCS)
    assert (200, {"objects": [{**FILE, "error": MISSING}]}) == request_batch(fakeplat, "download")
    assert NOT_FOUND == call_lfs(fakeplat, "GET", f"objects/{OID}")


def test_other_bytes_are_refused(fakeplat: Fakeplat) -> None:
    """The hash and the size are the file's name."""
    before = fakeplat.bench.platform.state
    for path, content in ((f"objects/{OID}/5", b"other"), (f"objects/{OID}/1", CONTENT), (f"objects/{OID}/x", CONTENT)):
        assert (422, {"message": "SHA256 or size mismatch"}) == call_lfs(fakeplat, "PUT", path, body=content)
    assert before is fakeplat.bench.platform.state


def test_files_have_a_limit(fakeplat: Fakeplat) -> None:
    """LFS files above `receive_max_input_size` MB are refused."""
    fakeplat.load({"settings": {"receive_max_input_size": 1}})
    content = bytes((1 << 20) + 1)
    status, body = call_lfs(fakeplat, "PUT", f"objects/{sha256(content).hexdigest()}/{len(content)}", body=content)
    assert (413, {"message": "The object is too large."}) == (status, body)


WHO = [
    # operation, project, nobody, ext, eve, gus, rep, dev
    ("download", SITE, [401, 404, 404, 404, 200, 200]),
    ("upload", SITE, [401, 404, 404, 404, 403, 200]),
    ("download", DOCS, [200, 200, 200, 200, 200, 200]),
    ("upload", DOCS, [401, 403, 403, 403, 403, 200]),
]
BODIES = {403: FORBIDDEN, 404: NOT_FOUND, 401: (401, DENIED[1].encode())}


@pytest.mark.parametrize(("operation", "project", "statuses"), WHO)
def test_roles_that_use_lfs(fakeplat: Fakeplat, operation: str, project: str, statuses: list[int]) -> None:
    """LFS uses the rights of git, and hides projects from those who may not download."""
    upload_file(fakeplat, project=project)
    method, content = ("GET", b"") if operation == "download" else ("PUT", CONTENT)
    path = f"objects/{OID}" if operation == "download" else f"objects/{OID}/{len(CONTENT)}"
    for by, status in zip((None, "ext", "eve", "gus", "rep", "dev"), statuses, strict=True):
        for got in (
            request_batch(fakeplat, operation, by, project),
            call_lfs(fakeplat, method, path, by, content, project),
        ):
            assert BODIES.get(status, (status, got[1])) == got, by


def test_scopes_are_those_of_git(fakeplat: Fakeplat) -> None:
    """A token that only reads uploads nothing."""
    token = fakeplat.token("ada", scopes=["read_repository"])
    reply = send_request(
        fakeplat, "PUT", f"{SITE}/gitlab-lfs/objects/{OID}/{len(CONTENT)}", basic("ada", token), CONTENT
    )
    assert FORBIDDEN == (reply.status, reply.json())


OFF = [
    ("POST", "objects/batch", {"operation": "download", "objects": []}),
    ("POST", "objects/batch", {"operation": "upload", "objects": []}),
    ("PUT", f"objects/{OID}/{len(CONTENT)}", CONTENT),
    ("GET", f"objects/{OID}", b""),
    ("GET", "locks", b""),
    ("POST", "locks/verify", {}),
    ("POST", "locks", {"path": "a"}),
    ("POST", "locks/1/unlock", {}),
]


@pytest.mark.parametrize(("method", "below", "body"), OFF)
def test_a_project_without_lfs(fakeplat: Fakeplat, method: str, below: str, body: Any) -> None:
    """A project without LFS has none of its paths."""
    fakeplat.as_user("ada").put("projects/acme%2Fsite", json={"lfs_enabled": False})
    assert NOT_FOUND == call_lfs(fakeplat, method, below, body=body)


UNREADABLE: list[Any] = [
    b"",
    b"hello",
    [],
    {"operation": "download", "objects": ["x"]},
    {"operation": "download", "objects": [{"oid": "short", "size": 1}]},
    {"operation": "download", "objects": [{"oid": OID, "size": -1}]},
    {"operation": "download", "objects": [{"oid": OID}]},
]


@pytest.mark.parametrize("body", UNREADABLE)
def test_batches_that_cannot_be_read(fakeplat: Fakeplat, body: Any) -> None:
    """A malformed LFS batch answers 422 with the reason."""
    status, answer = call_lfs(fakeplat, "POST", "objects/batch", body=body)
    assert (422, True) == (status, answer["message"].startswith("The request cannot be read: "))


def lock_file(fake: Fakeplat, by: str = "dev", path: str = "large.bin") -> dict[str, Any]:
    status, body = call_lfs(fake, "POST", "locks", by, {"path": path, "ref": {"name": "refs/heads/master"}})
    assert 201 == status, body
    return dict(body["lock"])


@pytest.mark.fakeplat(clock="virtual", start="2020-11-20T09:00:00.000Z")
def test_a_file_is_locked_listed_and_unlocked(fakeplat: Fakeplat) -> None:
    """Developers lock paths; readers list the locks, filtered by path and id; a push asks whose they are."""
    first, second = lock_file(fakeplat), lock_file(fakeplat, "ada", "other.bin")
    expected = {"path": "large.bin", "locked_at": "2020-11-20T09:00:00Z", "owner": {"name": "Dev Example"}}
    assert expected == {name: value for name, value in first.items() if name != "id"}
    assert first["id"].isdigit()

    assert (200, {"locks": [first, second]}) == call_lfs(fakeplat, "GET", "locks", "rep")
    assert (200, {"locks": [second]}) == call_lfs(fakeplat, "GET", "locks?path=other.bin", "rep")
    assert (200, {"locks": [first]}) == call_lfs(fakeplat, "GET", f"locks?id={first['id']}", "rep")
    assert (200, {"locks": []}) == call_lfs(fakeplat, "GET", "locks?id=x", "rep")
    assert (200, {"ours": [first], "theirs": [second]}) == call_lfs(fakeplat, "POST", "locks/verify", "dev", {})

    assert (200, {"lock": first}) == call_lfs(fakeplat, "POST", f"locks/{first['id']}/unlock", "dev", {})
    assert (200, {"locks": [second]}) == call_lfs(fakeplat, "GET", "locks", "rep")


def refused_lock(fake: Fakeplat, status: int, message: str, **more: Any) -> tuple[int, Any]:
    return status, {**more, "message": message, "documentation_url": f"{fake.url}/help"}


def test_a_locked_file_is_not_locked_again(fakeplat: Fakeplat) -> None:
    """Locking a locked file answers 409 with the lock."""
    existing = lock_file(fakeplat)
    for by in ("dev", "ada"):
        expected = refused_lock(fakeplat, 409, "already locked", lock=existing)
        assert expected == call_lfs(fakeplat, "POST", "locks", by, {"path": "large.bin"})
    for body in ({}, {"path": " "}, {"path": 1}):
        expected = refused_lock(fakeplat, 422, "Validation failed: Path can't be blank")
        assert expected == call_lfs(fakeplat, "POST", "locks", "dev", body)
    assert (200, {"locks": [existing]}) == call_lfs(fakeplat, "GET", "locks")


def test_only_maintainers_unlock_the_files_of_others(fakeplat: Fakeplat) -> None:
    """Maintainers unlock others' files with `force`, Developers do not."""
    unlock_path = f"locks/{lock_file(fakeplat, 'ada')['id']}/unlock"
    owner = fakeplat.world.user("ada").id
    plain = refused_lock(fakeplat, 403, f"large.bin is locked by Platform User {owner}")
    forced = refused_lock(fakeplat, 403, "You must have maintainer access to force delete a lock")

    assert plain == call_lfs(fakeplat, "POST", unlock_path, "dev", {})
    assert forced == call_lfs(fakeplat, "POST", unlock_path, "dev", {"force": True})
    assert plain == call_lfs(fakeplat, "POST", unlock_path, "mia", {"force": "true"})
    assert 200 == call_lfs(fakeplat, "POST", unlock_path, "mia", {"force": True})[0]
    assert refused_lock(fakeplat, 404, "Lock not found") == call_lfs(
        fakeplat, "POST", unlock_path, "mia", {"force": True}
    )


LOCKED = {"18.8": "large.bin is locked by Platform User {id}", "18.9": "'large.bin' is locked by @ada"}
DECLINED = {
    "18.8": "The path 'large.bin' is locked in Git LFS by Ada Example",
    "18.9": "'large.bin' is locked in Git LFS by @ada",
}


@by_release(LOCKS_NAME_USERNAMES, "expected", LOCKED)
def test_the_release_that_names_the_username(fakeplat: Fakeplat, expected: str) -> None:
    """Whose the lock is that somebody else wants to remove, is told by the username in later releases."""
    lock = lock_file(fakeplat, "ada")
    message = expected.format(id=fakeplat.world.user("ada").id)

    assert refused_lock(fakeplat, 403, message) == call_lfs(fakeplat, "POST", f"locks/{lock['id']}/unlock", "dev", {})


@by_release(LOCKS_NAME_USERNAMES, "expected", DECLINED)
@pytest.mark.fakeplat(default_branch="master")
def test_the_api_does_not_change_locked_files(fakeplat: Fakeplat, expected: str) -> None:
    """A commit by the API to a file that somebody else has locked with Git LFS is refused, on each branch."""
    lock_file(fakeplat, "ada")
    files = "/api/v4/projects/acme%2Fsite/repository/files/large%2Ebin"
    new = {"branch": "topic", "start_branch": "master", "content": "new", "commit_message": "Add"}
    refused = fakeplat.as_user("dev").post(files, json=new)

    assert (400, {"message": expected}) == (refused.status, refused.json())
    assert 201 == fakeplat.as_user("ada").post(files, json=new).status


@pytest.mark.parametrize("below", ["locks", "locks/verify", "locks/1/unlock"])
def test_locking_requires_the_right_to_push(fakeplat: Fakeplat, below: str) -> None:
    """Reporters read the list only; strangers do not see the project."""
    assert FORBIDDEN == call_lfs(fakeplat, "POST", below, "rep", {"path": "a"})
    assert NOT_FOUND == call_lfs(fakeplat, "POST", below, "eve", {"path": "a"})
    assert 401 == call_lfs(fakeplat, "POST", below, None, {"path": "a"})[0]
    assert (200, {"locks": []}) == call_lfs(fakeplat, "GET", "locks", "rep")


def test_locks_are_declared_and_exported(fakeplat: Fakeplat) -> None:
    """A scenario declares them under the project; they go with their project and their user."""
    entry = {"path": "large.bin", "user": "dev", "created_at": "2020-11-19T09:00:00.000Z"}
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "lfs_locks": [entry]}]})
    projects = export_world(fakeplat.bench.platform)["projects"]

    assert [[entry]] == [project["lfs_locks"] for project in projects if "lfs_locks" in project]
    assert ["2020-11-19T09:00:00Z"] == [
        lock_view["locked_at"] for lock_view in call_lfs(fakeplat, "GET", "locks")[1]["locks"]
    ]


def test_files_count_for_the_statistics(fakeplat: Fakeplat) -> None:
    """LFS files count in bytes for the statistics of the project."""
    path = "projects/acme%2Fsite?statistics=true"
    before = fakeplat.as_user("ada").get(path).json()["statistics"]
    upload_file(fakeplat)
    after = fakeplat.as_user("ada").get(path).json()["statistics"]
    assert (0, len(CONTENT)) == (before["lfs_objects_size"], after["lfs_objects_size"])
    assert len(CONTENT) == after["storage_size"] - before["storage_size"]


def test_deleting_a_project_deletes_its_files(fakeplat: Fakeplat) -> None:
    """A new one in its place has none."""
    upload_file(fakeplat, project=DOCS)
    owner = fakeplat.as_user("ada")
    owner.delete("projects/acme%2Fdocs")
    owner.post("projects", json={"path": "docs", "namespace_id": fakeplat.world.group("acme").id})
    assert NOT_FOUND == call_lfs(fakeplat, "GET", f"objects/{OID}", project=DOCS)


def test_pointers_are_told_from_other_files(fakeplat: Fakeplat) -> None:
    """A raw file that is a pointer shows what it points to; one that only begins like it stays as it is."""
    upload_file(fakeplat)
    head = "version https://git-lfs.github.com/spec/v1\n"
    texts = {
        "pointer": f"{head}oid sha256:{OID}\nsize {len(CONTENT)}\n",
        "unknown": f"{head}oid sha256:{'0' * 64}\nsize 1\n",
        "longer": f"{head}oid sha256:{OID}\nsize {len(CONTENT)}\nand more\n",
    }
    actions = [{"action": "create", "file_path": name, "content": text} for name, text in texts.items()]
    owner, project = fakeplat.as_user("ada"), "projects/acme%2Fsite/repository"
    owner.post(f"{project}/commits", json={"branch": "master", "commit_message": "x", "actions": actions})
    contents = {name: owner.get(f"{project}/files/{name}/raw?ref=master").content for name in texts}
    assert {**{name: text.encode() for name, text in texts.items()}, "pointer": CONTENT} == contents


def test_wrong_passwords_are_refused_as_by_git(fakeplat: Fakeplat) -> None:
    """A wrong password is refused as with git."""
    reply = send_request(fakeplat, "GET", f"{DOCS}/info/lfs/locks", basic("ada", "wrong"))
    assert DENIED == text_outcome(reply)
