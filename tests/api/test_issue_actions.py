"""Moving, ordering and subscribing to issues, time tracking and participants.

Source: docs/platform/issues.md.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import ESTIMATES_ARE_NOT_NEGATIVE, ISSUES_ARE_SORTED_ACROSS_PROJECTS
from tests.api.company import COMPANY
from tests.api.planning_records import (
    ACME,
    DOCS,
    KIT,
    MISSING,
    NOTES,
    SITE,
    create_record,
    get_json,
    issue,
    label,
    milestone,
)
from tests.api.requests import (
    FORBIDDEN,
    UNAUTHORIZED,
    UNMODIFIED,
    Outcome,
    invalid,
    invalid_record,
    names,
    outcome,
    refusal,
    resource_not_found,
)
from tests.by_release import by_release

pytestmark = [pytest.mark.every_release, pytest.mark.fakeplat(scenario=COMPANY)]
NO_RIGHT: Outcome = (400, {"message": "Cannot move issue due to insufficient permissions!"})


def project_id(fake: Fakeplat, path: str) -> int:
    return int(fake.world.project(path).id)


def move_issue(fake: Fakeplat, to: str, by: str = "ada", source: str = f"{SITE}/issues/1") -> Outcome:
    return outcome(fake.as_user(by).post(f"{source}/move", json={"to_project_id": project_id(fake, to)}))


# moving


def test_moving_creates_a_new_issue_and_closes_the_old_one(fakeplat: Fakeplat) -> None:
    """The answer is the new issue with its own id and iid; the old one names it."""
    old = issue(fakeplat, description="text", due_date="2020-12-24", confidential=True)
    issue(fakeplat, DOCS)
    status, new = move_issue(fakeplat, "acme/docs")
    left = get_json(fakeplat, f"{SITE}/issues/1")

    assert (201, 2, project_id(fakeplat, "acme/docs")) == (status, new["iid"], new["project_id"])
    assert ("One", "text", "2020-12-24", True, "opened", "ada") == (
        new["title"],
        new["description"],
        new["due_date"],
        new["confidential"],
        new["state"],
        new["author"]["username"],
    )
    assert old["created_at"] == new["created_at"]
    assert {"short": "#2", "relative": "acme/docs#2", "full": "acme/docs#2"} == new["references"]
    assert ("closed", new["id"], "ada") == (left["state"], left["moved_to_id"], left["closed_by"]["username"])
    assert new["id"] != left["id"] == old["id"]


def test_labels_and_milestones_of_the_same_title_are_moved(fakeplat: Fakeplat) -> None:
    """A moved issue keeps labels and milestone of the same title."""
    for project_path in (SITE, DOCS):
        label(fakeplat, "bug", project_path)
        milestone(fakeplat, "v1", project_path)
    label(fakeplat, "urgent", ACME)
    own = milestone(fakeplat, "only here")
    v1 = get_json(fakeplat, f"{SITE}/milestones?title=v1")[0]["id"]
    issue(fakeplat, labels="bug,urgent,own", milestone_id=v1)
    issue(fakeplat, milestone_id=own["id"])
    first, second = (move_issue(fakeplat, "acme/docs", source=f"{SITE}/issues/{iid}")[1] for iid in (1, 2))

    assert ["bug", "urgent"] == first["labels"]
    assert get_json(fakeplat, f"{DOCS}/milestones?title=v1")[0]["id"] == first["milestone"]["id"]
    assert second["milestone"] is None


def test_links_and_history_are_moved(fakeplat: Fakeplat) -> None:
    """A link leads to the new issue; labels' history is there again, and the old one is closed."""
    issue(fakeplat, labels="bug")
    issue(fakeplat, KIT)
    link: dict[str, Any] = {"target_project_id": "acme/tools/kit", "target_issue_iid": 1}
    create_record(fakeplat, f"{SITE}/issues/1/links", **link)
    _, new = move_issue(fakeplat, "acme/docs")

    assert [new["id"]] == names(get_json(fakeplat, f"{KIT}/issues/1/links"), "id")
    assert [] == get_json(fakeplat, f"{SITE}/issues/1/links")
    assert [("bug", "add")] == [
        (event["label"]["name"], event["action"])
        for event in get_json(fakeplat, f"{DOCS}/issues/1/resource_label_events")
    ]
    assert ["closed"] == names(get_json(fakeplat, f"{SITE}/issues/1/resource_state_events"), "state")


