"""Suggestions in notes on differences. Source: the platform's documentation and specs of suggestions."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, invalid, refusal
from tests.api.review_company import (
    MR,
    REVIEW_COMPANY,
    SITE,
    create_discussion,
    create_line_discussion,
    position,
    update_record,
)

pytestmark = pytest.mark.fakeplat(scenario=REVIEW_COMPANY)
BATCH = "suggestions/batch_apply"
NO_SUGGESTION = (404, {"message": "Suggestion is not applicable as the suggestion was not found."})
SOME_MISSING = (404, {"message": "Suggestions are not applicable as one or more suggestions were not found."})
LINE_CHANGED = (400, {"message": "Can't apply as this line was changed in a more recent version."})
ONE_LINE = "```suggestion:-0+0\nTEN\n```"


def create_suggestions(
    fake: Fakeplat, body: str = ONE_LINE, line: int = 9, target: str = MR, by: str = "rep"
) -> list[int]:
    """The ids of the suggestions that a new note makes."""
    where = {"old_path": "app.txt", "new_path": "app.txt", "new_line": line}
    discussion = create_discussion(fake, body, by, target, position=position(fake, where, target))
    return list_suggestion_ids(fake, discussion["notes"][0]["id"])


def list_suggestion_ids(fake: Fakeplat, note: int) -> list[int]:
    return [suggestion.id for suggestion in fake.bench.platform.view.suggestions.where("note", note)]


def apply_suggestions(fake: Fakeplat, *numbers: int, by: str = "dev") -> Any:
    return (
        update_record(fake, BATCH, by, ids=list(numbers))
        if len(numbers) > 1
        else update_record(fake, f"suggestions/{numbers[0]}/apply", by)
    )


def read_lines(fake: Fakeplat, branch: str = "feature", path: str = "app.txt") -> list[str]:
    return fake.as_user("root").get(f"{SITE}/repository/files/{path}/raw?ref={branch}").text.splitlines()


def get_newest_commit(fake: Fakeplat, branch: str = "feature") -> Any:
    return fake.as_user("root").get(f"{SITE}/repository/commits/{branch}").json()


def test_a_suggestion_is_applied(fakeplat: Fakeplat) -> None:
    """Applying a suggestion commits its lines to the source branch."""
    (own,) = create_suggestions(fakeplat)
    before = get_newest_commit(fakeplat)["id"]
    suggestion = apply_suggestions(fakeplat, own)
    assert {
        "id": own,
        "from_line": 9,
        "to_line": 9,
        "appliable": False,
        "applied": True,
        "from_content": "ten\n",
        "to_content": "TEN\n",
    } == suggestion
    commit = get_newest_commit(fakeplat)
    assert ("Apply 1 suggestion(s) to 1 file(s)", [before]) == (commit["message"], commit["parent_ids"])
    assert ("dev", "dev") == (commit["author_name"], commit["committer_name"])
    assert ["9", "TEN", "11"] == read_lines(fakeplat)[7:10]


@pytest.mark.parametrize(
    ("body", "first", "last", "after"),
    [
        ("```suggestion\nTEN\n```", 9, 9, ["8", "9", "TEN", "11", "12"]),
        ("```suggestion:-1+1\nA\nB\n```", 8, 10, ["8", "A", "B", "12", "13"]),
        ("```suggestion:-2\nA\n```", 7, 9, ["A", "11", "12", "13", "14"]),
        ("```suggestion:+1\nA\n```", 9, 10, ["8", "9", "A", "12", "13"]),
        ("Gone?\n\n```suggestion:-0+0\n```", 9, 9, ["8", "9", "11", "12", "13"]),
        ("~~~~suggestion:-0+0\n```\n~~~~", 9, 9, ["8", "9", "```", "11", "12"]),
        ("> ```suggestion:-0+0\n> TEN\n> ```", 9, 9, ["8", "9", "TEN", "11", "12"]),
    ],
    ids=["no context", "around", "above", "below", "deletes", "tildes", "quoted"],
)
def test_blocks_give_the_range_of_lines(fakeplat: Fakeplat, body: str, first: int, last: int, after: list[str]) -> None:
    """The numbers behind - and + are lines above and below the note's; an empty block takes the lines away."""
    (own,) = create_suggestions(fakeplat, body)
    suggestion = apply_suggestions(fakeplat, own)
    assert (first, last) == (suggestion["from_line"], suggestion["to_line"])
    assert after == read_lines(fakeplat)[6:11]


