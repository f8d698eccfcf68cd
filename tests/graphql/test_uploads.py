"""Uploaded files, by GraphQL. Source: docs/platform/graphql.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.api.package_files import multipart
from tests.graphql.queries import NOT_AVAILABLE, list_messages, query_data, query_refused, write_mutation

pytestmark = pytest.mark.fakeplat(version="15.3", clock="virtual", scenario=COMPANY)
DELETE = write_mutation("uploadDelete", "upload { id path size }")


def upload(fake: Fakeplat) -> dict[str, Any]:
    """Upload a file, and return the input that names it."""
    reply = fake.as_user("dev").post("projects/acme%2Fsite/uploads", **multipart({}, ("file", "notes.txt", b"Hello")))
    _, _, secret, filename = reply.json()["url"].split("/")
    return {"projectPath": "acme/site", "secret": secret, "filename": filename}


def test_maintainers_delete_uploaded_files(fakeplat: Fakeplat) -> None:
    """A Maintainer deletes a file, which is gone then."""
    given = upload(fakeplat)
    denied = query_refused(fakeplat, "dev", DELETE, input=given)
    payload = query_data(fakeplat, "mia", DELETE, input=given)["uploadDelete"]
    again = query_refused(fakeplat, "mia", DELETE, input=given)["data"]["uploadDelete"]

    assert [NOT_AVAILABLE] == list_messages(denied)
    assert ([], f"{given['secret']}/notes.txt", 5) == (
        payload["errors"],
        payload["upload"]["path"],
        payload["upload"]["size"],
    )
    assert payload["upload"]["id"].startswith("gid://gitlab/Upload/")
    assert {"upload": None, "errors": [f"{NOT_AVAILABLE}."]} == again


def test_a_file_belongs_to_a_project_or_a_group(fakeplat: Fakeplat) -> None:
    """Exactly one of both is named, and only its own files are found."""
    given = upload(fakeplat)
    both = query_refused(fakeplat, "mia", DELETE, input={**given, "groupPath": "acme"})
    assert ["Exactly one of group_path or project_path arguments is required"] == list_messages(both)
    in_group = {"groupPath": "acme", "secret": given["secret"], "filename": given["filename"]}
    payload = query_refused(fakeplat, "ada", DELETE, input=in_group)["data"]["uploadDelete"]
    assert {"upload": None, "errors": [f"{NOT_AVAILABLE}."]} == payload