def test_a_moved_issue_is_not_moved_again(fakeplat: Fakeplat) -> None:
    """An issue that was moved cannot be moved again, but its new issue can."""
    issue(fakeplat)
    assert 201 == move_issue(fakeplat, "acme/docs")[0]

    assert NO_RIGHT == move_issue(fakeplat, "acme/tools/kit")
    assert 201 == move_issue(fakeplat, "acme/site", source=f"{DOCS}/issues/1")[0]


def test_an_issue_whose_heir_is_gone_is_moved_nowhere(fakeplat: Fakeplat) -> None:
    """moved_to_id is null again, and it can be moved anew."""
    issue(fakeplat)
    heir = move_issue(fakeplat, "acme/docs")[1]
    assert heir["id"] == get_json(fakeplat, f"{SITE}/issues/1")["moved_to_id"]
    assert 204 == fakeplat.as_user("ada").delete(f"{DOCS}/issues/{heir['iid']}").status

    assert None is get_json(fakeplat, f"{SITE}/issues/1")["moved_to_id"]
    assert 201 == move_issue(fakeplat, "acme/docs")[0]


@pytest.mark.parametrize(
    ("by", "to", "expected"),
    [
        ("gus", "acme/docs", NO_RIGHT),
        ("rep", "acme/docs", 201),
        ("rep", "ada/notes", NO_RIGHT),
        ("ada", "ada/notes", 201),
        ("ada", "acme/site", (400, {"message": "Cannot move issue to project it originates from!"})),
        ("gus", "acme/site", NO_RIGHT),
    ],
)
def test_reporters_of_both_projects_move_issues(fakeplat: Fakeplat, by: str, to: str, expected: Any) -> None:
    """Reporters of both projects move an issue, but not into its own project."""
    issue(fakeplat)
    moved_issue = move_issue(fakeplat, to, by)
    assert expected == (moved_issue[0] if isinstance(expected, int) else moved_issue)


@pytest.mark.parametrize(
    ("target", "body", "expected"),
    [
        (f"{SITE}/issues/1/move", {}, invalid("to_project_id is missing")),
        (f"{SITE}/issues/1/move", {"to_project_id": "x"}, invalid("to_project_id is invalid")),
        (f"{SITE}/issues/1/move", {"to_project_id": 999}, resource_not_found("Project")),
        (f"{SITE}/issues/9/move", {"to_project_id": 999}, resource_not_found("Issue")),
        (f"{SITE}/issues/x/move", {"to_project_id": 1}, invalid("issue_iid is invalid")),
        (
            f"{SITE}/issues/1/reorder",
            {},
            invalid("move_after_id, move_before_id are missing, at least one parameter must be provided"),
        ),
        (f"{SITE}/issues/9/reorder", {"move_after_id": 1}, resource_not_found("Issue")),
        (f"{SITE}/issues/1/reorder", {"move_after_id": 1}, (422, {"message": {"error": "Unprocessable Entity"}})),
        (f"{SITE}/issues/1/subscribe", {}, UNMODIFIED),
        (f"{SITE}/issues/9/subscribe", {}, MISSING),
        (f"{SITE}/issues/9/unsubscribe", {}, MISSING),
        (f"{SITE}/issues/1/time_estimate", {}, invalid("duration is missing")),
        (f"{SITE}/issues/1/add_spent_time", {}, invalid("duration is missing")),
        pytest.param(
            f"{SITE}/issues/1/time_estimate",
            {"duration": "soon"},
            invalid_record(time_estimate=["has an invalid format"]),
            marks=pytest.mark.fakeplat(releases="<16.3"),
        ),
        (
            f"{SITE}/issues/1/add_spent_time",
            {"duration": "soon"},
            invalid_record(**{"timelogs.time_spent": ["can't be blank"]}),
        ),
        (
            f"{SITE}/issues/1/add_spent_time",
            {"duration": "-1m"},
            invalid_record(base=["Time to subtract exceeds the total time spent"]),
        ),
        (f"{SITE}/issues/9/reset_spent_time", {}, MISSING),
    ],
)
def test_invalid_actions_are_refused_and_change_nothing(
    fakeplat: Fakeplat, target: str, body: dict[str, Any], expected: Outcome
) -> None:
    """Invalid actions on issues are refused with the platform's bodies and change nothing."""
    issue(fakeplat)
    method = "PUT" if target.endswith("reorder") else "POST"
    assert expected == refusal(fakeplat, "ada", method, target, json=body)


