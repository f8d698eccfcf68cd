"""Texts for comments that the members of groups and projects share.

Source: docs/platform/users.md ('Saved replies'), and the platform's specs of these requests.
"""

from typing import Any, NamedTuple

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.graphql.queries import NOT_AVAILABLE, list_messages, query_data, query_refused, write_mutation

ACME: dict[str, Any] = COMPANY["groups"][0]
SUBGROUP = {"name": "Inner", "path": "inner", "saved_replies": [{"name": "Inner", "content": "From inside."}]}
pytestmark = pytest.mark.fakeplat(
    version="latest", tier="premium", scenario={**COMPANY, "groups": [{**ACME, "groups": [SUBGROUP]}]}
)
FIELDS = "savedReply { id name content }"
THANKS = {"name": "Thanks", "content": "Thank you."}


class Owner(NamedTuple):
    """A group or project that has texts."""

    field: str
    path: str
    kind: str

    def mutation(self, verb: str) -> str:
        return write_mutation(f"{self.field}SavedReply{verb}", FIELDS)

    def id_in(self, fake: Fakeplat) -> str:
        query = f'{{ {self.field}(fullPath: "{self.path}") {{ id }} }}'
        return str(query_data(fake, "ada", query)[self.field]["id"])

    def ask(self, fake: Fakeplat, selection: str, by: str | None = "gus", path: str = "") -> Any:
        query = f'{{ {self.field}(fullPath: "{path or self.path}") {{ {selection} }} }}'
        return query_data(fake, by, query)[self.field]

    def list_names(self, fake: Fakeplat) -> list[str]:
        replies = self.ask(fake, "savedReplies { nodes { name } }", "ada")["savedReplies"]
        return [reply["name"] for reply in replies["nodes"]]

    def create(self, fake: Fakeplat, by: str = "dev", **given: str) -> Any:
        sent = {f"{self.field}Id": self.id_in(fake), **THANKS, **given}
        (payload,) = query_data(fake, by, self.mutation("Create"), input=sent).values()
        assert [] == payload["errors"]
        return payload["savedReply"]


GROUP, PROJECT = Owner("group", "acme", "Groups"), Owner("project", "acme/site", "Projects")
each_owner = pytest.mark.parametrize("owner", [GROUP, PROJECT], ids=["group", "project"])


@each_owner
def test_members_share_texts(fakeplat: Fakeplat, owner: Owner) -> None:
    """Developers create, change and delete texts, which Guests see, the latest first."""
    reply = owner.create(fakeplat)
    owner.create(fakeplat, name="Second")

    assert {**THANKS, "id": reply["id"]} == reply
    assert reply["id"].startswith(f"gid://gitlab/{owner.kind}::SavedReply/")
    shown = owner.ask(fakeplat, "savedReplies { count nodes { name } }")["savedReplies"]
    assert {"count": 2, "nodes": [{"name": "Second"}, {"name": "Thanks"}]} == shown
    assert reply == owner.ask(fakeplat, f'savedReply(id: "{reply["id"]}") {{ id name content }}')["savedReply"]
    changed = {"id": reply["id"], "name": "Thanks", "content": "Many thanks."}
    for verb, given in (("Update", changed), ("Destroy", {"id": reply["id"]})):
        (payload,) = query_data(fakeplat, "dev", owner.mutation(verb), input=given).values()
        assert {"savedReply": changed, "errors": []} == payload
    assert ["Second"] == owner.list_names(fakeplat)


@each_owner
def test_below_developer_nobody_changes_texts(fakeplat: Fakeplat, owner: Owner) -> None:
    """Reporters change no texts, and find none to change in another group or project."""
    reply = owner.create(fakeplat)
    sent = {f"{owner.field}Id": owner.id_in(fakeplat), "name": "New", "content": "a"}
    for verb, given in (("Create", sent), ("Update", reply), ("Destroy", {"id": reply["id"]})):
        for by in ("rep", "eve", None):
            refused = query_refused(fakeplat, by, owner.mutation(verb), input=given)
            assert [NOT_AVAILABLE] == list_messages(refused)


@each_owner
def test_a_text_of_another_kind_is_not_found(fakeplat: Fakeplat, owner: Owner) -> None:
    """A missing text, and one of another kind of owner, are not available."""
    other = PROJECT if owner is GROUP else GROUP
    number = other.create(fakeplat)["id"].rpartition("/")[2]
    for id_ in (number, "1"):
        given = {"id": f"gid://gitlab/{owner.kind}::SavedReply/{id_}"}
        assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, "dev", owner.mutation("Destroy"), input=given))
        assert None is owner.ask(fakeplat, f'savedReply(id: "{given["id"]}") {{ name }}')["savedReply"]


