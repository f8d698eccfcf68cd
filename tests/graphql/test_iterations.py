"""Iterations and their cadences: who changes them, what is refused, and what automatic cadences plan."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    CADENCES_ARE_ENABLED,
    ITERATIONS_HAVE_CADENCES,
    REPORTERS_PLAN_ITERATIONS,
)
from tests.by_release import by_release
from tests.graphql.queries import NOT_AVAILABLE, list_messages, query_data, query_refused, write_mutation

pytestmark = pytest.mark.fakeplat(version="latest", tier="premium", clock="virtual", start="2020-11-20T09:00:00.000Z")

CADENCE = "id title description automatic active startDate durationInWeeks iterationsInAdvance rollOver"
NEW_CADENCE = write_mutation("iterationCadenceCreate", f"iterationCadence {{ {CADENCE} }}")
CHANGE_CADENCE = write_mutation("iterationCadenceUpdate", f"iterationCadence {{ {CADENCE} }}")
DROP_CADENCE = write_mutation("iterationCadenceDestroy", "group { fullPath }")
NEW = write_mutation("iterationCreate", "iteration { id iid title startDate dueDate sequence }")
CHANGE = write_mutation("updateIteration", "iteration { title description startDate dueDate }")
DROP = write_mutation("iterationDelete", "group { fullPath }")
SET = write_mutation("issueSetIteration", "issue { iteration { title } }")
RETROACTIVE = (
    "The automation start date would retroactively create a past iteration. "
    "2020-11-14 is the earliest possible start date."
)
AUTOMATIC: dict[str, Any] = {
    "automatic": True,
    "startDate": "2020-11-23",
    "durationInWeeks": 1,
    "iterationsInAdvance": 2,
}


def change(fake: Fakeplat, mutation: str, by: str = "rep", **values: Any) -> Any:
    (payload,) = query_data(fake, by, mutation, input=values).values()
    return payload


def create_cadence(fake: Fakeplat, **values: Any) -> Any:
    given = {"groupPath": "acme", "title": "Sprints", "automatic": False, "active": True, **values}
    return change(fake, NEW_CADENCE, **given)


def cadence_id(fake: Fakeplat, **values: Any) -> str:
    return str(create_cadence(fake, **values)["iterationCadence"]["id"])


def create(fake: Fakeplat, by: str = "rep", **values: Any) -> Any:
    return change(fake, NEW, by, groupPath="acme", **values)


def periods(fake: Fakeplat) -> list[tuple[str, str]]:
    iterations = fake.as_user("rep").get("groups/acme/iterations").json()
    return [(iteration["start_date"], iteration["due_date"]) for iteration in iterations]


def refused(fake: Fakeplat, mutation: str, by: str = "rep", **values: Any) -> list[str]:
    """Return the messages of a mutation that must change nothing."""
    content = query_refused(fake, by, mutation, input=values)
    if "errors" in content:
        return list_messages(content)
    (payload,) = content["data"].values()
    messages: list[str] = payload["errors"]
    return messages


# Cadences


def test_a_manual_cadence_has_no_schedule(fakeplat: Fakeplat) -> None:
    """A cadence that is not automatic keeps neither the duration nor the number nor the roll-over it was given."""
    created = create_cadence(fakeplat, durationInWeeks=2, iterationsInAdvance=3, rollOver=True, description="Words")

    assert {
        "id": created["iterationCadence"]["id"],
        "title": "Sprints",
        "description": "Words",
        "automatic": False,
        "active": True,
        "startDate": None,
        "durationInWeeks": None,
        "iterationsInAdvance": None,
        "rollOver": False,
    } == created["iterationCadence"]
    assert created["iterationCadence"]["id"].startswith("gid://gitlab/Iterations::Cadence/")
    assert [] == periods(fakeplat)


def test_an_automatic_cadence_plans_from_its_start_on(fakeplat: Fakeplat) -> None:
    """A cadence that starts in the future creates the iterations that are wanted ahead, without titles."""
    create_cadence(fakeplat, **AUTOMATIC)
    fakeplat.clock.advance("1s")

    assert [("2020-11-23", "2020-11-29"), ("2020-11-30", "2020-12-06")] == periods(fakeplat)
    first = fakeplat.as_user("rep").get("groups/acme/iterations").json()[0]
    assert (None, None) == (first["title"], first["description"])


def test_a_cadence_that_began_has_a_current_iteration(fakeplat: Fakeplat) -> None:
    """A start within the current iteration creates it beside those ahead."""
    create_cadence(fakeplat, **{**AUTOMATIC, "startDate": "2020-11-16"})
    fakeplat.clock.advance("1s")

    assert [("2020-11-16", "2020-11-22"), ("2020-11-23", "2020-11-29"), ("2020-11-30", "2020-12-06")] == periods(
        fakeplat
    )


def test_iterations_are_planned_as_time_goes_by(fakeplat: Fakeplat) -> None:
    """When an iteration begins, another one is planned, so that as many as wanted are ahead."""
    create_cadence(fakeplat, **AUTOMATIC)
    fakeplat.clock.advance("17d")

    assert ["2020-11-23", "2020-11-30", "2020-12-07", "2020-12-14", "2020-12-21"] == [
        start for start, _ in periods(fakeplat)
    ]


def test_a_changed_schedule_moves_what_is_ahead(fakeplat: Fakeplat) -> None:
    """A new duration moves the iterations to come; what has begun stays, and none is deleted."""
    id_ = cadence_id(fakeplat, **{**AUTOMATIC, "startDate": "2020-11-16"})
    fakeplat.clock.advance("1s")
    changed = change(fakeplat, CHANGE_CADENCE, id=id_, startDate="2020-11-25", durationInWeeks=2, iterationsInAdvance=1)
    fakeplat.clock.advance("1s")

    assert [] == changed["errors"]
    assert [("2020-11-16", "2020-11-22"), ("2020-11-25", "2020-12-08"), ("2020-12-09", "2020-12-22")] == periods(
        fakeplat
    )


def test_a_cadence_becomes_manual(fakeplat: Fakeplat) -> None:
    """A cadence that is no longer automatic keeps its iterations and plans no more."""
    id_ = cadence_id(fakeplat, **AUTOMATIC)
    fakeplat.clock.advance("1s")
    changed = change(fakeplat, CHANGE_CADENCE, id=id_, automatic=False)["iterationCadence"]
    fakeplat.clock.advance("30d")

    assert (False, None, None) == (changed["automatic"], changed["durationInWeeks"], changed["iterationsInAdvance"])
    assert 2 == len(periods(fakeplat))


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"title": ""}, ["Title can't be blank"]),
        (
            {"automatic": True},
            ["Start date can't be blank", "Duration in weeks can't be blank", "Iterations in advance can't be blank"],
        ),
        ({**AUTOMATIC, "durationInWeeks": 5}, ["Duration in weeks is not included in the list"]),
        ({**AUTOMATIC, "iterationsInAdvance": 11}, ["Iterations in advance is not included in the list"]),
        ({"description": "x" * 5001}, ["Description is too long (maximum is 5000 characters)"]),
        (
            {**AUTOMATIC, "startDate": "2020-11-13"},
            [RETROACTIVE],
        ),
    ],
    ids=["title", "schedule", "duration", "advance", "description", "start"],
)
def test_a_wrong_cadence_is_refused(fakeplat: Fakeplat, values: dict[str, Any], expected: list[str]) -> None:
    """Cadences need a title, automatic ones a schedule that creates no past iteration."""
    given = {"groupPath": "acme", "title": "Sprints", "automatic": False, "active": True, **values}
    assert expected == refused(fakeplat, NEW_CADENCE, **given)


def test_a_new_start_comes_after_the_current_iteration(fakeplat: Fakeplat) -> None:
    """The start of an automatic cadence comes after the iteration that is under way, or the last one."""
    id_ = cadence_id(fakeplat)
    create(fakeplat, iterationsCadenceId=id_, startDate="2020-11-16", dueDate="2020-11-22")
    given = {**AUTOMATIC, "id": id_}

    text = "The automation start date must come after the {} iteration Nov 16, 2020 - Nov 22, 2020."
    assert [text.format("active")] == refused(fakeplat, CHANGE_CADENCE, **{**given, "startDate": "2020-11-22"})
    fakeplat.clock.advance("5d")
    assert [text.format("past")] == refused(fakeplat, CHANGE_CADENCE, **{**given, "startDate": "2020-11-22"})


def test_open_issues_roll_over(fakeplat: Fakeplat) -> None:
    """When an iteration ends, the automation bot moves its open issues to the next one; closed ones stay."""
    create_cadence(fakeplat, **{**AUTOMATIC, "startDate": "2020-11-16", "rollOver": True})
    fakeplat.clock.advance("1s")
    first, second, _ = (iteration["id"] for iteration in fakeplat.as_user("rep").get("groups/acme/iterations").json())
    for iid in ("1", "3"):
        change(fakeplat, SET, projectPath="acme/site", iid=iid, iterationId=f"gid://gitlab/Iteration/{first}")
    fakeplat.as_user("rep").put("projects/acme%2Fsite/issues/3", json={"state_event": "close"})
    fakeplat.clock.advance("3d")

    issues = {iid: fakeplat.as_user("rep").get(f"projects/acme%2Fsite/issues/{iid}").json() for iid in (1, 3)}
    assert ("opened", second) == (issues[1]["state"], issues[1]["iteration"]["id"])
    assert ("closed", first) == (issues[3]["state"], issues[3]["iteration"]["id"])
    events = fakeplat.as_user("rep").get("projects/acme%2Fsite/issues/1/resource_iteration_events").json()
    assert [("add", first), ("remove", first), ("add", second)] == [
        (event["action"], event["iteration"]["id"]) for event in events
    ]
    assert ["rep", "automation-bot", "automation-bot"] == [event["user"]["username"] for event in events]


def test_deleting_a_cadence_deletes_its_iterations(fakeplat: Fakeplat) -> None:
    """A deleted cadence takes its iterations along, and issues are in none any more."""
    id_ = cadence_id(fakeplat)
    iteration = create(fakeplat, iterationsCadenceId=id_, startDate="2020-11-16", dueDate="2020-11-22")["iteration"]
    change(fakeplat, SET, projectPath="acme/site", iid="1", iterationId=iteration["id"])

    assert {"group": {"fullPath": "acme"}, "errors": []} == change(fakeplat, DROP_CADENCE, id=id_)
    assert [] == periods(fakeplat)
    assert None is fakeplat.as_user("rep").get("projects/acme%2Fsite/issues/1").json()["iteration"]
    assert [NOT_AVAILABLE] == refused(fakeplat, DROP_CADENCE, id=id_)


CADENCES = "{ iterationCadences%s { nodes { title } } }"


@pytest.mark.parametrize(
    ("place", "arguments", "expected"),
    [
        ('group(fullPath: "acme")', "", ["Automatic", "Sprints"]),
        ('project(fullPath: "acme/site")', "", ["Automatic", "Sprints"]),
        ('group(fullPath: "acme")', "(automatic: true)", ["Automatic"]),
        ('group(fullPath: "acme")', '(title: "SPRI")', ["Sprints"]),
        ('group(fullPath: "acme")', "(durationInWeeks: 1, active: true)", ["Automatic"]),
        ('group(fullPath: "acme/tools")', "", []),
        ('group(fullPath: "acme/tools")', "(includeAncestorGroups: true)", ["Automatic", "Sprints"]),
    ],
)
def test_cadences_are_listed_by_title(fakeplat: Fakeplat, place: str, arguments: str, expected: list[str]) -> None:
    """Cadences of a group, or of a project's group, are listed by title and filtered."""
    create_cadence(fakeplat)
    create_cadence(fakeplat, **{**AUTOMATIC, "title": "Automatic"})
    (container,) = query_data(fakeplat, "rep", f"{{ {place} {CADENCES % arguments} }}").values()

    assert expected == [cadence["title"] for cadence in container["iterationCadences"]["nodes"]]


