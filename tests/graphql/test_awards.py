"""Emoji: giving them, taking them back, and what the mutations say."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import UNKNOWN_EMOJI
from tests.api.merge_requests import OPEN, SITE, get_json
from tests.api.notes import ONE, create_note
from tests.by_release import by_release
from tests.graphql.queries import NOT_AVAILABLE, list_messages, query_data, query_refused, write_mutation

GIVEN = "awardEmoji { name user { username } emoji unicode description }"
THUMB = {"name": "thumbsup", "user": {"username": "gus"}, "emoji": "\U0001f44d", "unicode": "1f44d"}


def build_mutation(name: str, selection: str = "awardEmoji { name }") -> str:
    return write_mutation(name, selection)


def run_mutation(
    fake: Fakeplat, by: str, mutation_name: str, selection: str = "awardEmoji { name }", /, **given: Any
) -> Any:
    """What a mutation gives."""
    return query_data(fake, by, build_mutation(mutation_name, selection), input=given)[mutation_name]


def list_awards(fake: Fakeplat, path: str) -> list[str]:
    return [award["name"] for award in get_json(fake, f"{path}/award_emoji")]


def find_awardable(fake: Fakeplat, kind: str) -> tuple[str, str]:
    """A thing's place in REST and its global id."""
    if kind == "Note":
        note = create_note(fake, "Hm")["id"]
        return f"{ONE}/notes/{note}", f"gid://gitlab/Note/{note}"
    path = {"Issue": ONE, "MergeRequest": OPEN}[kind]
    return path, f"gid://gitlab/{kind}/{get_json(fake, path)['id']}"


@pytest.mark.parametrize("kind", ["Issue", "MergeRequest", "Note"])
def test_an_emoji_is_given_and_taken_back(fakeplat: Fakeplat, kind: str) -> None:
    """An emoji is awarded to and removed from an issue, a merge request and a note, as REST shows."""
    path, id_ = find_awardable(fakeplat, kind)
    given = {"awardableId": id_, "name": "thumbsup"}

    assert {"awardEmoji": {"name": "thumbsup"}, "errors": []} == run_mutation(fakeplat, "rep", "awardEmojiAdd", **given)
    assert ["thumbsup"] == list_awards(fakeplat, path)
    assert {"awardEmoji": None, "errors": []} == run_mutation(fakeplat, "rep", "awardEmojiRemove", **given)
    assert [] == list_awards(fakeplat, path)


def test_an_emoji_shows_what_it_is(fakeplat: Fakeplat) -> None:
    """An award shows its name, user, emoji, code point and description."""
    _, id_ = find_awardable(fakeplat, "Issue")
    award = run_mutation(fakeplat, "gus", "awardEmojiAdd", GIVEN, awardableId=id_, name="+1")["awardEmoji"]

    assert {**THUMB, "description": "thumbs up sign"} == award


def test_an_emoji_is_toggled(fakeplat: Fakeplat) -> None:
    """Toggling awards an emoji that is not there and removes one that is."""
    path, id_ = find_awardable(fakeplat, "Issue")
    selection = "toggledOn awardEmoji { name }"
    on, off = (
        run_mutation(fakeplat, "gus", "awardEmojiToggle", selection, awardableId=id_, name="tada") for _ in range(2)
    )

    assert {"toggledOn": True, "awardEmoji": {"name": "tada"}, "errors": []} == on
    assert {"toggledOn": False, "awardEmoji": None, "errors": []} == off
    assert [] == list_awards(fakeplat, path)


@pytest.mark.parametrize("name", ["addAwardEmoji", "toggleAwardEmoji"])
def test_older_names_do_the_same(fakeplat: Fakeplat, name: str) -> None:
    """The deprecated mutations award and remove emoji, too."""
    path, id_ = find_awardable(fakeplat, "Issue")
    run_mutation(fakeplat, "gus", name, awardableId=id_, name="tada")
    assert ["tada"] == list_awards(fakeplat, path)

    run_mutation(fakeplat, "gus", "removeAwardEmoji", awardableId=id_, name="tada")
    assert [] == list_awards(fakeplat, path)


