"""Discussions of lines in the differences of merge requests. Source: docs/platform/notes-discussions.md."""

from hashlib import sha1
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fakeplat.harness.fake import Fakeplat
from tests.api.notes import NOTE
from tests.api.planning_records import create_record, get_json
from tests.api.requests import Outcome, invalid, outcome, refusal
from tests.api.review_company import (
    MR,
    NEW,
    PUBLIC,
    REVIEW_COMPANY,
    SITE,
    TEN,
    commit_lines,
    create_discussion,
    create_line_discussion,
    get_diff_refs,
    position,
    reply,
    resolve_discussion,
    update_record,
)
from tests.examples import examples

pytestmark = pytest.mark.fakeplat(scenario=REVIEW_COMPANY)

_LINE = ["can't be blank", "must be a valid line code"]
APP = {"old_path": "app.txt", "new_path": "app.txt"}


def invalid_position(**texts: list[str]) -> Outcome:
    """400 with texts as the platform prints them."""
    inner = ", ".join(
        f":{field}=>[{', '.join(chr(34) + text + chr(34) for text in texts_of_field)}]"
        for field, texts_of_field in texts.items()
    )
    return 400, {"message": f"400 Bad request - Note {{{inner}}}"}


NO_LINE = invalid_position(line_code=_LINE)


def line_code(fake: Fakeplat, note: dict[str, Any]) -> str | None:
    """The code that is kept of a note's line, as hooks tell it."""
    return fake.bench.platform.view.notes[note["id"]].line_code


def test_a_discussion_of_a_line(fakeplat: Fakeplat) -> None:
    """A discussion of a line is a resolvable DiffNote with its position."""
    (note,) = create_line_discussion(fakeplat)["notes"]

    assert NOTE | {"position", "resolved", "resolved_by", "resolved_at"} == set(note)
    assert ("DiffNote", "MergeRequest", 1) == (note["type"], note["noteable_type"], note["noteable_iid"])
    assert (True, False, None, None) == tuple(
        note[name] for name in ("resolvable", "resolved", "resolved_by", "resolved_at")
    )
    assert {**get_diff_refs(fakeplat), "position_type": "text", **TEN, "old_line": None, "line_range": None} == note[
        "position"
    ]
    assert [
        "base_sha",
        "start_sha",
        "head_sha",
        "old_path",
        "new_path",
        "position_type",
        "old_line",
        "new_line",
        "line_range",
    ] == list(note["position"])
    names = list(note)
    assert ["noteable_type", "position", "resolvable", "resolved", "resolved_by", "resolved_at"] == names[
        names.index("noteable_type") : names.index("resolved_at") + 1
    ]


@pytest.mark.parametrize(
    ("where", "code"),
    [
        ({**APP, "new_line": 9}, "app.txt_11_9"),
        ({**APP, "old_line": 10}, "app.txt_10_9"),
        ({**APP, "old_line": 3}, "app.txt_3_3"),
        ({**APP, "new_line": 16}, "app.txt_16_16"),
        ({**APP, "old_line": 12, "new_line": 11}, "app.txt_12_11"),
        ({**APP, "old_line": 1, "new_line": 1}, "app.txt_1_1"),
        ({**APP, "old_line": 22, "new_line": 23}, "app.txt_22_23"),
        ({**APP, "old_line": 40, "new_line": 41}, "app.txt_40_41"),
        ({"new_path": "app.txt", "new_line": 9}, "app.txt_11_9"),
        ({"old_path": "app.txt", "old_line": 3}, "app.txt_3_3"),
        ({"new_path": "fresh.txt", "new_line": 2}, "fresh.txt_0_2"),
        ({"old_path": "gone.txt", "new_path": "gone.txt", "old_line": 1}, "gone.txt_1_0"),
        ({"old_path": "before.txt", "new_path": "after.txt", "new_line": 1}, "after.txt_2_1"),
        ({"old_path": "before.txt", "new_path": "after.txt", "old_line": 1}, "after.txt_1_1"),
        ({"old_path": "before.txt", "new_path": "after.txt", "old_line": 30, "new_line": 30}, "after.txt_30_30"),
    ],
)
def test_lines_that_can_be_discussed(fakeplat: Fakeplat, where: dict[str, Any], code: str) -> None:
    """Added, removed and unchanged lines of changed files can be discussed."""
    (note,) = create_discussion(fakeplat, position=position(fakeplat, where))["notes"]
    name, old, new = code.split("_")

    assert where == {key: note["position"][key] for key in where}
    assert f"{sha1(name.encode()).hexdigest()}_{old}_{new}" == line_code(fakeplat, note)