# order


def list_order(fake: Fakeplat) -> list[int]:
    return names(get_json(fake, f"{SITE}/issues?order_by=relative_position&sort=asc"), "iid")


@pytest.mark.parametrize(
    ("moved", "behind", "before", "expected"),
    [
        (4, 1, None, [1, 4, 2, 3]),
        (4, None, 1, [4, 1, 2, 3]),
        (1, 3, None, [2, 3, 1, 4]),
        (1, 4, None, [2, 3, 4, 1]),
        (4, 1, 2, [1, 4, 2, 3]),
        (4, 2, 1, [1, 4, 2, 3]),
        (2, None, 4, [1, 3, 2, 4]),
    ],
)
def test_an_issue_is_placed_next_to_another(
    fakeplat: Fakeplat, moved: int, behind: int | None, before: int | None, expected: list[int]
) -> None:
    """An issue is placed behind `move_before_id` or before `move_after_id`."""
    ids = {iid: issue(fakeplat)["id"] for iid in (1, 2, 3, 4)}
    given = {"move_before_id": ids.get(behind or 0), "move_after_id": ids.get(before or 0)}
    body = {name: id_ for name, id_ in given.items() if id_}
    reply = fakeplat.as_user("ada").put(f"{SITE}/issues/{moved}/reorder", json=body)

    assert (200, moved) == (reply.status, reply.json()["iid"])
    assert expected == list_order(fakeplat)


def test_there_is_always_room(fakeplat: Fakeplat) -> None:
    """However often issues are put between the same two, the order is the one asked for."""
    ids = [issue(fakeplat)["id"] for _ in range(3)]
    for number in range(14):
        moved = 2 + number % 2
        body = {"move_before_id": ids[0], "move_after_id": ids[2 - number % 2]}
        assert 200 == fakeplat.as_user("ada").put(f"{SITE}/issues/{moved}/reorder", json=body).status
        assert [1, moved] == list_order(fakeplat)[:2]


@pytest.mark.fakeplat(releases="<16.0")
def test_issues_are_ordered_within_their_project(fakeplat: Fakeplat) -> None:
    """An issue cannot be placed next to itself, a hidden issue or one of another project."""
    own, other = issue(fakeplat, SITE, "gus")["id"], issue(fakeplat, DOCS)["id"]
    hidden, path = issue(fakeplat, confidential=True)["id"], f"{SITE}/issues/1/reorder"

    for neighbour in (own, other, hidden):
        refused = refusal(fakeplat, "gus", "PUT", path, json={"move_after_id": neighbour})
        assert (422, {"message": {"error": "Unprocessable Entity"}}) == refused
    both = {"move_after_id": hidden, "move_before_id": hidden}
    assert 200 == fakeplat.as_user("rep").put(path, json=both).status
    assert [2, 1] == list_order(fakeplat)


@by_release(ISSUES_ARE_SORTED_ACROSS_PROJECTS, "is_sorted", {"15.11": False, "16.0": True})
def test_issues_are_later_ordered_within_their_root_group(fakeplat: Fakeplat, is_sorted: bool) -> None:
    """An issue is later placed between issues of another project of the same root group, of no other namespace."""
    first, second, moved = issue(fakeplat, KIT), issue(fakeplat, KIT), issue(fakeplat, SITE)
    foreign, path = issue(fakeplat, NOTES)["id"], f"{SITE}/issues/1/reorder"
    body = {"move_before_id": first["id"], "move_after_id": second["id"]}

    assert (200 if is_sorted else 422) == fakeplat.as_user("ada").put(path, json=body).status
    assert 422 == fakeplat.as_user("ada").put(path, json={"move_after_id": foreign}).status
    listed = get_json(fakeplat, "groups/acme/issues?order_by=relative_position&sort=asc&scope=all")
    assert is_sorted == ([first["id"], moved["id"], second["id"]] == names(listed, "id"))