@pytest.mark.fakeplat(tier="free")
def test_cadences_are_paid(fakeplat: Fakeplat) -> None:
    """Without a paid tier there are no cadences to list, and none can be created."""
    content = query_refused(fakeplat, "rep", '{ group(fullPath: "acme") ' + CADENCES % "" + " }")
    assert [NOT_AVAILABLE] == list_messages(content)
    given: dict[str, Any] = {"groupPath": "acme", "title": "Sprints", "automatic": False, "active": True}
    assert [NOT_AVAILABLE] == refused(fakeplat, NEW_CADENCE, **given)


# Iterations


def test_an_iteration_is_created_in_the_default_cadence(fakeplat: Fakeplat) -> None:
    """An iteration without a cadence gets the oldest manual one, or a new one named after the group."""
    created = create(fakeplat, title="One", startDate="2020-12-01", dueDate="2020-12-07")

    assert {"iid": "1", "title": "One", "startDate": "2020-12-01", "dueDate": "2020-12-07", "sequence": 1}.items() <= (
        created["iteration"].items()
    )
    create(fakeplat, title="Zero", startDate="2020-11-21", dueDate="2020-11-22")
    selection = "nodes { title sequence iterationCadence { title automatic durationInWeeks } }"
    data = query_data(fakeplat, "rep", f'{{ group(fullPath: "acme") {{ iterations {{ {selection} }} }} }}')
    default = {"title": f"{fakeplat.world.group('acme').name} Iterations", "automatic": False, "durationInWeeks": 2}
    assert [
        {"title": "Zero", "sequence": 1, "iterationCadence": default},
        {"title": "One", "sequence": 2, "iterationCadence": default},
    ] == data["group"]["iterations"]["nodes"]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"title": "x"}, ["Start date can't be blank", "Due date can't be blank"]),
        ({"startDate": "2020-12-07", "dueDate": "2020-12-01"}, ["Due date must be greater than start date"]),
        (
            {"startDate": "2020-11-22", "dueDate": "2020-12-01"},
            ["Dates cannot overlap with other existing Iterations within this iterations cadence"],
        ),
        (
            {"title": "Now", "startDate": "2020-12-01", "dueDate": "2020-12-07"},
            ["Title already being used for another iteration within this cadence."],
        ),
        ({}, ["The list of iteration attributes is empty"]),
        (
            {"iterationsCadenceId": "gid://gitlab/Iterations::Cadence/1", "title": "x"},
            ["Couldn't find Iterations::Cadence with 'id'=1"],
        ),
    ],
    ids=["dates", "order", "overlap", "title", "nothing", "cadence"],
)
def test_a_wrong_iteration_is_refused(fakeplat: Fakeplat, values: dict[str, Any], expected: list[str]) -> None:
    """Iterations of a cadence have dates and titles of their own."""
    create(fakeplat, title="Now", startDate="2020-11-16", dueDate="2020-11-22")
    assert expected == refused(fakeplat, NEW, groupPath="acme", **values)