@pytest.mark.parametrize(
    "where",
    [
        {**APP, "new_line": 10},
        {**APP, "old_line": 12},
        {**APP, "old_line": 12, "new_line": 12},
        {**APP, "old_line": 11, "new_line": 9},
        {**APP, "old_line": 10, "new_line": 9},
        {**APP, "old_line": 22, "new_line": 22},
        {**APP, "old_line": 41, "new_line": 42},
        {**APP, "old_line": 0, "new_line": 0},
        {**APP, "old_line": -1, "new_line": -1},
        {**APP, "new_line": 100_000},
        {**APP, "old_line": 3, "new_line": 3},
        {"new_path": "fresh.txt", "old_line": 1, "new_line": 1},
        {"new_path": "fresh.txt", "new_line": 3},
        {"new_path": "other.txt", "old_path": "other.txt", "old_line": 1, "new_line": 1},
        {"new_path": "nowhere.txt", "new_line": 1},
        {"new_path": "../app.txt", "new_line": 9},
        {"new_path": "logo.png", "new_line": 1},
        {**TEN, "head_sha": "0" * 40},
        {**TEN, "head_sha": "f" * 40},
        {**TEN, "base_sha": "master"},
        {**TEN, "base_sha": ""},
        {**TEN, "start_sha": "nothing"},
    ],
)
def test_lines_that_are_not_there(fakeplat: Fakeplat, where: dict[str, Any]) -> None:
    """A line whose numbers do not match the diff answers 400."""
    body = {"body": "x", "position": position(fakeplat, where)}
    assert NO_LINE == refusal(fakeplat, "rep", "POST", f"{MR}/discussions", json=body)


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (APP, invalid_position(line_code=_LINE, position=["is incomplete"])),
        ({"new_line": 9}, invalid_position(line_code=_LINE, position=["is incomplete"])),
        ({**TEN, "head_sha": ""}, invalid_position(line_code=_LINE, position=["is incomplete"])),
        ({**TEN, "new_path": "", "old_path": ""}, invalid_position(line_code=_LINE, position=["is incomplete"])),
        ({"new_path": "logo.png", "position_type": "image"}, invalid_position(position=["is incomplete"])),
        (
            {"new_path": "logo.png", "position_type": "image", "x": 1, "y": 2, "width": 3},
            invalid_position(position=["is incomplete"]),
        ),
        ({**TEN, "position_type": "sound"}, invalid("position[position_type] does not have a valid value")),
        ({**TEN, "new_line": "ninth"}, invalid("position[new_line] is invalid")),
        ({**TEN, "line_range": "all"}, invalid("position[line_range] is invalid")),
        (
            {**TEN, "line_range": {"start": {"old_line": "x"}}},
            invalid("position[line_range][start][old_line] is invalid"),
        ),
    ],
)
def test_positions_that_are_not_whole(fakeplat: Fakeplat, where: dict[str, Any], expected: Outcome) -> None:
    """Positions without all of their fields answer 400."""
    body = {"body": "x", "position": position(fakeplat, where)}
    assert expected == refusal(fakeplat, "rep", "POST", f"{MR}/discussions", json=body)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            {"new_line": 9},
            invalid(
                ", ".join(
                    f"position[{name}] is missing" for name in ("base_sha", "start_sha", "head_sha", "position_type")
                )
            ),
        ),
        ("app.txt:9", invalid("position is invalid")),
        ([1], invalid("position is invalid")),
    ],
)
def test_positions_of_another_shape(fakeplat: Fakeplat, given: Any, expected: Outcome) -> None:
    """Positions without commits and type answer 400."""
    body = {"body": "x", "position": given}
    assert expected == refusal(fakeplat, "rep", "POST", f"{MR}/discussions", json=body)