@pytest.mark.parametrize(
    "body", ["TEN", "```\nTEN\n```", "```suggestions\nTEN\n```", "`suggestion:-0+0`", "```ruby:suggestion\nTEN\n```"]
)
def test_other_blocks_suggest_nothing(fakeplat: Fakeplat, body: str) -> None:
    """Only fenced blocks of the language `suggestion` are suggestions."""
    assert [] == create_suggestions(fakeplat, body)


def test_other_notes_suggest_nothing(fakeplat: Fakeplat) -> None:
    """Notes without a line, or on a removed one, contain no suggestions."""
    alone = create_discussion(fakeplat, ONE_LINE)
    removed = {"old_path": "app.txt", "new_path": "app.txt", "old_line": 3}
    gone = create_discussion(fakeplat, ONE_LINE, position=position(fakeplat, removed))
    assert ([], []) == tuple(
        list_suggestion_ids(fakeplat, discussion["notes"][0]["id"]) for discussion in (alone, gone)
    )


def test_a_changed_note_replaces_its_suggestions(fakeplat: Fakeplat) -> None:
    """Changing a note replaces its suggestions, and deleting it removes them."""
    discussion = create_line_discussion(fakeplat, ONE_LINE)
    (note,) = discussion["notes"]
    (former,) = list_suggestion_ids(fakeplat, note["id"])
    path = f"{MR}/discussions/{discussion['id']}/notes/{note['id']}"
    update_record(fakeplat, path, "rep", body=f"{ONE_LINE}\n\n{ONE_LINE}")
    assert 2 == len(list_suggestion_ids(fakeplat, note["id"]))
    assert NO_SUGGESTION == refusal(fakeplat, "dev", "PUT", f"suggestions/{former}/apply")
    fakeplat.as_user("rep").delete(path)
    assert 0 == len(fakeplat.bench.platform.view.suggestions)


def test_suggestions_are_applied_together(fakeplat: Fakeplat) -> None:
    """Several suggestions are applied in one commit."""
    (second,), (first,) = (
        create_suggestions(fakeplat, "```suggestion:-0+0\nA\nB\n```", 15),
        create_suggestions(fakeplat),
    )
    before = get_newest_commit(fakeplat)["id"]
    suggestions = apply_suggestions(fakeplat, second, first)
    assert {(first, True, False), (second, True, False)} == {
        (suggestion["id"], suggestion["applied"], suggestion["appliable"]) for suggestion in suggestions
    }
    commit = get_newest_commit(fakeplat)
    assert ("Apply 2 suggestion(s) to 1 file(s)", [before]) == (commit["message"], commit["parent_ids"])
    assert (["9", "TEN", "11"], ["15", "A", "B", "new b"]) == (read_lines(fakeplat)[7:10], read_lines(fakeplat)[13:17])


def test_projects_have_messages_of_their_own(fakeplat: Fakeplat) -> None:
    """A project's message for suggestions replaces known placeholders."""
    message = (
        "%{branch_name} %{files_count} %{file_paths} %{project_name} %{project_path} "
        "%{user_full_name} %{username} %{suggestions_count} %{other}"
    )
    update_record(fakeplat, SITE, "ada", suggestion_commit_message=message)
    (own,) = create_suggestions(fakeplat)
    apply_suggestions(fakeplat, own)
    assert "feature 1 app.txt site site dev dev 1 %{other}" == get_newest_commit(fakeplat)["message"]


@pytest.mark.fakeplat(version="15.8", default_branch="master")
def test_callers_have_messages_of_their_own(fakeplat: Fakeplat) -> None:
    """Later releases take the message of the commit from the caller, and replace placeholders in it, too."""
    (own,) = create_suggestions(fakeplat)
    update_record(fakeplat, f"suggestions/{own}/apply", "dev", commit_message="Shout in %{file_paths}")
    assert "Shout in app.txt" == get_newest_commit(fakeplat)["message"]


