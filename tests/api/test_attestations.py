"""Attestations of the files that jobs build. Source: docs/platform/dependencies.md ('Attestations')."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.requests import FORBIDDEN, NO_ROUTE, names, refusal, resource_not_found

DIGEST = "76c34666f719ef14bd2b124a7db51e9c05e4db2e12a84800296d559064eebe2c"
SITE = "projects/acme%2Fsite/attestations"
NOT_FOUND = (404, {"message": "404 Not Found"})
ATTESTED: dict[str, Any] = {
    "extends": "starter",
    "features": [{"name": "slsa_provenance_statement", "projects": ["acme/site"]}],
    "projects": [
        {
            "path_with_namespace": "acme/site",
            "attestations": [
                {"subject_digest": DIGEST, "bundle": "eyJhIjoxfQ==", "expire_at": "2022-11-20T09:00:00.000Z"},
                {"subject_digest": "ab" * 32},
            ],
        }
    ],
}
pytestmark = pytest.mark.fakeplat(scenario=ATTESTED, version="latest", tier="ultimate", default_branch="master")


def test_attestations_are_found_by_the_hash_of_a_file(fakeplat: Fakeplat) -> None:
    """Letters of either case are the same digit; the statement itself is downloaded by its number."""
    dev = fakeplat.as_user("dev")
    (row,) = dev.get(f"{SITE}/{DIGEST}").json()
    project = fakeplat.world.project("acme/site").id
    url = f"{fakeplat.url}/api/v4/projects/{project}/attestations/1/download"

    expected = {
        "id": row["id"],
        "iid": 1,
        "created_at": row["created_at"],
        "updated_at": row["created_at"],
        "expire_at": "2022-11-20T09:00:00.000Z",
        "project_id": project,
        "build_id": None,
        "status": "success",
        "predicate_kind": "provenance",
        "predicate_type": "https://slsa.dev/provenance/v1",
        "subject_digest": DIGEST,
        "download_url": url,
    }
    assert expected == row
    assert [2] == names(dev.get(f"{SITE}/{'AB' * 32}").json(), "iid")
    assert [] == dev.get(f"{SITE}/{'cd' * 32}").json()
    assert {"a": 1} == dev.get(f"{SITE}/1/download").json()


def test_unknown_attestations_are_not_found(fakeplat: Fakeplat) -> None:
    """A word that is no hash, an unknown number, and a project that hides itself are 404."""
    assert NOT_FOUND == refusal(fakeplat, "dev", "GET", f"{SITE}/abc")
    assert NOT_FOUND == refusal(fakeplat, "dev", "GET", f"{SITE}/9/download")
    assert resource_not_found("Project") == refusal(fakeplat, "eve", "GET", f"{SITE}/{DIGEST}")
    fakeplat.as_user("mia").put("projects/acme%2Fsite", json={"public_jobs": False})
    assert FORBIDDEN == refusal(fakeplat, "gus", "GET", f"{SITE}/{DIGEST}")


def test_the_feature_is_off_elsewhere(fakeplat: Fakeplat) -> None:
    """Projects for which the feature is off have no attestations."""
    assert NOT_FOUND == refusal(fakeplat, "dev", "GET", f"projects/acme%2Fdocs/attestations/{DIGEST}")


@pytest.mark.fakeplat(version="18.4")
def test_attestations_came_with_18_5(fakeplat: Fakeplat) -> None:
    """Earlier releases do not know the path."""
    assert NO_ROUTE == refusal(fakeplat, "dev", "GET", f"{SITE}/{DIGEST}")
