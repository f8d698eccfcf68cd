"""Notes and discussions: what they show, to whom; the mutations that make, change, remove and settle them."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.merge_requests import OPEN, SITE, get_json
from tests.api.notes import ONE, create_note, list_bodies
from tests.graphql.queries import NOT_AVAILABLE, list_messages, query_data, query_project, query_refused, write_mutation

NOTE = "id body bodyHtml system confidential author { username } createdAt updatedAt project { fullPath }"
SETTLED = "resolvable resolved resolvedAt resolvedBy { username }"
NAMED = {"issue": (ONE, "Issue"), "mergeRequest": (OPEN, "MergeRequest")}
both = pytest.mark.parametrize("kind", [*NAMED])


def get_gid(fake: Fakeplat, kind: str) -> str:
    path, word = NAMED[kind]
    return f"gid://gitlab/{word}/{get_json(fake, path)['id']}"


def query_noteable(fake: Fakeplat, kind: str, selection: str, by: str = "ada") -> Any:
    """What an issue or merge request with the number 1 shows."""
    return query_project(fake, by, f'{kind}(iid: "1") {{ {selection} }}')[kind]


def run_mutation(fake: Fakeplat, by: str | None, name: str, selection: str = "note { id body }", **given: Any) -> Any:
    """What a mutation gives."""
    return query_data(fake, by, write_mutation(name, selection), input=given)[name]


def drop_milliseconds(moment: str) -> str:
    return f"{moment[:19]}Z"


@both
def test_a_note_shows_what_rest_shows(fakeplat: Fakeplat, kind: str) -> None:
    """Notes of an issue and of a merge request have the values that REST shows."""
    path, _ = NAMED[kind]
    create_note(fakeplat, "*Hm*", "rep", path)
    thread = fakeplat.as_user("ada").post(f"{path}/discussions", json={"body": "Why?"}).json()
    rest = get_json(fakeplat, f"{path}/notes?sort=asc", by="ada")
    notes = query_noteable(
        fakeplat, kind, f"notes {{ nodes {{ {NOTE} discussion {{ id }} position {{ filePath }} }} }}"
    )["notes"]["nodes"]

    assert [
        {
            "id": f"gid://gitlab/{note['type'] or 'Note'}/{note['id']}",
            "body": note["body"],
            "bodyHtml": f'<p dir="auto">{"<em>Hm</em>" if note["body"] == "*Hm*" else "Why?"}</p>',
            "system": note["system"],
            "confidential": note["confidential"],
            "author": {"username": note["author"]["username"]},
            "createdAt": drop_milliseconds(note["created_at"]),
            "updatedAt": drop_milliseconds(note["updated_at"]),
            "project": {"fullPath": "acme/site"},
            "position": None,
        }
        for note in rest
    ] == [{name: value for name, value in note.items() if name != "discussion"} for note in notes]
    assert f"gid://gitlab/Discussion/{thread['id']}" == notes[-1]["discussion"]["id"]
    assert notes[0]["discussion"]["id"].startswith("gid://gitlab/IndividualNoteDiscussion/")


@both
def test_discussions_are_those_of_rest(fakeplat: Fakeplat, kind: str) -> None:
    """Discussions have the notes that REST shows, in the same order."""
    path, _ = NAMED[kind]
    create_note(fakeplat, "alone", target=path)
    thread = fakeplat.as_user("ada").post(f"{path}/discussions", json={"body": "one"}).json()["id"]
    fakeplat.as_user("rep").post(f"{path}/discussions/{thread}/notes", json={"body": "two"})
    rest = get_json(fakeplat, f"{path}/discussions", by="ada")
    discussions = query_noteable(
        fakeplat, kind, "discussions { nodes { id replyId createdAt notes { nodes { body } } } }"
    )["discussions"]

    assert [[note["body"] for note in row["notes"]] for row in rest] == [
        [note["body"] for note in row["notes"]["nodes"]] for row in discussions["nodes"]
    ]
    assert [row["id"] for row in rest] == [row["id"].rpartition("/")[2] for row in discussions["nodes"]]
    assert all(row["id"] == row["replyId"] for row in discussions["nodes"])
    assert [drop_milliseconds(row["notes"][0]["created_at"]) for row in rest] == [
        row["createdAt"] for row in discussions["nodes"]
    ]


def test_discussions_are_paged_by_cursor(fakeplat: Fakeplat) -> None:
    """Discussions are paged by cursor, although their ids are not numbers."""
    for text in ("a", "b", "c"):
        create_note(fakeplat, text)
    page = "discussions(first: 2) { nodes { notes { nodes { body } } } pageInfo { endCursor hasNextPage } }"
    first = query_noteable(fakeplat, "issue", page)["discussions"]
    after = f'discussions(after: "{first["pageInfo"]["endCursor"]}") {{ nodes {{ notes {{ nodes {{ body }} }} }} }}'

    assert first["pageInfo"]["hasNextPage"]
    assert [{"notes": {"nodes": [{"body": "c"}]}}] == query_noteable(fakeplat, "issue", after)["discussions"]["nodes"]


def test_fragments_on_interfaces(fakeplat: Fakeplat) -> None:
    """Fragments on ``Noteable`` and ``ResolvableInterface`` apply to the types that implement them."""
    create_note(fakeplat, "Hm", target=OPEN)
    inner = "... on Noteable { notes { nodes { body ... on ResolvableInterface { resolvable } } } }"

    assert [{"body": "Hm", "resolvable": False}] == query_noteable(fakeplat, "mergeRequest", inner)["notes"]["nodes"]


@pytest.mark.fakeplat(version="14.3")
def test_the_interface_of_noteables_has_another_name(fakeplat: Fakeplat) -> None:
    """From release 14.3 on the interface is ``NoteableInterface``, and ``Noteable`` is unknown."""
    create_note(fakeplat, "Hm", target=OPEN)
    inner = "... on NoteableInterface { notes { nodes { body } } }"
    query = '{ project(fullPath: "acme/site") { issue(iid: "1") { ... on Noteable { notes { nodes { id } } } } } }'

    assert [{"body": "Hm"}] == query_noteable(fakeplat, "mergeRequest", inner)["notes"]["nodes"]
    assert any("No such type Noteable" in text for text in list_messages(query_refused(fakeplat, "ada", query)))


@pytest.mark.fakeplat(version="15.5")
def test_internal_notes_are_confidential_ones(fakeplat: Fakeplat) -> None:
    """``internal`` is the newer name of ``confidential``, in mutations and of notes."""
    target = get_gid(fakeplat, "issue")
    note = run_mutation(
        fakeplat, "ada", "createNote", "note { internal confidential }", noteableId=target, body="secret", internal=True
    )

    assert {"note": {"internal": True, "confidential": True}, "errors": []} == note
    assert [True] == [row["confidential"] for row in get_json(fakeplat, f"{ONE}/notes", by="ada")]


def test_confidential_notes_are_for_reporters(fakeplat: Fakeplat) -> None:
    """Users below Reporter see neither a confidential note nor its discussion."""
    run_mutation(fakeplat, "ada", "createNote", noteableId=get_gid(fakeplat, "issue"), body="secret", confidential=True)
    asked = "notes { nodes { confidential } } discussions { nodes { id } }"

    assert [{"confidential": True}] == query_noteable(fakeplat, "issue", asked, "rep")["notes"]["nodes"]
    assert {"notes": {"nodes": []}, "discussions": {"nodes": []}} == query_noteable(fakeplat, "issue", asked, "gus")


# createNote


@both
def test_a_note_is_created(fakeplat: Fakeplat, kind: str) -> None:
    """A note created by `createNote` appears in REST with the caller as author."""
    path, _ = NAMED[kind]
    payload = run_mutation(fakeplat, "rep", "createNote", noteableId=get_gid(fakeplat, kind), body="Hello")
    (rest,) = get_json(fakeplat, f"{path}/notes")

    assert {"note": {"id": f"gid://gitlab/Note/{rest['id']}", "body": "Hello"}, "errors": []} == payload
    assert ("Hello", "rep") == (rest["body"], rest["author"]["username"])


@both
def test_a_note_is_created_in_a_discussion(fakeplat: Fakeplat, kind: str) -> None:
    """A reply is added to the discussion of its global id and makes a single note a thread."""
    path, _ = NAMED[kind]
    create_note(fakeplat, "alone", target=path)
    (discussion,) = query_noteable(fakeplat, kind, "discussions { nodes { id } }")["discussions"]["nodes"]
    given = {"noteableId": get_gid(fakeplat, kind), "body": "reply", "discussionId": discussion["id"]}
    payload = run_mutation(
        fakeplat, "ada", "createNote", "note { body discussion { id notes { nodes { body } } } }", **given
    )
    (rest,) = get_json(fakeplat, f"{path}/discussions")

    assert ["alone", "reply"] == [note["body"] for note in payload["note"]["discussion"]["notes"]["nodes"]]
    assert ["alone", "reply"] == [note["body"] for note in rest["notes"]]
    assert f"gid://gitlab/Discussion/{rest['id']}" == payload["note"]["discussion"]["id"]


@pytest.mark.parametrize(
    ("given", "errors"),
    [
        ({"body": " "}, ["Note can't be blank"]),
        ({"body": "x" * 1_000_001}, ["Note is too long (maximum is 1000000 characters)"]),
        ({"body": "/reopen"}, ["Commands only Failed to apply commands."]),
    ],
)
def test_an_invalid_note_is_an_error_in_the_payload(
    fakeplat: Fakeplat, given: dict[str, str], errors: list[str]
) -> None:
    """A blank or too long body and failed quick actions are errors in the payload, and nothing changes."""
    whole = {"noteableId": get_gid(fakeplat, "issue"), **given}
    answered = query_refused(fakeplat, "ada", write_mutation("createNote", "note { id }"), input=whole)

    assert {"data": {"createNote": {"note": None, "errors": errors}}} == answered


def test_quick_actions_alone_are_executed_and_reported(fakeplat: Fakeplat) -> None:
    """A note of quick actions only is not created, and the executed actions are among the errors."""
    payload = run_mutation(fakeplat, "ada", "createNote", noteableId=get_gid(fakeplat, "issue"), body="/close")

    assert {"note": None, "errors": ["Commands only Closed this issue."]} == payload
    assert "closed" == get_json(fakeplat, ONE)["state"]


def test_quick_actions_beside_words_leave_a_note(fakeplat: Fakeplat) -> None:
    """A note with words and quick actions keeps the words only."""
    payload = run_mutation(fakeplat, "ada", "createNote", noteableId=get_gid(fakeplat, "issue"), body="Done\n/close")

    assert ("Done", []) == (payload["note"]["body"], payload["errors"])
    assert "closed" == get_json(fakeplat, ONE)["state"]


@pytest.mark.parametrize("kind", [*NAMED])
@pytest.mark.parametrize("by", ["eve", None])
def test_who_does_not_see_a_thing_cannot_note_it(fakeplat: Fakeplat, kind: str, by: str | None) -> None:
    """A note on a record that the caller cannot see is refused as not available."""
    answered = query_refused(
        fakeplat,
        by,
        write_mutation("createNote", "note { id }"),
        input={"noteableId": get_gid(fakeplat, kind), "body": "x"},
    )

    assert ([NOT_AVAILABLE], {"createNote": None}) == (list_messages(answered), answered["data"])


def test_guests_note_issues_and_not_merge_requests_of_private_projects(fakeplat: Fakeplat) -> None:
    """Guests of a private project comment on issues, and not on merge requests."""
    assert run_mutation(fakeplat, "gus", "createNote", noteableId=get_gid(fakeplat, "issue"), body="x")["note"]
    whole = {"noteableId": get_gid(fakeplat, "mergeRequest"), "body": "x"}
    answered = query_refused(fakeplat, "gus", write_mutation("createNote", "note { id }"), input=whole)

    assert [NOT_AVAILABLE] == list_messages(answered)


def test_an_archived_project_takes_no_notes(fakeplat: Fakeplat) -> None:
    """Notes of an archived project cannot be created, changed or deleted."""
    note = create_note(fakeplat, "Hm")["id"]
    noteable = get_gid(fakeplat, "issue")
    fakeplat.as_user("ada").post(f"{SITE}/archive")
    for name, given in (
        ("createNote", {"noteableId": noteable, "body": "x"}),
        ("updateNote", {"id": f"gid://gitlab/Note/{note}", "body": "x"}),
        ("destroyNote", {"id": f"gid://gitlab/Note/{note}"}),
    ):
        assert [NOT_AVAILABLE] == list_messages(
            query_refused(fakeplat, "ada", write_mutation(name, "note { id }"), input=given)
        )


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"noteableId": "gid://gitlab/Issue/1"}, NOT_AVAILABLE),
        (
            {"discussionId": f"gid://gitlab/Discussion/{'a' * 40}"},
            "The discussion does not exist or you don't have permission to perform this action",
        ),
    ],
)
def test_what_ids_do_not_name(fakeplat: Fakeplat, given: dict[str, str], text: str) -> None:
    """An id that names no suitable record is an error at the mutation."""
    whole = {"noteableId": get_gid(fakeplat, "issue"), "body": "x", **given}
    answered = query_refused(fakeplat, "ada", write_mutation("createNote", "note { id }"), input=whole)

    assert ([text], [["createNote"]]) == (list_messages(answered), [error["path"] for error in answered["errors"]])


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (
            {"noteableId": "gid://gitlab/User/1"},
            'noteableId ("gid://gitlab/User/1" does not represent an instance of Noteable)',
        ),
        ({"noteableId": "x"}, 'noteableId ("x" is not a valid Global ID)'),
        (
            {"discussionId": "gid://gitlab/Note/1"},
            'discussionId ("gid://gitlab/Note/1" does not represent an instance of Discussion)',
        ),
    ],
)
def test_what_is_no_id_of_a_noteable(fakeplat: Fakeplat, given: dict[str, str], text: str) -> None:
    """An id of another kind is an invalid value of the variable, so that nothing is executed."""
    whole = {"noteableId": get_gid(fakeplat, "issue"), "body": "x", **given}
    answered = query_refused(fakeplat, "ada", write_mutation("createNote", "note { id }"), input=whole)

    assert ["errors"] == [*answered]
    assert [f"Variable $input of type CreateNoteInput! was provided invalid value for {text}"] == list_messages(
        answered
    )


def test_system_notes_are_not_replied_to(fakeplat: Fakeplat) -> None:
    """A reply to a system note is an error in the payload."""
    fakeplat.as_user("ada").put(ONE, json={"title": "Other"})
    (discussion,) = query_noteable(fakeplat, "issue", "discussions { nodes { id } }")["discussions"]["nodes"]
    whole = {"noteableId": get_gid(fakeplat, "issue"), "body": "x", "discussionId": discussion["id"]}
    answered = query_refused(fakeplat, "ada", write_mutation("createNote", "note { id }"), input=whole)

    assert ["Discussion to reply to cannot be found"] == answered["data"]["createNote"]["errors"]


# updateNote, destroyNote


@pytest.mark.parametrize("by", ["rep", "mia"])
def test_authors_and_maintainers_change_and_remove_notes(fakeplat: Fakeplat, by: str) -> None:
    """The author and a Maintainer can change and delete a note."""
    id_ = f"gid://gitlab/Note/{create_note(fakeplat, 'Hm', 'rep')['id']}"

    assert {"note": {"id": id_, "body": "Ah"}, "errors": []} == run_mutation(
        fakeplat, by, "updateNote", id=id_, body="Ah"
    )
    assert ["Ah"] == list_bodies(fakeplat)
    assert {"note": None, "errors": []} == run_mutation(fakeplat, by, "destroyNote", id=id_)
    assert [] == list_bodies(fakeplat)


@pytest.mark.parametrize("by", ["dev", "gus", "eve", None])
def test_others_do_not(fakeplat: Fakeplat, by: str | None) -> None:
    """A user who is neither the author nor a Maintainer cannot change or delete a note."""
    id_ = f"gid://gitlab/Note/{create_note(fakeplat, 'Hm', 'rep')['id']}"
    for name, given in (("updateNote", {"id": id_, "body": "x"}), ("destroyNote", {"id": id_})):
        answered = query_refused(fakeplat, by, write_mutation(name, "note { id }"), input=given)
        assert ([NOT_AVAILABLE], {name: None}) == (list_messages(answered), answered["data"])


def test_a_note_is_not_made_blank(fakeplat: Fakeplat) -> None:
    """A blank body is an error in the payload, which shows the note unchanged."""
    id_ = f"gid://gitlab/Note/{create_note(fakeplat, 'Hm')['id']}"
    answered = query_refused(
        fakeplat, "ada", write_mutation("updateNote", "note { body }"), input={"id": id_, "body": ""}
    )

    assert {"note": {"body": "Hm"}, "errors": ["Note can't be blank"]} == answered["data"]["updateNote"]


def test_a_note_of_quick_actions_only_goes(fakeplat: Fakeplat) -> None:
    """Changing a note to quick actions only executes them and deletes the note."""
    id_ = f"gid://gitlab/Note/{create_note(fakeplat, 'Hm')['id']}"

    assert {"note": None, "errors": []} == run_mutation(fakeplat, "ada", "updateNote", id=id_, body="/close")
    assert [] == list_bodies(fakeplat, query="&activity_filter=only_comments")
    assert "closed" == get_json(fakeplat, ONE)["state"]


# lines of differences, and settling

POSITION = "filePath oldPath newPath positionType oldLine newLine x y diffRefs { baseSha headSha startSha }"


def build_position(fake: Fakeplat, **more: Any) -> dict[str, Any]:
    """A line that merge request 1 adds."""
    refs = get_json(fake, OPEN)["diff_refs"]
    shas = {"baseSha": refs["base_sha"], "startSha": refs["start_sha"], "headSha": refs["head_sha"]}
    return {**shas, "paths": {"newPath": "app/search.py"}, "newLine": 1, **more}


def test_a_line_is_discussed(fakeplat: Fakeplat) -> None:
    """A note on a line of a diff has a position, which REST shows, too."""
    given = {"noteableId": get_gid(fakeplat, "mergeRequest"), "body": "Why?", "position": build_position(fakeplat)}
    payload = run_mutation(
        fakeplat, "rep", "createDiffNote", f"note {{ id {SETTLED} position {{ {POSITION} }} }}", **given
    )
    (rest,) = get_json(fakeplat, f"{OPEN}/notes")
    refs = {name: build_position(fakeplat)[name] for name in ("baseSha", "headSha", "startSha")}

    assert {
        "id": f"gid://gitlab/DiffNote/{rest['id']}",
        "resolvable": True,
        "resolved": False,
        "resolvedAt": None,
        "resolvedBy": None,
        "position": {
            "filePath": "app/search.py",
            "oldPath": None,
            "newPath": "app/search.py",
            "positionType": "text",
            "oldLine": None,
            "newLine": 1,
            "x": None,
            "y": None,
            "diffRefs": refs,
        },
    } == payload["note"]
    assert ("DiffNote", 1) == (rest["type"], rest["position"]["new_line"])


def test_an_unknown_line_is_an_error_in_the_payload(fakeplat: Fakeplat) -> None:
    """A note on a line that the diff does not have gives errors in the payload."""
    given = {
        "noteableId": get_gid(fakeplat, "mergeRequest"),
        "body": "x",
        "position": build_position(fakeplat, newLine=999),
    }
    answered = query_refused(fakeplat, "rep", write_mutation("createDiffNote", "note { id }"), input=given)

    assert {
        "note": None,
        "errors": ["Line code can't be blank", "Line code must be a valid line code"],
    } == answered["data"]["createDiffNote"]


def test_issues_have_no_lines(fakeplat: Fakeplat) -> None:
    """A note on a line of an issue is an error of the response."""
    given = {"noteableId": get_gid(fakeplat, "issue"), "body": "x", "position": build_position(fakeplat)}

    assert [NOT_AVAILABLE] == list_messages(
        query_refused(fakeplat, "rep", write_mutation("createDiffNote", "note { id }"), input=given)
    )


def start_thread(fake: Fakeplat, by: str = "rep") -> str:
    """The global id of a discussion of merge request 1."""
    return f"gid://gitlab/Discussion/{fake.as_user(by).post(f'{OPEN}/discussions', json={'body': 'Why?'}).json()['id']}"


def test_a_discussion_is_settled_and_opened_again(fakeplat: Fakeplat) -> None:
    """Resolving and reopening a discussion changes its notes and the merge request in REST."""
    id_ = start_thread(fakeplat)
    selection = f"discussion {{ {SETTLED} notes {{ nodes {{ {SETTLED} }} }} }}"
    settled = run_mutation(fakeplat, "dev", "discussionToggleResolve", selection, id=id_, resolve=True)["discussion"]
    at = settled["resolvedAt"]
    by_dev = {"resolvable": True, "resolved": True, "resolvedAt": at, "resolvedBy": {"username": "dev"}}

    assert {**by_dev, "notes": {"nodes": [by_dev]}} == settled
    assert get_json(fakeplat, OPEN)["blocking_discussions_resolved"]

    again = run_mutation(fakeplat, "dev", "discussionToggleResolve", selection, id=id_, resolve=False)["discussion"]
    nobody = {"resolvable": True, "resolved": False, "resolvedAt": None, "resolvedBy": None}

    assert {**nobody, "notes": {"nodes": [nobody]}} == again
    assert not get_json(fakeplat, OPEN)["blocking_discussions_resolved"]


@pytest.mark.parametrize("by", ["rep", "gus", "eve", None])
def test_discussions_are_settled_by_developers_and_the_author(fakeplat: Fakeplat, by: str | None) -> None:
    """Resolving a discussion without permission is refused as not available."""
    given = {"id": start_thread(fakeplat), "resolve": True}
    answered = query_refused(fakeplat, by, write_mutation("discussionToggleResolve", "discussion { id }"), input=given)

    assert [NOT_AVAILABLE] == list_messages(answered)


def test_what_cannot_be_settled(fakeplat: Fakeplat) -> None:
    """Resolving a discussion of an issue, a single note or a missing discussion is refused."""
    issue = fakeplat.as_user("ada").post(f"{ONE}/discussions", json={"body": "x"}).json()["id"]
    create_note(fakeplat, "alone", target=OPEN)
    (alone,) = get_json(fakeplat, f"{OPEN}/discussions")
    for id_ in (issue, alone["id"], "a" * 40):
        given = {"id": f"gid://gitlab/Discussion/{id_}", "resolve": True}
        answered = query_refused(
            fakeplat, "ada", write_mutation("discussionToggleResolve", "discussion { id }"), input=given
        )
        assert [NOT_AVAILABLE] == list_messages(answered)


PICTURE = {"paths": {"newPath": "app/search.py"}, "x": 1, "y": 2, "width": 30, "height": 40}


def test_a_point_of_a_picture_is_discussed(fakeplat: Fakeplat) -> None:
    """A note on a point of an image has its position in pixels; unknown commits are an error."""
    refs = get_json(fakeplat, OPEN)["diff_refs"]
    shas = {"baseSha": refs["base_sha"], "startSha": refs["start_sha"], "headSha": refs["head_sha"]}
    given = {"noteableId": get_gid(fakeplat, "mergeRequest"), "body": "Blue?", "position": {**PICTURE, **shas}}
    selection = "note { position { filePath positionType x y width height newLine } }"
    payload = run_mutation(fakeplat, "rep", "createImageDiffNote", selection, **given)
    strange = {**given, "position": {**PICTURE, "baseSha": "1", "startSha": "acme", "headSha": "x"}}
    answered = query_refused(fakeplat, "rep", write_mutation("createImageDiffNote", "note { id }"), input=strange)

    assert {
        "filePath": "app/search.py",
        "positionType": "image",
        "x": 1,
        "y": 2,
        "width": 30,
        "height": 40,
        "newLine": None,
    } == payload["note"]["position"]
    assert ["Position is incomplete"] == answered["data"]["createImageDiffNote"]["errors"]


@pytest.mark.parametrize("name", ["baseSha", "startSha", "headSha"])
def test_a_tree_is_no_commit_of_a_place(fakeplat: Fakeplat, name: str) -> None:
    """The hash of a tree is refused as a commit of a position."""
    tree = next(row["id"] for row in get_json(fakeplat, f"{SITE}/repository/tree") if row["type"] == "tree")
    given = {
        "noteableId": get_gid(fakeplat, "mergeRequest"),
        "body": "x",
        "position": build_position(fakeplat, **{name: tree}),
    }
    answered = query_refused(fakeplat, "rep", write_mutation("createDiffNote", "note { id }"), input=given)

    assert ["Line code can't be blank", "Line code must be a valid line code"] == (
        answered["data"]["createDiffNote"]["errors"]
    )