@pytest.mark.parametrize(
    ("name", "emoji", "errors"),
    [
        ("awardEmojiAdd", "thumbsup", ["Name has already been taken"]),
        ("awardEmojiAdd", "no-such", ["Name is not included in the list"]),
        ("awardEmojiToggle", "no-such", ["Name is not included in the list"]),
        ("awardEmojiRemove", "tada", ["User has not awarded emoji of type tada on the awardable"]),
    ],
)
def test_an_invalid_award_is_an_error_in_the_payload(
    fakeplat: Fakeplat, name: str, emoji: str, errors: list[str]
) -> None:
    """An emoji that cannot be awarded or removed is an error in the payload, and nothing changes."""
    _, id_ = find_awardable(fakeplat, "Issue")
    run_mutation(fakeplat, "gus", "awardEmojiAdd", awardableId=id_, name="thumbsup")
    selection = "toggledOn" if name == "awardEmojiToggle" else "awardEmoji { name }"
    answered = query_refused(
        fakeplat, "gus", build_mutation(name, selection), input={"awardableId": id_, "name": emoji}
    )

    assert errors == answered["data"][name]["errors"]


@by_release(
    UNKNOWN_EMOJI, "text", {"16.1": "Name is not included in the list", "16.2": "Name is not a valid emoji name"}
)
def test_an_unknown_emoji_is_an_error_in_the_payload(fakeplat: Fakeplat, text: str) -> None:
    """The text is that of the release; a blank name has two errors."""
    _, id_ = find_awardable(fakeplat, "Issue")
    for name, expected in (("no-such", [text]), ("", ["Name can't be blank", text])):
        answered = query_refused(
            fakeplat, "gus", build_mutation("awardEmojiAdd"), input={"awardableId": id_, "name": name}
        )
        assert expected == answered["data"]["awardEmojiAdd"]["errors"]


@pytest.mark.parametrize(("by", "kind"), [("eve", "Issue"), (None, "Issue"), ("gus", "MergeRequest"), ("eve", "Note")])
def test_who_does_not_see_a_thing_gives_it_nothing(fakeplat: Fakeplat, by: str | None, kind: str) -> None:
    """Awarding an emoji to what the caller cannot read is refused as not available."""
    _, id_ = find_awardable(fakeplat, kind)
    for name in ("awardEmojiAdd", "awardEmojiRemove"):
        answered = query_refused(fakeplat, by, build_mutation(name), input={"awardableId": id_, "name": "tada"})
        assert ([NOT_AVAILABLE], {name: None}) == (list_messages(answered), answered["data"])


def test_an_archived_project_takes_no_emoji(fakeplat: Fakeplat) -> None:
    """Awarding an emoji in an archived project is refused as not available."""
    _, id_ = find_awardable(fakeplat, "Issue")
    fakeplat.as_user("ada").post(f"{SITE}/archive")

    assert [NOT_AVAILABLE] == list_messages(
        query_refused(fakeplat, "ada", build_mutation("awardEmojiAdd"), input={"awardableId": id_, "name": "tada"})
    )


def test_system_notes_take_no_emoji(fakeplat: Fakeplat) -> None:
    """Awarding an emoji to a system note is refused."""
    fakeplat.as_user("ada").put(ONE, json={"title": "Other"})
    note = get_json(fakeplat, f"{ONE}/notes")[0]["id"]
    given = {"awardableId": f"gid://gitlab/Note/{note}", "name": "tada"}

    assert ["Cannot award emoji to this resource"] == list_messages(
        query_refused(fakeplat, "ada", build_mutation("awardEmojiAdd"), input=given)
    )


def test_only_some_things_take_emoji(fakeplat: Fakeplat) -> None:
    """The global id of a user does not represent something that takes emoji."""
    given = {"awardableId": "gid://gitlab/User/1", "name": "tada"}

    assert [
        (
            "Variable $input of type AwardEmojiAddInput! was provided invalid value for "
            'awardableId ("gid://gitlab/User/1" does not represent an instance of Awardable)'
        )
    ] == list_messages(query_refused(fakeplat, "ada", build_mutation("awardEmojiAdd"), input=given))