def test_a_point_of_a_picture(fakeplat: Fakeplat) -> None:
    """A discussion of a picture has coordinates and no line code."""
    point = {"width": 100, "height": 50, "x": 7, "y": 8}
    where = {"new_path": "logo.png", "old_path": "logo.png", "position_type": "image", **point}
    (note,) = create_discussion(fakeplat, position=position(fakeplat, where))["notes"]

    assert {**get_diff_refs(fakeplat), **where} == note["position"]
    assert ["position_type", "width", "height", "x", "y"] == list(note["position"])[-5:]
    assert line_code(fakeplat, note) is None


def test_a_range_of_lines_is_shown_as_sent(fakeplat: Fakeplat) -> None:
    """start and end, each with line_code, type, old_line and new_line."""
    start = {"line_code": "a_15_15", "type": "new", "old_line": None, "new_line": 15}
    end = {"line_code": "a_15_16", "type": "new", "old_line": None, "new_line": 16}
    where = {**APP, "new_line": 16, "line_range": {"start": start, "end": end}}
    (note,) = create_discussion(fakeplat, position=position(fakeplat, where))["notes"]
    assert {"start": start, "end": end} == note["position"]["line_range"]


def test_a_range_of_lines_has_only_the_fields_that_were_sent(fakeplat: Fakeplat) -> None:
    """A line range has exactly the fields that were sent."""
    line_range = {"start": {"line_code": "a_15_15", "type": None, "new_line": 15}}
    where = {**APP, "new_line": 16, "line_range": line_range}
    discussion = create_discussion(fakeplat, position=position(fakeplat, where))
    answer = reply(fakeplat, discussion, "Because.")

    assert line_range == discussion["notes"][0]["position"]["line_range"] == answer["position"]["line_range"]
    assert discussion["notes"] == get_json(fakeplat, f"{MR}/discussions/{discussion['id']}")["notes"][:1]


def test_a_position_may_be_sent_in_a_form(fakeplat: Fakeplat) -> None:
    """A position may be sent as form fields such as position[new_line]."""
    where = position(fakeplat)
    form = {"body": "x", **{f"position[{name}]": str(value) for name, value in where.items()}}
    answer = fakeplat.as_user("rep").post(f"{MR}/discussions", data=form)
    assert (201, 9) == (answer.status, answer.json()["notes"][0]["position"]["new_line"])


def test_replies_are_about_the_same_line(fakeplat: Fakeplat) -> None:
    """Replies are DiffNotes with the same position."""
    discussion = create_line_discussion(fakeplat)
    answer = reply(fakeplat, discussion, "Because.")
    assert ("DiffNote", discussion["notes"][0]["position"]) == (answer["type"], answer["position"])


def test_a_position_counts_only_in_new_discussions(fakeplat: Fakeplat) -> None:
    """Notes and replies take none; one that is null is none."""
    where = position(fakeplat)
    note = fakeplat.as_user("rep").post(f"{MR}/notes", json={"body": "x", "position": where}).json()
    assert (None, False) == (note["type"], "position" in note)
    (plain,) = create_discussion(fakeplat, position=None)["notes"]
    assert ("DiscussionNote", False) == (plain["type"], "position" in plain)


# pushes


def test_the_position_of_an_unchanged_line_moves(fakeplat: Fakeplat) -> None:
    """After a push the position of an unchanged line moves to its new number."""
    discussion = create_line_discussion(fakeplat)
    before = discussion["notes"][0]
    commit_lines(fakeplat, ["zero", *NEW])
    (after,) = get_json(fakeplat, f"{MR}/discussions/{discussion['id']}", "rep")["notes"]

    assert {**before["position"], **get_diff_refs(fakeplat), "new_line": 10} == after["position"]
    assert before["position"]["head_sha"] != after["position"]["head_sha"]
    assert (before["body"], before["updated_at"]) == (after["body"], after["updated_at"])


