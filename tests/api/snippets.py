"""Helpers for tests of snippets: fields, paths, and functions to create snippets."""

from typing import Any

from fakeplat.harness.fake import Fakeplat
from tests.api.planning_records import create_record

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


def create_personal_snippet(fake: Fakeplat, by: str = "dev", **body: Any) -> str:
    """Create a personal snippet, by default with one file, ``a.txt``; return its path."""
    return _create(fake, "", by, body)


def create_project_snippet(fake: Fakeplat, project: str, by: str = "dev", **body: Any) -> str:
    """Create a snippet of a project; return its path."""
    return _create(fake, f"{project}/", by, body)


def _create(fake: Fakeplat, prefix: str, by: str, body: dict[str, Any]) -> str:
    defaults: dict[str, Any] = {"title": "One", "files": [{"file_path": "a.txt", "content": "first\n"}]}
    return f"{prefix}snippets/{create_record(fake, f'{prefix}snippets', by, **{**defaults, **body})['id']}"


def files(**contents: str) -> list[dict[str, str]]:
    """Return the files of a new snippet; in names ``__`` stands for a slash and ``_`` for a dot."""
    return [
        {"file_path": name.replace("__", "/").replace("_", "."), "content": text} for name, text in contents.items()
    ]


def read_contents(fake: Fakeplat, snippet: str, by: str = "dev") -> dict[str, str]:
    """Return the contents of a snippet's files, read one by one."""
    calls = fake.as_user(by)
    paths = [file["path"] for file in calls.get(snippet).json()["files"]]
    quoted = {path: path.replace("/", "%2F").replace(" ", "%20") for path in paths}
    return {path: calls.get(f"{snippet}/files/master/{quoted[path]}/raw").text for path in paths}