def test_roles_that_apply_suggestions(fakeplat: Fakeplat) -> None:
    """Suggestions are applied by those who may push to the source branch."""
    (own,) = create_suggestions(fakeplat)
    for path, body in ((f"suggestions/{own}/apply", None), (BATCH, {"ids": [own]})):
        assert UNAUTHORIZED == refusal(fakeplat, None, "PUT", path, json=body)
        for user in ("eve", "gus", "rep"):
            assert FORBIDDEN == refusal(fakeplat, user, "PUT", path, json=body)
    fakeplat.as_user("mia").post(f"{SITE}/protected_branches", json={"name": "feature", "push_access_level": 40})
    assert FORBIDDEN == refusal(fakeplat, "dev", "PUT", f"suggestions/{own}/apply")
    assert apply_suggestions(fakeplat, own, by="mia")["applied"]


@pytest.mark.parametrize("number", ["foo-123", "9999", "0"])
def test_a_suggestion_that_is_not_there(fakeplat: Fakeplat, number: str) -> None:
    """Applying an unknown suggestion answers 404."""
    (own,) = create_suggestions(fakeplat)
    assert NO_SUGGESTION == refusal(fakeplat, "mia", "PUT", f"suggestions/{number}/apply")
    for chosen in ([own, number], f"{own},{number}", [own, own], []):
        assert SOME_MISSING == refusal(fakeplat, "mia", "PUT", BATCH, json={"ids": chosen})


def test_ids_of_suggestions_are_required(fakeplat: Fakeplat) -> None:
    """Applying several suggestions without `ids` answers 400."""
    assert invalid("ids is missing") == refusal(fakeplat, "mia", "PUT", BATCH, json={})


def test_an_applied_suggestion_is_not_applied_again(fakeplat: Fakeplat) -> None:
    """Applying a suggestion a second time answers 400."""
    (own,) = create_suggestions(fakeplat)
    apply_suggestions(fakeplat, own)
    again = (400, {"message": "Can't apply this suggestion."})
    assert again == refusal(fakeplat, "dev", "PUT", f"suggestions/{own}/apply")


@pytest.mark.parametrize(
    ("event", "text"),
    [
        ("merge", "This merge request was merged. To apply this suggestion, edit this file directly."),
        ("close", "This merge request is closed. To apply this suggestion, edit this file directly."),
    ],
)
def test_the_merge_request_must_be_open(fakeplat: Fakeplat, event: str, text: str) -> None:
    """Suggestions of a closed merge request answer 400 with its state."""
    (own,) = create_suggestions(fakeplat)
    if event == "merge":
        update_record(fakeplat, f"{MR}/merge", "mia", should_remove_source_branch=False)
    else:
        update_record(fakeplat, MR, state_event="close")
    assert (400, {"message": text}) == refusal(fakeplat, "dev", "PUT", f"suggestions/{own}/apply")


def test_the_source_branch_must_be_there(fakeplat: Fakeplat) -> None:
    """Suggestions without their source branch answer 400."""
    (own,) = create_suggestions(fakeplat)
    fakeplat.as_user("dev").delete(f"{SITE}/repository/branches/feature")
    gone = (400, {"message": "Can't apply as the source branch was deleted."})
    assert gone == refusal(fakeplat, "dev", "PUT", f"suggestions/{own}/apply")


