"""Offline transfers. Source: docs/platform/import-export.md ('Offline transfer')."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.requests import UNAUTHORIZED, Outcome, invalid, refusal

pytestmark = pytest.mark.fakeplat(version="latest")
PATH = "offline_exports"
NOT_FOUND = (404, {"message": "404 Not Found"})
ACCOUNT = {"aws_access_key_id": "key", "aws_secret_access_key": "secret", "region": "eu-west-1"}
ENTITIES = [{"full_path": "acme"}, {"full_path": "acme/site"}]
EXPORT: dict[str, Any] = {"bucket": "exports", "aws_s3_configuration": ACCOUNT, "entities": ENTITIES}
REQUESTS = [("GET", PATH, None), ("GET", f"{PATH}/1", None), ("POST", PATH, EXPORT)]


def switch_on(fake: Fakeplat, **target: str) -> None:
    """Switch on the feature, for everybody or for a user."""
    answer = fake.as_user("root").post("features/offline_transfer_exports", json={"value": True, **target})
    assert 201 == answer.status


@pytest.mark.parametrize(("method", "path", "body"), REQUESTS)
def test_the_feature_is_off_by_default(fakeplat: Fakeplat, method: str, path: str, body: Any) -> None:
    """Without the feature there are no offline exports, and without a login they are not asked for."""
    switch_on(fakeplat, user="mia")

    assert UNAUTHORIZED == refusal(fakeplat, None, method, path, json=body)
    assert NOT_FOUND == refusal(fakeplat, "ada", method, path, json=body)


def test_the_exports_of_a_user(fakeplat: Fakeplat) -> None:
    """A user for whom the feature is on lists the own exports, of which there are none."""
    switch_on(fakeplat, user="mia")

    assert [] == fakeplat.as_user("mia").get(f"{PATH}?sort=asc&status=finished").json()
    assert (404, {"message": "404 Not found"}) == refusal(fakeplat, "mia", "GET", f"{PATH}/1")
    assert invalid("status does not have a valid value") == refusal(fakeplat, "mia", "GET", f"{PATH}?status=new")


EXACTLY_ONE = "aws_s3_configuration, s3_compatible_configuration are missing, exactly one parameter must be provided"
REFUSED = "Export failed. You do not have permission to export the following resources or they do not exist: "


@pytest.mark.parametrize(
    ("by", "changes", "expected"),
    [
        ("ada", {}, (422, {"message": "Unable to access object storage bucket."})),
        (
            "ada",
            {"entities": [{"full_path": " "}]},
            (422, {"message": "Export failed. Entity full paths must be provided."}),
        ),
        ("ada", {"entities": [{"full_path": "none"}]}, (422, {"message": f"{REFUSED}none"})),
        ("mia", {}, (422, {"message": f"{REFUSED}acme"})),
        ("dev", {}, (422, {"message": f"{REFUSED}acme, acme/site"})),
        ("ada", {"aws_s3_configuration": None}, invalid(EXACTLY_ONE)),
    ],
)
def test_an_export_is_refused(fakeplat: Fakeplat, by: str, changes: dict[str, Any], expected: Outcome) -> None:
    """The paths have to be those of groups and projects that the caller manages, and the storage has to answer."""
    switch_on(fakeplat)
    body = {name: value for name, value in {**EXPORT, **changes}.items() if value is not None}

    assert expected == refusal(fakeplat, by, "POST", PATH, json=body)
