"""Emoji that users add to groups. Source: docs/platform/award-emoji.md ('Custom emoji')."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.graphql.queries import NOT_AVAILABLE, WORLD, list_messages, query_data, query_refused, write_mutation

pytestmark = pytest.mark.fakeplat(version="latest", clock="virtual", scenario=WORLD)
URL = "https://emoji.example.test/party.png"
CREATE = write_mutation("createCustomEmoji", "customEmoji { id name url external createdAt }")
DESTROY = write_mutation("destroyCustomEmoji", "customEmoji { id name }")
PARTY = {"groupPath": "acme", "name": "party_bird", "url": URL}


def create_party(fake: Fakeplat, by: str = "dev") -> dict[str, Any]:
    payload = query_data(fake, by, CREATE, input=PARTY)["createCustomEmoji"]
    assert [] == payload["errors"]
    emoji: dict[str, Any] = payload["customEmoji"]
    return emoji


def list_names(fake: Fakeplat, path: str, arguments: str = "") -> list[str]:
    query = f'{{ group(fullPath: "{path}") {{ customEmoji{arguments} {{ nodes {{ name }} }} }} }}'
    return [row["name"] for row in query_data(fake, "gus", query)["group"]["customEmoji"]["nodes"]]


def test_a_developer_adds_an_emoji_to_a_group(fakeplat: Fakeplat) -> None:
    """A Developer adds an emoji, which the group lists, and a subgroup if those above are asked for."""
    emoji = create_party(fakeplat)

    assert ("party_bird", URL, True) == (emoji["name"], emoji["url"], emoji["external"])
    assert emoji["createdAt"].endswith("Z")
    assert ["party_bird"] == list_names(fakeplat, "acme")
    assert [] == list_names(fakeplat, "acme/tools")
    assert ["party_bird"] == list_names(fakeplat, "acme/tools", "(includeAncestorGroups: true)")


@pytest.mark.parametrize("by", [None, "rep", "eve"])
def test_others_add_no_emoji(fakeplat: Fakeplat, by: str | None) -> None:
    """Below Developer nobody adds an emoji to a group."""
    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, by, CREATE, input=PARTY))


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"name": "tada"}, "Name tada is already being used for another emoji"),
        ({"name": "Party"}, "Name is invalid"),
        ({"name": "a" * 37}, "Name is too long (maximum is 36 characters)"),
        ({"url": "ftp://emoji.example.test/a.png"}, "File is blocked: Only allowed schemes are http, https"),
        ({"name": "party_bird"}, "Name has already been taken"),
    ],
)
def test_an_invalid_emoji_is_refused(fakeplat: Fakeplat, changes: dict[str, str], error: str) -> None:
    """An emoji needs a name of its own in small letters, and an address that is not blocked."""
    create_party(fakeplat)
    given = {**PARTY, "name": "other", **changes}
    payload = query_refused(fakeplat, "dev", CREATE, input=given)["data"]["createCustomEmoji"]

    assert {"customEmoji": None, "errors": [error]} == payload


def test_who_added_an_emoji_deletes_it(fakeplat: Fakeplat) -> None:
    """Only the one who added an emoji deletes it, not even an Owner of the group."""
    emoji = create_party(fakeplat)
    given = {"id": emoji["id"]}

    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, "ada", DESTROY, input=given))
    payload = query_data(fakeplat, "dev", DESTROY, input=given)["destroyCustomEmoji"]
    assert {"customEmoji": {"id": emoji["id"], "name": "party_bird"}, "errors": []} == payload
    assert [] == list_names(fakeplat, "acme")
    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, "dev", DESTROY, input=given))


def test_an_emoji_of_the_group_is_awarded(fakeplat: Fakeplat) -> None:
    """An emoji of a group is awarded on what is in it, and the award shows its address."""
    create_party(fakeplat)
    path = "projects/acme%2Fsite/issues/1/award_emoji"
    awarded = fakeplat.as_user("gus").post(path, json={"name": "party_bird"})

    assert (201, "party_bird", URL) == (awarded.status, awarded.json()["name"], awarded.json()["url"])
    known = fakeplat.as_user("gus").post(path, json={"name": "tada"}).json()
    assert (None, "tada") == (known["url"], known["name"])
    outside = fakeplat.as_user("ada").post("projects/ada%2Fnotes/issues", json={"title": "Mine"}).json()
    refused = fakeplat.as_user("ada").post(
        f"projects/ada%2Fnotes/issues/{outside['iid']}/award_emoji", json={"name": "party_bird"}
    )
    assert 404 == refused.status


def test_an_emoji_is_shown_in_texts(fakeplat: Fakeplat) -> None:
    """Texts of projects show the emoji of the groups above, but not within words, in code, or of no group."""
    create_party(fakeplat)
    text = "Yes :party_bird: no:party_bird: `:party_bird:` :other_bird: :tada:"
    given = {"text": text, "gfm": True, "project": "acme/site"}
    html = fakeplat.as_user("dev").post("markdown", json=given).json()["html"]
    tag = (
        f'<gl-emoji title="party_bird" data-name="party_bird" data-fallback-src="{URL}" data-unicode-version="custom">'
        "</gl-emoji>"
    )

    assert 1 == html.count(tag)
    assert f"Yes {tag} no:party_bird: <code>:party_bird:</code> :other_bird: " in html
    elsewhere = fakeplat.as_user("dev").post("markdown", json={"text": ":party_bird:", "gfm": True}).json()["html"]
    assert '<p dir="auto">:party_bird:</p>' == elsewhere
