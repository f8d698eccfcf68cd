"""Mutations of releases and their links by GraphQL. Source: docs/platform/graphql.md, docs/platform/releases.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.requests import names
from tests.graphql.queries import NOT_AVAILABLE, PATH

pytestmark = pytest.mark.fakeplat(version="latest", default_branch="master", clock="virtual")
RELEASES = "projects/acme%2Fsite/releases"
PLACE = {"projectPath": "acme/site", "tagName": "v9"}


def mutate(fake: Fakeplat, mutation: str, selection: str, by: str = "mia", **values: Any) -> Any:
    """Return the payload of a mutation, or the messages of its errors."""
    kind = f"{mutation[0].upper()}{mutation[1:]}Input!"
    query = f"mutation($input: {kind}) {{ {mutation}(input: $input) {{ {selection} errors }} }}"
    body = fake.as_user(by).post(PATH, json={"query": query, "variables": {"input": values}}).json()
    return names(body["errors"], "message") if "errors" in body else body["data"][mutation]


def create(fake: Fakeplat, **values: Any) -> Any:
    """Create a release, and return what the payload shows of it."""
    selection = "release { id name tagName historicalRelease milestones { nodes { title } } assets { links { nodes { \
      id name directAssetPath linkType } } } }"
    return mutate(fake, "releaseCreate", selection, **PLACE, ref="master", **values)


def test_a_release_is_created_with_its_tag_and_links(fakeplat: Fakeplat) -> None:
    """A release is created with its tag, milestones and links."""
    fakeplat.as_user("dev").post("projects/acme%2Fsite/milestones", json={"title": "M"})
    link = {"name": "a", "url": "https://x.test/a", "directAssetPath": "/a", "linkType": "PACKAGE"}
    payload = create(
        fakeplat,
        name="Nine",
        tagMessage="About",
        milestones=["M"],
        releasedAt="2001-01-01T00:00:00Z",
        assets={"links": [link]},
    )
    release = payload["release"]
    (shown,) = release["assets"]["links"]["nodes"]

    assert ([], "Nine", "v9", True) == (payload["errors"], release["name"], release["tagName"], True)
    assert release["historicalRelease"]
    assert release["id"].partition("/Release/")[2]
    assert ("a", "/a", "PACKAGE") == (shown["name"], shown["directAssetPath"], shown["linkType"])
    assert ["M"] == names(release["milestones"]["nodes"], "title")
    tag = fakeplat.as_user("dev").get("projects/acme%2Fsite/repository/tags/v9").json()
    assert "About" == tag["message"]
    assert ["Release already exists"] == create(fakeplat)["errors"]


def test_a_release_is_updated_and_deleted(fakeplat: Fakeplat) -> None:
    """A release is updated and deleted by those who may, as by REST."""
    create(fakeplat)
    changed = mutate(fakeplat, "releaseUpdate", "release { name }", **PLACE, name="New")

    assert ("New", []) == (changed["release"]["name"], changed["errors"])
    assert [NOT_AVAILABLE] == mutate(fakeplat, "releaseDelete", "release { name }", by="rep", **PLACE)
    assert "New" == mutate(fakeplat, "releaseDelete", "release { name }", **PLACE)["release"]["name"]
    assert 404 == fakeplat.as_user("mia").get(f"{RELEASES}/v9").status
    assert [NOT_AVAILABLE] == mutate(fakeplat, "releaseUpdate", "release { name }", **PLACE, name="New")


def test_links_are_added_changed_and_deleted(fakeplat: Fakeplat) -> None:
    """Links of a release are added, changed and deleted."""
    create(fakeplat)
    fields = "link { id name url linkType }"
    added = mutate(fakeplat, "releaseAssetLinkCreate", fields, **PLACE, name="a", url="https://x.test/a")
    id_ = added["link"]["id"]
    changed = mutate(fakeplat, "releaseAssetLinkUpdate", fields, id=id_, name="b", linkType="IMAGE")
    again = mutate(fakeplat, "releaseAssetLinkCreate", fields, **PLACE, name="b", url="https://x.test/b")

    assert ("a", "https://x.test/a", "OTHER") == tuple(added["link"][name] for name in ("name", "url", "linkType"))
    assert ("b", "https://x.test/a", "IMAGE") == tuple(changed["link"][name] for name in ("name", "url", "linkType"))
    assert (None, ["Name has already been taken"]) == (again["link"], again["errors"])
    assert [NOT_AVAILABLE] == mutate(fakeplat, "releaseAssetLinkDelete", fields, by="rep", id=id_)
    assert "b" == mutate(fakeplat, "releaseAssetLinkDelete", fields, id=id_)["link"]["name"]
    assert [] == fakeplat.as_user("dev").get(f"{RELEASES}/v9/assets/links").json()
