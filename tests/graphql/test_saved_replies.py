"""Texts that users keep for comments. Source: docs/platform/users.md ('Saved replies')."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.graphql.queries import NOT_AVAILABLE, WORLD, list_messages, query_data, query_refused, write_mutation

pytestmark = pytest.mark.fakeplat(version="latest", clock="virtual", scenario=WORLD)
FIELDS = "savedReply { id name content }"
CREATE = write_mutation("savedReplyCreate", FIELDS)
UPDATE = write_mutation("savedReplyUpdate", FIELDS)
DESTROY = write_mutation("savedReplyDestroy", FIELDS)
LIST = "{ currentUser { savedReplies { count nodes { id name content } } } }"
THANKS = {"name": "Thanks", "content": "Thank you."}


def create_reply(fake: Fakeplat, by: str = "dev") -> dict[str, Any]:
    payload = query_data(fake, by, CREATE, input=THANKS)["savedReplyCreate"]
    assert [] == payload["errors"]
    reply: dict[str, Any] = payload["savedReply"]
    return reply


def list_replies(fake: Fakeplat, by: str) -> Any:
    return query_data(fake, by, LIST)["currentUser"]["savedReplies"]


def test_a_user_keeps_texts(fakeplat: Fakeplat) -> None:
    """A user creates, changes and deletes texts for comments."""
    reply = create_reply(fakeplat)

    assert {**THANKS, "id": reply["id"]} == reply
    assert reply["id"].startswith("gid://gitlab/Users::SavedReply/")
    assert {"count": 1, "nodes": [reply]} == list_replies(fakeplat, "dev")
    one = f'{{ currentUser {{ savedReply(id: "{reply["id"]}") {{ name }} }} }}'
    assert {"name": "Thanks"} == query_data(fakeplat, "dev", one)["currentUser"]["savedReply"]
    changed = {"id": reply["id"], "name": "Thanks", "content": "Many thanks."}
    assert {"savedReply": changed, "errors": []} == query_data(fakeplat, "dev", UPDATE, input=changed)[
        "savedReplyUpdate"
    ]
    gone = query_data(fakeplat, "dev", DESTROY, input={"id": reply["id"]})["savedReplyDestroy"]
    assert {"savedReply": changed, "errors": []} == gone
    assert {"count": 0, "nodes": []} == list_replies(fakeplat, "dev")


def test_texts_belong_to_their_user(fakeplat: Fakeplat) -> None:
    """Nobody else sees, changes or deletes the texts of a user; several users may use the same name."""
    reply = create_reply(fakeplat)

    assert {"count": 0, "nodes": []} == list_replies(fakeplat, "ada")
    query = '{ user(username: "dev") { savedReplies { nodes { name } } } }'
    assert None is query_data(fakeplat, "ada", query)["user"]["savedReplies"]
    for text, given in ((UPDATE, reply), (DESTROY, {"id": reply["id"]})):
        for by in ("ada", "root", None):
            assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, by, text, input=given))
    create_reply(fakeplat, "ada")


@pytest.mark.parametrize(
    ("given", "error"),
    [
        (THANKS, "Name has already been taken"),
        ({"name": "", "content": "a"}, "Name can't be blank"),
        ({"name": "a", "content": " "}, "Content can't be blank"),
        ({"name": "a" * 256, "content": "a"}, "Name is too long (maximum is 255 characters)"),
        ({"name": "a", "content": "a" * 10_001}, "Content is too long (maximum is 10000 characters)"),
    ],
)
def test_an_invalid_text_is_refused(fakeplat: Fakeplat, given: dict[str, str], error: str) -> None:
    """A text has a name of its own for its user, and neither is empty or too long."""
    create_reply(fakeplat)
    payload = query_refused(fakeplat, "dev", CREATE, input=given)["data"]["savedReplyCreate"]

    assert {"savedReply": None, "errors": [error]} == payload


def test_anonymous_callers_keep_no_texts(fakeplat: Fakeplat) -> None:
    """Without signing in nobody keeps texts."""
    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, None, CREATE, input=THANKS))