# subscriptions


def test_issues_are_subscribed_and_unsubscribed(fakeplat: Fakeplat) -> None:
    """Subscribing and unsubscribing answer 201, and 304 when repeated."""
    issue(fakeplat)
    gus, path = fakeplat.as_user("gus"), f"{SITE}/issues/1"
    assert get_json(fakeplat, path, "gus")["subscribed"] is False
    subscribed = gus.post(f"{path}/subscribe")

    assert (201, True) == (subscribed.status, subscribed.json()["subscribed"])
    assert UNMODIFIED == outcome(gus.post(f"{path}/subscribe"))
    assert get_json(fakeplat, path, "gus")["subscribed"] is True
    unsubscribed = gus.post(f"{path}/unsubscribe")
    assert (201, False) == (unsubscribed.status, unsubscribed.json()["subscribed"])
    assert UNMODIFIED == outcome(gus.post(f"{path}/unsubscribe"))
    assert 201 == fakeplat.as_user("ada").post(f"{path}/unsubscribe").status


# time


@pytest.mark.parametrize(
    ("text", "seconds", "words"),
    [
        ("3h30m", 12_600, "3h 30m"),
        ("1mo 2w 3d 4h 5m", 965_100, "1mo 2w 3d 4h 5m"),
        ("1w", 144_000, "1w"),
        ("5d", 144_000, "1w"),
        ("8h", 28_800, "1d"),
        ("4w", 576_000, "1mo"),
        ("90m", 5_400, "1h 30m"),
        ("1.5h", 5_400, "1h 30m"),
        ("45s", 45, "45s"),
        ("1 hour and 5 minutes", 3_900, "1h 5m"),
        ("2", 7_200, "2h"),
        ("1H 1M", 3_660, "1h 1m"),
    ],
)
def test_spans_of_work_are_read_as_people_write_them(fakeplat: Fakeplat, text: str, seconds: int, words: str) -> None:
    """A day has 8 hours, a week 5 days, a month 4 weeks; a bare number is hours."""
    issue(fakeplat)
    stats = fakeplat.as_user("ada").post(f"{SITE}/issues/1/time_estimate", json={"duration": text})

    assert (200, seconds, words) == (stats.status, stats.json()["time_estimate"], stats.json()["human_time_estimate"])


@pytest.mark.fakeplat(releases="<16.3")
@pytest.mark.parametrize("text", ["", " ", "h", "1x", "1h soon", "one hour", "--1h", "1h -30m", "99999999999w", "1:30"])
def test_invalid_durations_are_refused(fakeplat: Fakeplat, text: str) -> None:
    """An invalid duration answers 400 and changes nothing."""
    issue(fakeplat)
    path, body = f"{SITE}/issues/1/time_estimate", {"duration": text}
    assert invalid_record(time_estimate=["has an invalid format"]) == refusal(fakeplat, "ada", "POST", path, json=body)


@by_release(ESTIMATES_ARE_NOT_NEGATIVE, "is_refused", {"16.2": False, "16.3": True})
def test_estimates_are_later_not_negative(fakeplat: Fakeplat, is_refused: bool) -> None:
    """A negative or invalid estimate is later refused with a printed hash that has the reason."""
    issue(fakeplat)
    ada, path = fakeplat.as_user("ada"), f"{SITE}/issues/1/time_estimate"
    ada.post(path, json={"duration": "2h"})
    negative, invalid_one = (ada.post(path, json={"duration": text}) for text in ("-1h", "soon"))

    assert (400 if is_refused else 200, 400) == (negative.status, invalid_one.status)
    reason = "Time estimate must have a valid format and be greater than or equal to zero."
    text = f'400 Bad request - {{:reason=>"{reason}"}}'
    assert is_refused == (text == negative.json().get("message") == invalid_one.json()["message"])
    assert (7_200 if is_refused else -3_600) == get_json(fakeplat, f"{SITE}/issues/1/time_stats")["time_estimate"]
    assert 200 == ada.post(path, json={"duration": "0"}).status