def test_iterations_of_an_automatic_cadence_are_its_own(fakeplat: Fakeplat) -> None:
    """Nothing is added to an automatic cadence, moved or deleted by hand; a description is changed."""
    id_ = cadence_id(fakeplat, **AUTOMATIC)
    fakeplat.clock.advance("1s")
    number = fakeplat.as_user("rep").get("groups/acme/iterations").json()[0]["id"]
    iteration_id = f"gid://gitlab/Iteration/{number}"

    dates: dict[str, Any] = {"startDate": "2021-01-01", "dueDate": "2021-01-07"}
    expected = ["Iterations cannot be manually added to cadences that use automatic scheduling"]
    assert expected == refused(fakeplat, NEW, groupPath="acme", iterationsCadenceId=id_, **dates)
    expected = ["Manual iteration updates are deprecated, only `description` updates will be allowed in the future"]
    assert expected == refused(fakeplat, CHANGE, groupPath="acme", id=iteration_id, title="x")
    expected = ["Deleting iterations from automatic iteration cadences is not allowed."]
    assert expected == refused(fakeplat, DROP, id=iteration_id)
    changed = change(fakeplat, CHANGE, groupPath="acme", id=str(number), description="Words")
    assert "Words" == changed["iteration"]["description"]


def test_an_iteration_is_changed_and_deleted(fakeplat: Fakeplat) -> None:
    """An iteration to come is deleted only if it is the last one of its cadence."""
    dates = [("2020-11-23", "2020-11-29"), ("2020-11-30", "2020-12-06")]
    first, last = (create(fakeplat, startDate=start, dueDate=due)["iteration"]["id"] for start, due in dates)
    changed = change(fakeplat, CHANGE, groupPath="acme", id=first, title="A", dueDate="2020-11-28")["iteration"]
    assert ("A", "2020-11-28") == (changed["title"], changed["dueDate"])

    expected = ["upcoming/current iterations can't be deleted unless they are the last one in the cadence"]
    assert expected == refused(fakeplat, DROP, id=first)
    for id_ in (last, first):
        assert {"group": {"fullPath": "acme"}, "errors": []} == change(fakeplat, DROP, id=id_)
    assert [] == periods(fakeplat)


