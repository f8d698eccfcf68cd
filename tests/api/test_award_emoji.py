"""Award emoji on issues and on notes. Source: docs/platform/award-emoji.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import AWARDS_NEED_NO_LOGIN, UNKNOWN_EMOJI
from tests.api.company import COMPANY
from tests.api.notes import ONE, create_note, list_todos
from tests.api.planning_records import DOCS, MISSING, SITE, create_record, get_json, issue
from tests.api.requests import (
    LONG_AGO,
    STALE,
    UNAUTHORIZED,
    Outcome,
    invalid,
    names,
    outcome,
    refusal,
    resource_not_found,
)
from tests.by_release import by_release

pytestmark = [pytest.mark.every_release, pytest.mark.fakeplat(scenario=COMPANY)]

HIDDEN = resource_not_found("Award Emoji")
TAKEN = resource_not_found("Award Emoji Name has already been taken")
PLACES = ["issue", "note"]


def create_awardable(fake: Fakeplat, kind: str) -> tuple[str, int]:
    """Create an issue, or a note on it; return the path of its awards and its id."""
    new_issue = issue(fake)
    if kind == "issue":
        return f"{ONE}/award_emoji", new_issue["id"]
    note = create_note(fake, "Well.", "dev")["id"]
    return f"{ONE}/notes/{note}/award_emoji", note


@pytest.mark.fakeplat(clock="virtual", releases="<18.9")
@pytest.mark.parametrize("kind", PLACES)
def test_an_award(fakeplat: Fakeplat, kind: str) -> None:
    """A new award answers 201 and is shown alone and in the list."""
    target, awarded = create_awardable(fakeplat, kind)
    award = create_record(fakeplat, target, "gus", name="tada")
    user = award.pop("user")

    assert ("gus", "active") == (user["username"], user["state"])
    assert {
        "id": award["id"],
        "name": "tada",
        "created_at": award["created_at"],
        "updated_at": award["created_at"],
        "awardable_id": awarded,
        "awardable_type": kind.title(),
    } == award
    assert {**award, "user": user} == get_json(fakeplat, f"{target}/{award['id']}", "rep")
    assert [{**award, "user": user}] == get_json(fakeplat, target, "rep")


@pytest.mark.parametrize("kind", PLACES)
@pytest.mark.parametrize(
    ("who", "method", "path", "body", "expected"),
    [
        (None, "POST", "", {"name": "tada"}, UNAUTHORIZED),
        ("ada", "POST", "", {}, invalid("name is missing")),
        ("gus", "POST", "", {"name": "tada"}, TAKEN),
        ("gus", "POST", "", {"name": ":tada:"}, TAKEN),
        ("ada", "GET", "/1", None, MISSING),
        ("ada", "DELETE", "/1", None, MISSING),
        ("ada", "GET", "/first", None, invalid("award_id is invalid")),
        ("ada", "DELETE", "/{award}", None, UNAUTHORIZED),
        (None, "DELETE", "/{award}", None, UNAUTHORIZED),
    ],
)
@pytest.mark.fakeplat(releases="<17.11")
def test_refusals(
    fakeplat: Fakeplat, kind: str, who: str | None, method: str, path: str, body: Any, expected: Outcome
) -> None:
    """Unknown, repeated and foreign awards are refused and change nothing."""
    target, _ = create_awardable(fakeplat, kind)
    award = create_record(fakeplat, target, "gus", name="tada")["id"]
    assert expected == refusal(fakeplat, who, method, target + path.format(award=award), json=body)


@by_release(
    UNKNOWN_EMOJI, "text", {"16.1": "Name is not included in the list", "16.2": "Name is not a valid emoji name"}
)
@pytest.mark.parametrize("kind", PLACES)
def test_unknown_emoji_are_refused(fakeplat: Fakeplat, kind: str, text: str) -> None:
    """A name that no emoji has is not found, with the text of the release; a blank one is wrong twice."""
    target, _ = create_awardable(fakeplat, kind)
    for name, expected in (("no_such_emoji", text), ("", f"Name can't be blank and {text}")):
        unknown = resource_not_found(f"Award Emoji {expected}")
        assert unknown == refusal(fakeplat, "ada", "POST", target, json={"name": name})


@pytest.mark.parametrize("kind", PLACES)
@pytest.mark.parametrize("by", ["gus", "root"])
def test_authors_and_administrators_delete_awards(fakeplat: Fakeplat, kind: str, by: str) -> None:
    """An award is deleted by its author or an administrator, unless it changed since."""
    target, _ = create_awardable(fakeplat, kind)
    award = create_record(fakeplat, target, "gus", name="tada")["id"]

    assert STALE == refusal(fakeplat, by, "DELETE", f"{target}/{award}", headers=LONG_AGO)
    assert (204, None) == outcome(fakeplat.as_user(by).delete(f"{target}/{award}"))
    assert [] == get_json(fakeplat, target)


def test_thumbs_are_votes(fakeplat: Fakeplat) -> None:
    """+1 is thumbsup; upvotes and downvotes of a kept answer follow, those of notes do not count."""
    target, _ = create_awardable(fakeplat, "issue")
    assert (0, 0) == (get_json(fakeplat, ONE)["upvotes"], get_json(fakeplat, ONE)["downvotes"])
    assert "thumbsup" == create_record(fakeplat, target, "gus", name="+1")["name"]
    create_record(fakeplat, target, "dev", name="thumbsup")
    down = create_record(fakeplat, target, "gus", name="-1")
    create_record(fakeplat, f"{ONE}/notes/{create_note(fakeplat, 'x')['id']}/award_emoji", "gus", name="thumbsup")

    assert (2, 1, "thumbsdown") == (
        get_json(fakeplat, ONE)["upvotes"],
        get_json(fakeplat, ONE)["downvotes"],
        down["name"],
    )
    assert TAKEN == refusal(fakeplat, "dev", "POST", target, json={"name": "+1"})
    fakeplat.as_user("gus").delete(f"{target}/{down['id']}")
    assert 0 == get_json(fakeplat, ONE)["downvotes"]


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("heart", "heart"),
        (":heart:", "heart"),
        ("+1", "thumbsup"),
        ("-1", "thumbsdown"),
        ("100", "100"),
        ("thinking", "thinking"),
        ("white_check_mark", "white_check_mark"),
        ("thumbsup_tone3", "thumbsup_tone3"),
        ("flag_de", "flag_de"),
    ],
)
def test_names(fakeplat: Fakeplat, sent: str, kept: str) -> None:
    """Emoji names are accepted with colons, short forms, skin tones and flags."""
    target, _ = create_awardable(fakeplat, "issue")
    assert kept == create_record(fakeplat, target, name=sent)["name"]


def test_everybody_sees_those_of_a_public_project(fakeplat: Fakeplat) -> None:
    """Anonymous callers list the awards in public projects in pages, oldest first."""
    issue(fakeplat, DOCS)
    target = f"{DOCS}/issues/1/award_emoji"
    for name in ("tada", "rocket", "heart"):
        create_record(fakeplat, target, "eve", name=name)
    reply = fakeplat.as_user(None).get(f"{target}?per_page=2")

    assert (200, "3", ["tada", "rocket"]) == (reply.status, reply.headers["X-Total"], names(reply.json(), "name"))


def test_hidden_and_unknown_awards_are_not_found(fakeplat: Fakeplat) -> None:
    """Awards of hidden or unknown projects, issues and notes are not found."""
    issue(fakeplat, confidential=True)
    issue(fakeplat, DOCS)
    secret = create_note(fakeplat, "secret", target=f"{DOCS}/issues/1", confidential=True)["id"]

    assert resource_not_found("Project") == refusal(fakeplat, "eve", "GET", f"{ONE}/award_emoji")
    assert MISSING == refusal(fakeplat, "ada", "GET", f"{SITE}/issues/99/award_emoji")
    assert HIDDEN == refusal(fakeplat, "gus", "GET", f"{ONE}/award_emoji")
    assert HIDDEN == refusal(fakeplat, "gus", "POST", f"{ONE}/award_emoji", json={"name": "tada"})
    assert HIDDEN == refusal(fakeplat, "gus", "GET", f"{DOCS}/issues/1/notes/{secret}/award_emoji")
    assert MISSING == refusal(fakeplat, "ada", "GET", f"{DOCS}/issues/1/notes/1/award_emoji")


def test_system_notes_and_archived_projects_take_no_awards(fakeplat: Fakeplat) -> None:
    """System notes and archived projects take no awards."""
    issue(fakeplat)
    fakeplat.as_user("ada").put(ONE, json={"confidential": True})
    note = get_json(fakeplat, f"{ONE}/notes")[0]["id"]
    assert HIDDEN == refusal(fakeplat, "ada", "POST", f"{ONE}/notes/{note}/award_emoji", json={"name": "tada"})
    fakeplat.as_user("ada").post(f"{SITE}/archive")
    assert HIDDEN == refusal(fakeplat, "ada", "POST", f"{ONE}/award_emoji", json={"name": "tada"})


def test_awarding_finishes_todos(fakeplat: Fakeplat) -> None:
    """Awarding an issue finishes the awarder's to-dos about it."""
    issue(fakeplat, description="@gus @rep")
    create_record(fakeplat, f"{ONE}/award_emoji", "gus", name="tada")

    assert [] == list_todos(fakeplat, "gus")
    assert [("directly_addressed", "One")] == list_todos(fakeplat, "rep")