def test_others_see_no_texts_of_a_group(fakeplat: Fakeplat) -> None:
    """Who is no member of a group finds null in place of its texts."""
    reply = GROUP.create(fakeplat)
    selection = f'savedReplies {{ count }} savedReply(id: "{reply["id"]}") {{ name }}'

    assert {"savedReplies": None, "savedReply": None} == GROUP.ask(fakeplat, selection, "eve")


def test_others_see_no_texts_of_a_project(fakeplat: Fakeplat) -> None:
    """Who is no member of a project finds no texts there."""
    docs = PROJECT._replace(path="acme/docs")
    reply = docs.create(fakeplat)
    selection = f'savedReplies {{ nodes {{ name }} }} savedReply(id: "{reply["id"]}") {{ name }}'

    assert {"savedReplies": {"nodes": []}, "savedReply": None} == docs.ask(fakeplat, selection, "eve")


@pytest.mark.fakeplat(tier="free")
@each_owner
def test_texts_are_a_paid_feature(fakeplat: Fakeplat, owner: Owner) -> None:
    """Without a paid tier nobody shares texts."""
    given = {f"{owner.field}Id": owner.id_in(fakeplat), **THANKS}

    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, "ada", owner.mutation("Create"), input=given))
    shown = owner.ask(fakeplat, "savedReplies { nodes { name } }", "ada")["savedReplies"]
    assert (None if owner is GROUP else {"nodes": []}) == shown


@pytest.mark.parametrize(
    ("given", "error"),
    [
        (THANKS, "Name has already been taken"),
        ({"name": "", "content": "a"}, "Name can't be blank"),
        ({"name": "a", "content": "a" * 10_001}, "Content is too long (maximum is 10000 characters)"),
    ],
    ids=["taken", "blank", "long"],
)
@each_owner
def test_an_invalid_text_is_refused(fakeplat: Fakeplat, owner: Owner, given: dict[str, str], error: str) -> None:
    """A text has a name of its own in its group or project, and neither is empty or too long."""
    owner.create(fakeplat)
    other = owner.create(fakeplat, name="Other")
    sent = (("Create", {f"{owner.field}Id": owner.id_in(fakeplat), **given}), ("Update", {"id": other["id"], **given}))
    for verb, input_ in sent:
        (payload,) = query_refused(fakeplat, "dev", owner.mutation(verb), input=input_)["data"].values()
        assert {"savedReply": None, "errors": [error]} == payload


@pytest.mark.parametrize(
    ("arguments", "expected"), [("", ["Inner"]), ("(includeAncestorGroups: true)", ["Thanks", "Inner"])]
)
def test_a_subgroup_has_the_texts_above(fakeplat: Fakeplat, arguments: str, expected: list[str]) -> None:
    """A subgroup shows its own texts, and on request those of the groups above it."""
    GROUP.create(fakeplat)
    replies = GROUP.ask(fakeplat, f"savedReplies{arguments} {{ nodes {{ name }} }}", path="acme/inner")["savedReplies"]

    assert expected == [reply["name"] for reply in replies["nodes"]]


def test_an_archived_group_keeps_its_texts(fakeplat: Fakeplat) -> None:
    """Nobody changes the texts of an archived group, which members still see."""
    reply = GROUP.create(fakeplat)
    fakeplat.as_user("ada").post("groups/acme/archive")
    refused = query_refused(fakeplat, "ada", GROUP.mutation("Destroy"), input={"id": reply["id"]})

    assert [NOT_AVAILABLE] == list_messages(refused)
    assert ["Thanks"] == GROUP.list_names(fakeplat)


@pytest.mark.parametrize(
    "owner",
    [
        pytest.param(GROUP, marks=pytest.mark.fakeplat(version="16.9"), id="group"),
        pytest.param(PROJECT, marks=pytest.mark.fakeplat(version="16.10"), id="project"),
    ],
)
def test_earlier_releases_share_no_texts(fakeplat: Fakeplat, owner: Owner) -> None:
    """Groups have texts since 16.10, projects since 16.11."""
    query = f'{{ {owner.field}(fullPath: "{owner.path}") {{ savedReplies {{ nodes {{ name }} }} }} }}'
    (message,) = list_messages(query_refused(fakeplat, "ada", query))

    assert f"Field 'savedReplies' doesn't exist on type '{owner.field.title()}'" == message
