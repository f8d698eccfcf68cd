"""What the tests of snippets share: fields, places, and short ways to make some."""

from typing import Any

from fakeplat.harness.fake import Fakeplat
from tests.api.planning_records import made

SNIPPET = {
    "id",
    "title",
    "description",
    "visibility",
    "author",
    "expires_at",
    "updated_at",
    "created_at",
    "project_id",
    "web_url",
    "raw_url",
    "ssh_url_to_repo",
    "http_url_to_repo",
    "file_name",
    "files",
}
UNKNOWN = "snippets/999999"


def personal(fake: Fakeplat, by: str = "dev", **body: Any) -> str:
    """Where a new personal snippet is: one file, ``a.txt``."""
    return _new(fake, "", by, body)


def of_project(fake: Fakeplat, place: str, by: str = "dev", **body: Any) -> str:
    """Where a new snippet of a project is."""
    return _new(fake, f"{place}/", by, body)


def _new(fake: Fakeplat, place: str, by: str, body: dict[str, Any]) -> str:
    usual: dict[str, Any] = {"title": "One", "files": [{"file_path": "a.txt", "content": "first\n"}]}
    return f"{place}snippets/{made(fake, f'{place}snippets', by, **{**usual, **body})['id']}"


def files(**contents: str) -> list[dict[str, str]]:
    """Files of a new snippet; ``__`` in names is a slash, ``_`` a dot."""
    return [
        {"file_path": name.replace("__", "/").replace("_", "."), "content": text} for name, text in contents.items()
    ]


def contents(fake: Fakeplat, snippet: str, by: str = "dev") -> dict[str, str]:
    """The files of a snippet, as they are read one by one."""
    calls = fake.as_user(by)
    paths = [file["path"] for file in calls.get(snippet).json()["files"]]
    quoted = {path: path.replace("/", "%2F").replace(" ", "%20") for path in paths}
    return {path: calls.get(f"{snippet}/files/master/{quoted[path]}/raw").text for path in paths}