@pytest.mark.parametrize(
    ("name", "stored"),
    [
        ("popcorn", "popcorn"),
        ("+1_tone3", "thumbsup_tone3"),
        ("rainbow_flag", "gay_pride_flag"),
        ("de", "flag_de"),
        ("first_place_medal", "first_place"),
    ],
)
def test_an_alias_is_stored_under_the_name(fakeplat: Fakeplat, name: str, stored: str) -> None:
    """The platform knows the names of EmojiOne and their aliases."""
    target, _ = create_awardable(fakeplat, "issue")
    assert stored == create_record(fakeplat, target, "gus", name=name)["name"]


@by_release(UNKNOWN_EMOJI, "text", {"13.5": "is not included in the list", "19.3": "is not a valid emoji name"})
@pytest.mark.parametrize("name", ["red_heart", "grinning_face", "thumbs_up", "flag_qq"])
def test_names_of_other_lists_are_unknown(fakeplat: Fakeplat, name: str, text: str) -> None:
    """Names that other programs give to emoji are not included in the platform's list."""
    target, _ = create_awardable(fakeplat, "issue")
    unknown = resource_not_found(f"Award Emoji Name {text}")
    assert unknown == refusal(fakeplat, "gus", "POST", target, json={"name": name})


@pytest.mark.fakeplat(version="latest")
def test_anonymous_callers_find_nothing_to_award(fakeplat: Fakeplat) -> None:
    """Later releases do not ask anonymous callers to sign in before they look for what is awarded."""
    target, _ = create_awardable(fakeplat, "issue")
    award = create_record(fakeplat, target, "gus", name="tada")["id"]
    public = f"{DOCS}/issues/{issue(fakeplat, DOCS)['iid']}/award_emoji"
    given = create_record(fakeplat, public, "ada", name="tada")["id"]
    hidden = resource_not_found("Project")

    assert [hidden, hidden] == [
        refusal(fakeplat, None, "POST", target, json={"name": "tada"}),
        refusal(fakeplat, None, "DELETE", f"{target}/{award}"),
    ]
    assert HIDDEN == refusal(fakeplat, None, "POST", public, json={"name": "tada"})
    assert UNAUTHORIZED == refusal(fakeplat, None, "DELETE", f"{public}/{given}")
    assert MISSING == refusal(fakeplat, None, "DELETE", f"{public}/{given + 1}")


@by_release(AWARDS_NEED_NO_LOGIN, "expected", {"17.10": 401, "17.11": 404})
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_emoji_of_merge_requests_without_a_login(fakeplat: Fakeplat, method: str, expected: int) -> None:
    """Later releases answer anonymous callers as if there were no merge request; earlier ones ask for a login."""
    path = f"{SITE}/merge_requests/1/award_emoji"
    assert expected == refusal(fakeplat, None, method, path, json={"name": "tada"})[0]