@pytest.mark.parametrize("wanted", [False, True])
def test_a_line_that_changed_keeps_its_position(fakeplat: Fakeplat, wanted: bool) -> None:
    """The thread is outdated: the platform says so in it, and settles it where the project wants that."""
    if wanted:
        update_record(fakeplat, SITE, "ada", resolve_outdated_diff_discussions=True)
    changed, kept = (
        create_line_discussion(fakeplat),
        create_discussion(fakeplat, position=position(fakeplat, {**APP, "old_line": 3})),
    )
    commit_lines(fakeplat, [*NEW[:8], "TEN", *NEW[9:]])
    first, note = get_json(fakeplat, f"{MR}/discussions/{changed['id']}", "rep")["notes"]

    assert changed["notes"][0]["position"] == first["position"]
    assert (wanted, "dev" if wanted else None) == (first["resolved"], (first["resolved_by"] or {}).get("username"))
    assert ("changed this line in version 2 of the diff", True, False) == (
        note["body"],
        note["system"],
        note["resolvable"],
    )
    (still,) = get_json(fakeplat, f"{MR}/discussions/{kept['id']}", "rep")["notes"]
    assert (False, get_diff_refs(fakeplat)["head_sha"]) == (still["resolved"], still["position"]["head_sha"])
    commit_lines(fakeplat, ["zero", *NEW])
    assert 2 == len(get_json(fakeplat, f"{MR}/discussions/{changed['id']}", "rep")["notes"])


def test_older_versions_can_still_be_discussed(fakeplat: Fakeplat) -> None:
    """A note on an older version moves to the newest one if its line remains."""
    old = position(fakeplat)
    other = position(fakeplat, {**APP, "new_line": 16})
    commit_lines(fakeplat, [*NEW[:8], "TEN", *NEW[9:]])
    (changed,) = create_discussion(fakeplat, position=old)["notes"]
    (same,) = create_discussion(fakeplat, position=other)["notes"]

    assert old["head_sha"] == changed["position"]["head_sha"]
    assert (get_diff_refs(fakeplat)["head_sha"], 16) == (same["position"]["head_sha"], same["position"]["new_line"])


def test_another_target_is_another_difference(fakeplat: Fakeplat) -> None:
    """Positions go along there too."""
    discussion = create_line_discussion(fakeplat)
    fakeplat.as_user("mia").post(f"{SITE}/repository/branches", json={"branch": "next", "ref": "master"})
    commit_lines(fakeplat, ["zero", *map(str, range(1, 41))], "next", "mia")
    update_record(fakeplat, MR, "dev", target_branch="next")
    (after,) = get_json(fakeplat, f"{MR}/discussions/{discussion['id']}", "rep")["notes"]
    assert get_diff_refs(fakeplat) == {name: after["position"][name] for name in get_diff_refs(fakeplat)}
    assert 9 == after["position"]["new_line"]


def test_a_target_that_lost_commits_is_another_difference(fakeplat: Fakeplat) -> None:
    """Positions go along when the target is forced back."""
    fakeplat.as_user("mia").post(f"{SITE}/repository/branches", json={"branch": "next", "ref": "begin"})
    commit_lines(fakeplat, ["zero", *map(str, range(1, 41))], "next", "mia")
    update_record(fakeplat, MR, "dev", target_branch="next")
    discussion = create_line_discussion(fakeplat)
    action = {"action": "create", "file_path": "else.txt", "content": "x"}
    forced = {"branch": "next", "start_branch": "master", "force": True, "commit_message": "Back", "actions": [action]}
    assert 201 == fakeplat.as_user("mia").post(f"{SITE}/repository/commits", json=forced).status
    (after,) = get_json(fakeplat, f"{MR}/discussions/{discussion['id']}", "rep")["notes"]

    assert discussion["notes"][0]["position"]["start_sha"] != after["position"]["start_sha"]
    assert get_diff_refs(fakeplat) == {name: after["position"][name] for name in get_diff_refs(fakeplat)}