def test_an_issue_gets_an_iteration(fakeplat: Fakeplat) -> None:
    """An issue is put into an iteration and taken out of it."""
    iteration_id = create(fakeplat, title="One", startDate="2020-12-01", dueDate="2020-12-07")["iteration"]["id"]
    issue = {"projectPath": "acme/site", "iid": "1"}

    assert {"title": "One"} == change(fakeplat, SET, **issue, iterationId=iteration_id)["issue"]["iteration"]
    assert None is change(fakeplat, SET, **issue, iterationId=None)["issue"]["iteration"]


def test_iterations_are_found_by_their_cadence(fakeplat: Fakeplat) -> None:
    """Iterations are listed by cadence, and a text is found in titles of cadences too."""
    id_ = cadence_id(fakeplat)
    create(fakeplat, iterationsCadenceId=id_, title="Of sprints", startDate="2020-12-01", dueDate="2020-12-07")
    other = cadence_id(fakeplat, title="Releases")
    create(fakeplat, iterationsCadenceId=other, title="R", startDate="2020-12-02", dueDate="2020-12-03")

    found = query_data(
        fakeplat,
        "rep",
        f'{{ group(fullPath: "acme") {{ iterations(iterationCadenceIds: ["{id_}"]) {{ nodes {{ title }} }} }} }}',
    )
    assert [{"title": "Of sprints"}] == found["group"]["iterations"]["nodes"]
    for query, expected in (("search=releas&in=cadence_title", ["R"]), ("search=releas", [])):
        answer = fakeplat.as_user("rep").get(f"groups/acme/iterations?{query}").json()
        assert expected == [iteration["title"] for iteration in answer]