def test_lines_that_changed_are_not_replaced(fakeplat: Fakeplat) -> None:
    """Suggestions of changed lines answer 400, those of moved lines apply."""
    (first,), (more,), (other,) = (
        create_suggestions(fakeplat),
        create_suggestions(fakeplat, "```suggestion:-1+0\nA\n```"),
        create_suggestions(fakeplat, line=31),
    )
    content = "\n".join(["zero", *read_lines(fakeplat)]).replace("ten", "10") + "\n"
    body = {"branch": "feature", "commit_message": "x", "content": content}
    assert 200 == fakeplat.as_user("dev").put(f"{SITE}/repository/files/app.txt", json=body).status
    assert LINE_CHANGED == refusal(fakeplat, "dev", "PUT", f"suggestions/{first}/apply")
    several = (400, {"message": "Can't apply as these lines were changed in a more recent version."})
    assert several == refusal(fakeplat, "dev", "PUT", f"suggestions/{more}/apply")
    assert LINE_CHANGED == refusal(fakeplat, "dev", "PUT", BATCH, json={"ids": [other, first]})
    suggestion = apply_suggestions(fakeplat, other)
    assert (32, "TEN") == (suggestion["from_line"], read_lines(fakeplat)[31])


def test_a_suggestion_must_change_something(fakeplat: Fakeplat) -> None:
    """A suggestion without a change answers 400."""
    (own,) = create_suggestions(fakeplat, "```suggestion:-0+0\nten\n```")
    same = (400, {"message": "This suggestion already matches its content."})
    assert same == refusal(fakeplat, "dev", "PUT", f"suggestions/{own}/apply")


def test_suggestions_of_one_commit_do_not_overlap(fakeplat: Fakeplat) -> None:
    """Applying overlapping suggestions together answers 400."""
    (first,), (second,) = create_suggestions(fakeplat), create_suggestions(fakeplat, "```suggestion:-2+0\nA\n```")
    overlap = (400, {"message": "Suggestions are not applicable as their lines cannot overlap."})
    assert overlap == refusal(fakeplat, "dev", "PUT", BATCH, json={"ids": [first, second]})


def test_suggestions_of_one_commit_are_of_one_branch(fakeplat: Fakeplat) -> None:
    """Suggestions of different branches answer 400."""
    fakeplat.as_user("dev").post(f"{SITE}/repository/branches", json={"branch": "twin", "ref": "feature"})
    new = {"title": "Twin", "source_branch": "twin", "target_branch": "master"}
    twin = f"{SITE}/merge_requests/{fakeplat.as_user('dev').post(f'{SITE}/merge_requests', json=new).json()['iid']}"
    (first,), (second,) = create_suggestions(fakeplat), create_suggestions(fakeplat, target=twin)
    other = (400, {"message": "Suggestions must all be on the same branch."})
    assert other == refusal(fakeplat, "dev", "PUT", BATCH, json={"ids": [first, second]})


def test_scenarios_declare_suggestions(fakeplat: Fakeplat) -> None:
    """Notes on lines make them of their bodies; applied ones are said, and exported."""
    where = {"new_path": "app.txt", "new_line": 9}
    notes: list[dict[str, Any]] = [
        {"author": "rep", "type": "DiffNote", "body": ONE_LINE, "position": where},
        {
            "author": "rep",
            "type": "DiffNote",
            "body": ONE_LINE,
            "position": where,
            "suggestions": [{"from_content": "TEN\n", "to_content": "ten\n", "applied": True, "lines_above": 1}],
        },
    ]
    asked = [{"iid": 1, "notes": notes}]
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "merge_requests": asked}]})
    own, applied = fakeplat.bench.platform.view.suggestions.all()
    assert ("ten\n", "TEN\n", False) == (own.from_content, own.to_content, own.applied)
    assert (1, True) == (applied.lines_above, applied.applied)
    assert apply_suggestions(fakeplat, own.id)["applied"]


def test_records_of_the_world_show_suggestions(fakeplat: Fakeplat) -> None:
    """The records of the world show the suggestions of notes."""
    discussion = create_line_discussion(fakeplat, ONE_LINE)
    assert "suggestions" not in discussion["notes"][0]
    (note,) = (row for row in fakeplat.world.project("acme/site").merge_requests[0].notes if not row.system)
    (suggestion,) = note.suggestions
    assert (9, "ten\n", "TEN\n", True) == (
        suggestion["from_line"],
        suggestion["from_content"],
        suggestion["to_content"],
        suggestion["appliable"],
    )
    assert apply_suggestions(fakeplat, suggestion["id"])["applied"]