def test_a_picture_that_changed_is_outdated(fakeplat: Fakeplat) -> None:
    """A discussion of a changed picture is outdated, of the same picture moves."""
    where = {"new_path": "logo.png", "old_path": "logo.png", "position_type": "image"}
    point = position(fakeplat, {**where, "x": 1, "y": 2, "width": 3, "height": 4})
    discussion = create_discussion(fakeplat, position=point)
    commit_lines(fakeplat, ["zero", *NEW])
    (along,) = get_json(fakeplat, f"{MR}/discussions/{discussion['id']}", "rep")["notes"]
    assert {**point, **get_diff_refs(fakeplat)} == along["position"]
    action = {"action": "update", "file_path": "logo.png", "content": "AAAA", "encoding": "base64"}
    body = {"branch": "feature", "commit_message": "Draw", "actions": [action]}
    fakeplat.as_user("dev").post(f"{SITE}/repository/commits", json=body)
    kept, changed_note = get_json(fakeplat, f"{MR}/discussions/{discussion['id']}", "rep")["notes"]
    assert (along["position"], "changed this file in version 3 of the diff") == (kept["position"], changed_note["body"])


def test_pushes_while_closed_count_after_reopening(fakeplat: Fakeplat) -> None:
    """Notes go along then, or are outdated."""
    changed, kept = (
        create_line_discussion(fakeplat),
        create_discussion(fakeplat, position=position(fakeplat, {**APP, "new_line": 16})),
    )
    update_record(fakeplat, MR, "dev", state_event="close")
    commit_lines(fakeplat, ["zero", *NEW[:8], "TEN", *NEW[9:]])
    update_record(fakeplat, MR, "dev", state_event="reopen")
    (along,) = get_json(fakeplat, f"{MR}/discussions/{kept['id']}", "rep")["notes"]
    first, system_note = get_json(fakeplat, f"{MR}/discussions/{changed['id']}", "rep")["notes"]

    assert (17, get_diff_refs(fakeplat)["head_sha"]) == (along["position"]["new_line"], along["position"]["head_sha"])
    assert (changed["notes"][0]["position"], "changed this line in version 2 of the diff") == (
        first["position"],
        system_note["body"],
    )


def test_lines_of_a_fork_are_discussed(fakeplat: Fakeplat) -> None:
    """Lines of a fork's merge request are discussed and follow its pushes."""
    docs = PUBLIC.rpartition("/merge")[0]
    fork = create_record(fakeplat, f"{docs}/fork", "eve")["id"]
    fakeplat.settle()
    action = {"action": "create", "file_path": "more.txt", "content": "a\nb\n"}
    change = {"branch": "more", "start_branch": "master", "commit_message": "More", "actions": [action]}
    create_record(fakeplat, f"projects/{fork}/repository/commits", "eve", **change)
    target = {"target_project_id": get_json(fakeplat, docs)["id"], "target_branch": "master"}
    asked = create_record(
        fakeplat, f"projects/{fork}/merge_requests", "eve", title="More", source_branch="more", **target
    )
    path = f"{docs}/merge_requests/{asked['iid']}"
    where = position(fakeplat, {"new_path": "more.txt", "new_line": 2}, path)
    discussion = create_discussion(fakeplat, "Why?", "rep", path, position=where)
    assert where.items() <= discussion["notes"][0]["position"].items()
    action = {"action": "update", "file_path": "more.txt", "content": "zero\na\nb\n"}
    create_record(
        fakeplat, f"projects/{fork}/repository/commits", "eve", branch="more", commit_message="0", actions=[action]
    )
    (after,) = get_json(fakeplat, f"{path}/discussions/{discussion['id']}", "rep")["notes"]
    assert (3, get_diff_refs(fakeplat, path)["head_sha"]) == (
        after["position"]["new_line"],
        after["position"]["head_sha"],
    )


