"""What groups decide for packages, by GraphQL. Source: docs/platform/graphql.md, docs/platform/packages.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY

pytestmark = pytest.mark.fakeplat(version="latest", clock="virtual", scenario=COMPANY)
FIELDS = (
    "mavenDuplicatesAllowed mavenDuplicateExceptionRegex genericDuplicatesAllowed nugetDuplicatesAllowed "
    "terraformModuleDuplicatesAllowed npmPackageRequestsForwarding lockNpmPackageRequestsForwarding "
    "nugetSymbolServerEnabled"
)
DEFAULTS = {
    "mavenDuplicatesAllowed": True,
    "mavenDuplicateExceptionRegex": "",
    "genericDuplicatesAllowed": True,
    "nugetDuplicatesAllowed": True,
    "terraformModuleDuplicatesAllowed": False,
    "npmPackageRequestsForwarding": None,
    "lockNpmPackageRequestsForwarding": False,
    "nugetSymbolServerEnabled": False,
}


def run_query(fake: Fakeplat, user: str | None, query: str) -> Any:
    url = f"{fake.url}/api/graphql"
    return fake.as_user(user).post(url, json={"query": query}).json()


def read_settings(fake: Fakeplat, user: str) -> Any:
    return run_query(fake, user, f'{{ group(fullPath: "acme") {{ packageSettings {{ {FIELDS} }} }} }}')["data"]["group"]


def change_settings(fake: Fakeplat, user: str, changes: str) -> Any:
    text = f'namespacePath: "acme", {changes}'
    selection = f"packageSettings {{ {FIELDS} }} errors"
    query = f"mutation {{ updateNamespacePackageSettings(input: {{ {text} }}) {{ {selection} }} }}"
    return run_query(fake, user, query)


def test_maintainers_read_and_change_the_settings(fakeplat: Fakeplat) -> None:
    """A Maintainer reads and changes what a group decides for packages; others do not see it."""
    assert {"packageSettings": DEFAULTS} == read_settings(fakeplat, "mia")
    assert {"packageSettings": None} == read_settings(fakeplat, "dev")
    changes = 'mavenDuplicatesAllowed: false, mavenDuplicateExceptionRegex: "a.*", npmPackageRequestsForwarding: false'
    payload = change_settings(fakeplat, "mia", changes)["data"]["updateNamespacePackageSettings"]
    expected = {
        **DEFAULTS,
        "mavenDuplicatesAllowed": False,
        "mavenDuplicateExceptionRegex": "a.*",
        "npmPackageRequestsForwarding": False,
    }
    assert {"packageSettings": expected, "errors": []} == payload
    assert {"packageSettings": expected} == read_settings(fakeplat, "mia")
    change_settings(fakeplat, "mia", "npmPackageRequestsForwarding: null, nugetSymbolServerEnabled: true")
    settings = read_settings(fakeplat, "mia")["packageSettings"]
    assert (None, True) == (settings["npmPackageRequestsForwarding"], settings["nugetSymbolServerEnabled"])


@pytest.mark.parametrize("user", ["dev", "eve"])
def test_others_change_nothing(fakeplat: Fakeplat, user: str) -> None:
    """Who is no Maintainer changes nothing."""
    before = fakeplat.bench.platform.state
    assert "errors" in change_settings(fakeplat, user, "mavenDuplicatesAllowed: false")
    assert before is fakeplat.bench.platform.state


def test_expressions_are_checked(fakeplat: Fakeplat) -> None:
    """An expression of exceptions is valid and has at most 255 characters."""
    payload = change_settings(fakeplat, "mia", f'mavenDuplicateExceptionRegex: "{"a" * 256}"')
    (error,) = payload["data"]["updateNamespacePackageSettings"]["errors"]
    assert "Maven duplicate exception regex is too long (maximum is 255 characters)" == error
    payload = change_settings(fakeplat, "mia", 'mavenDuplicateExceptionRegex: "["')
    assert "not valid RE2 syntax" in str(payload)
    assert {"packageSettings": DEFAULTS} == read_settings(fakeplat, "mia")