@pytest.mark.parametrize(
    ("mutation", "values"), [(NEW, {"title": "x"}), (NEW_CADENCE, {"automatic": False, "active": True})]
)
def test_guests_plan_nothing(fakeplat: Fakeplat, mutation: str, values: dict[str, Any]) -> None:
    """A guest creates neither iterations nor cadences."""
    assert [NOT_AVAILABLE] == refused(fakeplat, mutation, "gus", groupPath="acme", **values)


@by_release(REPORTERS_PLAN_ITERATIONS, "expected", {"14.10": [NOT_AVAILABLE], "15.0": []})
def test_reporters_plan_later(fakeplat: Fakeplat, expected: list[str]) -> None:
    """Developers create iterations, from 15.0 on also Reporters."""
    dates: dict[str, Any] = {"startDate": "2020-12-01", "dueDate": "2020-12-07"}
    if expected:
        assert expected == refused(fakeplat, NEW.replace(" sequence", ""), groupPath="acme", **dates)
    create_one = write_mutation("iterationCreate", "iteration { title }")
    assert [] == change(fakeplat, create_one, "dev" if expected else "rep", groupPath="acme", **dates)["errors"]


@by_release(CADENCES_ARE_ENABLED, "expected", {"14.10": ["Operation not allowed"], "15.0": []})
def test_cadences_are_enabled_later(fakeplat: Fakeplat, expected: list[str]) -> None:
    """Cadences are refused as long as their flag is off."""
    given: dict[str, Any] = {"groupPath": "acme", "title": "Sprints", "automatic": False, "active": True}
    assert expected == change(fakeplat, NEW_CADENCE, "dev", **given)["errors"]


@by_release(ITERATIONS_HAVE_CADENCES, "expected", {"14.0": 0, "14.1": 1})
def test_iterations_have_cadences_later(fakeplat: Fakeplat, expected: int) -> None:
    """From 14.1 on an iteration belongs to a cadence."""
    create_one = write_mutation("iterationCreate", "iteration { title }")
    change(fakeplat, create_one, "dev", groupPath="acme", startDate="2020-12-01", dueDate="2020-12-07")
    assert expected == len(fakeplat.bench.platform.view.iteration_cadences)