def test_a_rebase_moves_positions(fakeplat: Fakeplat) -> None:
    """A rebase moves positions and notes changes by its user."""
    discussion = create_line_discussion(fakeplat)
    fakeplat.as_user("mia").post(
        f"{SITE}/repository/commits",
        json={
            "branch": "master",
            "commit_message": "More",
            "actions": [{"action": "create", "file_path": "more.txt", "content": "x"}],
        },
    )
    assert 202 == fakeplat.as_user("dev").put(f"{MR}/rebase").status
    fakeplat.settle()
    (after,) = get_json(fakeplat, f"{MR}/discussions/{discussion['id']}", "rep")["notes"]
    assert {**discussion["notes"][0]["position"], **get_diff_refs(fakeplat)} == after["position"]
    assert discussion["notes"][0]["position"] != after["position"]


def test_resolved_threads_move_resolved(fakeplat: Fakeplat) -> None:
    """A resolved thread that moves with its line in a push stays resolved."""
    discussion = create_line_discussion(fakeplat)
    resolve_discussion(fakeplat, discussion)
    commit_lines(fakeplat, ["zero", *NEW])
    (after,) = get_json(fakeplat, f"{MR}/discussions/{discussion['id']}", "rep")["notes"]
    assert (True, 10) == (after["resolved"], after["position"]["new_line"])
    assert (200, True) == (
        outcome(fakeplat.as_user("rep").get(MR))[0],
        get_json(fakeplat, MR)["blocking_discussions_resolved"],
    )


_SHA = st.sampled_from(["0" * 40, "f" * 40, "master", "", "HEAD", "{blob}", "{head}", "{base}"])
_PATH = st.sampled_from(
    ["app.txt", "fresh.txt", "gone.txt", "logo.png", "", "/", ".", "..", "/app.txt", "a\0b", "x" * 500]
)
_NUMBER = st.none() | st.integers(-2, 45) | st.sampled_from([10**9, 2**63, str(10**30), "-0", "1e3"])
_PLACES = st.fixed_dictionaries(
    {
        "position_type": st.sampled_from(["text", "image"]),
        **{f"{name}_sha": _SHA | st.just(f"{{{name}}}") for name in ("base", "start", "head")},
    },
    optional={
        **{f"{side}_path": _PATH for side in ("old", "new")},
        **dict.fromkeys(("old_line", "new_line", "x", "y", "width", "height"), _NUMBER),
        "line_range": st.none() | st.fixed_dictionaries({"start": st.fixed_dictionaries({"old_line": _NUMBER})}),
    },
)


@settings(max_examples=examples(50), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_PLACES, st.sampled_from(["json", "data"]))
def test_any_position_can_be_sent(fakeplat: Fakeplat, where: dict[str, Any], way: str) -> None:
    """Any position answers 201 or 400, and later pushes succeed."""
    known_refs, files = (
        get_diff_refs(fakeplat),
        fakeplat.as_user("root").get(f"{SITE}/repository/tree?ref=master").json(),
    )
    known = {
        "base": known_refs["base_sha"],
        "start": known_refs["start_sha"],
        "head": known_refs["head_sha"],
        "blob": files[0]["id"],
    }
    position_fields = {key: value.format(**known) if key.endswith("_sha") else value for key, value in where.items()}
    flat = {key: value for key, value in position_fields.items() if value is not None and key != "line_range"}
    form = {"body": "x", **{f"position[{key}]": str(value) for key, value in flat.items()}}
    body = form if way == "data" else {"body": "x", "position": position_fields}
    for target in (MR, f"{SITE}/repository/commits/feature"):
        assert fakeplat.as_user("rep").post(f"{target}/discussions", **{way: body}).status in (201, 400)
        assert 200 == fakeplat.as_user("rep").get(f"{target}/discussions").status
    commit_lines(fakeplat, [known_refs["head_sha"], *NEW])