def test_time_adds_up_and_is_taken_back(fakeplat: Fakeplat) -> None:
    """add_spent_time answers 201, the others 200, each with all four numbers; words are null at zero."""
    issue(fakeplat)
    ada, path = fakeplat.as_user("ada"), f"{SITE}/issues/1"
    ada.post(f"{path}/time_estimate", json={"duration": "2d"})
    statuses = [ada.post(f"{path}/add_spent_time", json={"duration": text}).status for text in ("3h", "1h 30m", "-1h")]
    stats = {
        "time_estimate": 57_600,
        "total_time_spent": 12_600,
        "human_time_estimate": "2d",
        "human_total_time_spent": "3h 30m",
    }

    assert [201, 201, 201] == statuses
    assert stats == get_json(fakeplat, f"{path}/time_stats") == get_json(fakeplat, path)["time_stats"]
    nothing = dict.fromkeys(stats, 0) | {"human_time_estimate": None, "human_total_time_spent": None}
    assert (200, {**nothing, **{name: stats[name] for name in stats if "spent" in name}}) == outcome(
        ada.post(f"{path}/reset_time_estimate")
    )
    assert (200, nothing) == outcome(ada.post(f"{path}/reset_spent_time"))
    assert nothing == get_json(fakeplat, f"{path}/time_stats")


def test_a_reset_of_spent_time_is_a_change_even_at_0(fakeplat: Fakeplat) -> None:
    """Resetting spent time changes an issue and is noted even at 0; an estimate's reset is not."""
    path = f"{SITE}/issues/1"
    before = issue(fakeplat)["updated_at"]
    fakeplat.clock.advance("1m")
    fakeplat.as_user("ada").post(f"{path}/reset_time_estimate")
    assert before == get_json(fakeplat, path)["updated_at"]
    fakeplat.as_user("ada").post(f"{path}/reset_spent_time")
    assert before < get_json(fakeplat, path)["updated_at"]
    assert ["removed time spent"] == names(get_json(fakeplat, f"{path}/notes"), "body")


def test_a_refused_subtraction_leaves_the_time_stats(fakeplat: Fakeplat) -> None:
    """Subtracting more than was spent is 400, and an estimate that is no duration keeps the one before."""
    issue(fakeplat)
    path, ada = f"{SITE}/issues/1", fakeplat.as_user("ada")
    ada.post(f"{path}/time_estimate", json={"duration": "1w"})
    ada.post(f"{path}/add_spent_time", json={"duration": "2h"})
    for verb, duration in (("add_spent_time", "-1w"), ("time_estimate", "foo")):
        assert 400 == refusal(fakeplat, "ada", "POST", f"{path}/{verb}", json={"duration": duration})[0]
    assert (144_000, 7_200) == tuple(
        get_json(fakeplat, f"{path}/time_stats")[name] for name in ("time_estimate", "total_time_spent")
    )


@pytest.mark.parametrize("verb", ["time_estimate", "add_spent_time", "reset_time_estimate", "reset_spent_time"])
def test_reporters_track_time(fakeplat: Fakeplat, verb: str) -> None:
    """Guests do not, even on issues of their own."""
    issue(fakeplat, SITE, "gus")
    path, body = f"{SITE}/issues/1/{verb}", {"duration": "1h"}

    assert FORBIDDEN == refusal(fakeplat, "gus", "POST", path, json=body)
    assert fakeplat.as_user("rep").post(path, json=body).status in (200, 201)


# people and programs


def test_participants_are_author_assignees_and_who_is_named(fakeplat: Fakeplat) -> None:
    """Participants are author, assignees and mentioned users who may read the issue, once each."""
    dev = fakeplat.world.user("dev").id
    issue(fakeplat, description="@mia and @eve, please; not me@rep or @nobody. @ada", assignee_id=dev)

    assert ["ada", "dev", "mia"] == names(get_json(fakeplat, f"{SITE}/issues/1/participants", "gus"), "username")


@pytest.mark.fakeplat(releases="<16.10")
def test_administrators_see_with_what_an_issue_was_written(fakeplat: Fakeplat) -> None:
    """The program and the address of the request that made it, under both names of the third field."""
    fakeplat.as_user("ada").post(f"{SITE}/issues", json={"title": "x"}, headers={"User-Agent": "tests/1.0"})
    detail = get_json(fakeplat, f"{SITE}/issues/1/user_agent_detail", "root")

    assert {
        "user_agent": "tests/1.0",
        "ip_address": "127.0.0.1",
        "antispam_submitted": False,
        "akismet_submitted": False,
    } == detail


@pytest.mark.parametrize(
    ("by", "expected"), [(None, UNAUTHORIZED), ("ada", FORBIDDEN), ("root", resource_not_found("UserAgentDetail"))]
)
def test_others_do_not_see_it_and_some_issues_have_none(fakeplat: Fakeplat, by: str | None, expected: Outcome) -> None:
    """User agent details are for administrators, and missing for some issues."""
    fakeplat.as_user("ada").post(f"{SITE}/issues", json={"title": "x"}, headers={"User-Agent": ""})
    assert expected == refusal(fakeplat, by, "GET", f"{SITE}/issues/1/user_agent_detail")


@pytest.mark.parametrize("verb", ["time_estimate", "reset_time_estimate", "add_spent_time", "reset_spent_time"])
def test_authors_who_are_no_members_track_no_time(fakeplat: Fakeplat, verb: str) -> None:
    """Authors who are no members cannot track time in a public project."""
    own = issue(fakeplat, DOCS, "eve")["iid"]
    other = issue(fakeplat, DOCS)["iid"]
    for iid in (own, other):
        assert FORBIDDEN == refusal(fakeplat, "eve", "POST", f"{DOCS}/issues/{iid}/{verb}", json={"duration": "1h"})


def test_confidential_issues_are_hidden_from_guests_whatever_is_asked(fakeplat: Fakeplat) -> None:
    """Actions of Guests on confidential issues answer 404."""
    issue(fakeplat, confidential=True)
    for method, path, body, expected in (
        ("POST", "subscribe", None, MISSING),
        ("POST", "add_spent_time", {"duration": "1h"}, MISSING),
        ("GET", "participants", None, MISSING),
        ("GET", "links", None, MISSING),
        ("GET", "resource_state_events", None, MISSING),
        ("POST", "move", {"to_project_id": 1}, resource_not_found("Project")),
        ("PUT", "reorder", {"move_after_id": 1}, FORBIDDEN),
    ):
        assert expected == refusal(fakeplat, "gus", method, f"{SITE}/issues/1/{path}", json=body)


def test_an_archived_project_tracks_nothing(fakeplat: Fakeplat) -> None:
    """Issues of an archived project can be neither tracked, ordered nor moved."""
    issue(fakeplat, NOTES)
    fakeplat.as_user("ada").post(f"{NOTES}/archive")

    assert FORBIDDEN == refusal(fakeplat, "ada", "POST", f"{NOTES}/issues/1/reset_spent_time")
    assert FORBIDDEN == refusal(fakeplat, "ada", "PUT", f"{NOTES}/issues/1/reorder", json={"move_after_id": 1})
    assert NO_RIGHT == move_issue(fakeplat, "acme/site", source=f"{NOTES}/issues/1")


def test_cached_answers_are_updated_by_every_write(fakeplat: Fakeplat) -> None:
    """Cached answers about an issue are right after every write."""
    issue(fakeplat)
    other = issue(fakeplat)["id"]
    ada, issue_path = fakeplat.as_user("ada"), f"{SITE}/issues/1"
    before = [get_json(fakeplat, issue_path), list_order(fakeplat), get_json(fakeplat, f"{issue_path}/participants")]
    ada.post(f"{issue_path}/add_spent_time", json={"duration": "1h"})
    ada.put(f"{issue_path}/reorder", json={"move_before_id": other})
    ada.put(issue_path, json={"description": "@mia"})
    after = [get_json(fakeplat, issue_path), list_order(fakeplat), get_json(fakeplat, f"{issue_path}/participants")]

    assert (0, 3600) == (before[0]["time_stats"]["total_time_spent"], after[0]["time_stats"]["total_time_spent"])
    assert ([1, 2], [2, 1]) == (before[1], after[1])
    assert (["ada"], ["ada", "mia"]) == (names(before[2], "username"), names(after[2], "username"))
