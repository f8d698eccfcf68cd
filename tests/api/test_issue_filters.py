"""Any combination of filters and orders of issues against a naive filter.

Source: docs/platform/issues.md, docs/decisions/rulings.md (6, 8).
"""

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from attrs import frozen
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fakeplat.harness.fake import Fakeplat
from fakeplat.model.issues import Award
from tests.api.company import COMPANY
from tests.api.naive_issues import SideData, count_states, list_ids
from tests.examples import examples

pytestmark = pytest.mark.every_release

PEOPLE = ("root", "ada", "mia", "dev", "rep", "gus", "eve")
OLD = {
    "projects": [{"path_with_namespace": "acme/old", "visibility": "public"}],
}
PLACES = {
    "issues": None,
    "groups/acme/issues": ("acme/site", "acme/docs", "acme/tools/kit", "acme/old"),
    "groups/acme%2Ftools/issues": ("acme/tools/kit",),
    "projects/acme%2Fsite/issues": ("acme/site",),
    "projects/acme%2Fdocs/issues": ("acme/docs",),
    "projects/acme%2Fold/issues": ("acme/old",),
}
MEMBERS = frozenset({"root", "ada", "mia", "dev", "rep", "gus"})
READERS: dict[str, frozenset[str | None]] = {
    "acme/site": MEMBERS,
    "acme/docs": MEMBERS | {"eve", None},
    "acme/tools/kit": MEMBERS | {"eve"},
    "acme/old": MEMBERS | {"eve", None},
}
TITLES = ("Fix the door", "the door fell", "ab", "Window of the house", "DOOR and window", "abc")
TEXTS = (None, "", "ab", "the house has a door", "- [ ] one\n- [x] two window", "FIX the window")
DAYS = (None, "2020-11-05", "2020-11-06", "2020-11-19", "2020-11-20", "2020-11-22", "2020-12-31", "2021-01-01")
TIMES = ("2020-01-05T10:00:00.000Z", "2020-06-01T00:00:00.000Z", "2020-11-19T23:59:59.000Z")
EMOJI = ("thumbsup", "thumbsdown", "tada")


@frozen
class Town:
    """The world, all its issues as JSON, and what the answers do not say."""

    fake: Fakeplat
    rows: list[Any]
    side: SideData
    places: dict[str, list[int] | None]
    ids: dict[str, int]


@pytest.fixture(scope="module")
def town(fakeplat_factory: Callable[..., Fakeplat]) -> Town:
    fake = fakeplat_factory(scenario=COMPANY, tier="premium", clock="virtual", start="2020-11-20T09:00:00Z")
    fake.load(OLD)
    calls = fake.as_user("root")
    projects = {path: fake.world.project(path).id for path in READERS}
    ids = {username: fake.world.user(username).id for username in PEOPLE}
    milestones = _labels_and_milestones(fake, projects)
    for number in range(48):
        _create_issue(fake, list(projects.values())[(number * 7 + number // 5) % 4], number, ids, milestones)
    calls.post(f"projects/{projects['acme/old']}/archive")
    rows = calls.get("issues?scope=all&non_archived=false&per_page=100").json()
    side = _collect_side_data(fake, rows, projects, milestones)
    places = {list_path: paths and [projects[path] for path in paths] for list_path, paths in PLACES.items()}
    return Town(fake, rows, side, places, ids)


def _labels_and_milestones(fake: Fakeplat, projects: dict[str, int]) -> list[Any]:
    calls = fake.as_user("root")
    calls.post("groups/acme/labels", json={"name": "shared", "color": "#112233"})
    for id_ in projects.values():
        for name, priority in (("bug", 3), ("ux", 1 + id_ % 2 * 4), ("Bug", None)):
            calls.post(f"projects/{id_}/labels", json={"name": name, "color": "red", "priority": priority})
    milestones = [
        calls.post("groups/acme/milestones", json={"title": "Half", "start_date": "2020-01-01"}).json(),
        calls.post("groups/acme/milestones", json={"title": "Late", "due_date": "2021-06-01"}).json(),
    ]
    for id_ in projects.values():
        for title, start, due in (
            ("Own", "2020-11-20", "2020-12-01"),
            ("Next", "2020-11-21", f"2020-12-{1 + id_ % 20:02}"),
            ("Past", None, "2020-10-01"),
            ("Open", None, None),
        ):
            body = {"title": title, "start_date": start, "due_date": due}
            milestones.append(calls.post(f"projects/{id_}/milestones", json=body).json())
    milestones.append(calls.put(f"groups/acme/milestones/{milestones[0]['id']}", json={"description": "x"}).json())
    return milestones[1:]


def _create_issue(fake: Fakeplat, project: int, number: int, ids: dict[str, int], milestones: list[Any]) -> None:
    mine = [m["id"] for m in milestones if m.get("project_id", project) == project]
    writers = ("root", "ada", "rep", "gus")
    body = {
        "title": TITLES[number % 6],
        "description": TEXTS[number // 2 % 6],
        "confidential": number % 4 == 1,
        "labels": [label for at, label in enumerate(("bug", "ux", "Bug", "shared")) if number >> at & 3 == 1],
        "milestone_id": [*mine, None][number % (len(mine) + 1)],
        "assignee_ids": [ids[name] for at, name in enumerate(("ada", "gus", "dev")) if number * 5 >> at & 3 == 3],
        "due_date": DAYS[number % 8],
        "weight": (None, 0, 3, 3, 8)[number % 5],
    }
    author = writers[number % 4] if number % 3 else "ada"
    reply = fake.as_user(author).post(f"projects/{project}/issues", json={"title": "x"})
    assert 201 == reply.status, reply.text
    own, calls = f"projects/{project}/issues/{reply.json()['iid']}", fake.as_user("root")
    assert 200 == calls.put(own, json=body).status
    if number % 3 == 0:
        calls.put(own, json={"state_event": "close"})
    times = {"created_at": TIMES[number % 3], "updated_at": TIMES[number // 3 % 3]}
    assert times.items() <= calls.put(own, json=times).json().items()
    _add_reactions(fake, reply.json()["id"], number)


def _add_reactions(fake: Fakeplat, issue: int, number: int) -> None:
    with fake.bench.platform.acting() as ctx:
        for at, username in enumerate(("ada", "gus", "mia", "dev")):
            for nth, name in enumerate(EMOJI):
                if (number + at * 3 + nth * 5) % 7 == 0:
                    table, now = ctx.world.awards, ctx.now_iso
                    who = fake.world.user(username).id
                    table.add(Award(table.next_id(), ("issue", issue), who, name, now, now))


def _collect_side_data(fake: Fakeplat, rows: list[Any], projects: dict[str, int], milestones: list[Any]) -> SideData:
    world = fake.bench.platform.view
    priorities = {(p.project_id, world.labels[p.label_id].title): p.priority for p in world.label_priorities.all()}
    awards = ((award.subject[1], world.users[award.user_id].username, award.name) for award in world.awards.all())
    return SideData(
        today=date(2020, 11, 20),
        readers={projects[path]: readers for path, readers in READERS.items()},
        reporters=dict.fromkeys(projects.values(), frozenset({"root", "ada", "mia", "dev", "rep"})),
        archived=frozenset({projects["acme/old"]}),
        reactions=frozenset(awards),
        priorities=priorities,
        positions={row["id"]: world.issues[row["id"]].relative_position or 0 for row in rows},
        milestones=milestones,
    )


LABELS = ("bug", "ux", "Bug", "shared", "None", "any", "No Label", "No+Label", "bug,ux", "shared,bug", "BUG", "ux,none")
MILESTONES = ("Half", "Own", "Next", "Past", "Open", "own", "None", "ANY", "No Milestone", "Any Milestone")
WORDS = ("door", "the door", '"the door"', "ab", "WINDOW fix", "a", "house", '"of the house" window', "nothing")
WHERE = st.sampled_from(("title", "description", "title,description"))
MOMENTS = st.sampled_from((*TIMES, "2020-06-01T00:00:00.001Z", "2020-11-20T00:00:00.000Z"))
NUMBERS = ("1", "2,3", "5", "4,4,99")
NAMES = st.sampled_from((*PEOPLE, "nobody"))

FILTERS: dict[str, st.SearchStrategy[Any]] = {
    "state": st.sampled_from(("opened", "closed", "all")),
    "labels": st.sampled_from(LABELS),
    "milestone": st.sampled_from((*MILESTONES, "#started", "#upcoming")),
    "iids": st.sampled_from(NUMBERS),
    "iids[]": st.lists(st.sampled_from(("1", "2", "3", "6", "88")), min_size=1, max_size=3),
    "created_after": MOMENTS,
    "created_before": MOMENTS,
    "updated_after": MOMENTS,
    "updated_before": MOMENTS,
    "scope": st.sampled_from(("created-by-me", "assigned-to-me", "created_by_me", "assigned_to_me", "all")),
    "my_reaction_emoji": st.sampled_from((*EMOJI, "None", "Any", "heart")),
    "confidential": st.sampled_from(("true", "false")),
    "weight": st.sampled_from(("0", "3", "8", "9", "None", "Any")),
    "due_date": st.sampled_from(("", "0", "overdue", "week", "month", "next_month_and_previous_two_weeks")),
    "search": st.sampled_from(WORDS),
    "in": WHERE,
    "not[labels]": st.sampled_from(("bug", "ux,Bug", "shared", "nothing")),
    "not[milestone]": st.sampled_from(("Half", "Own", "None", "nothing")),
    "not[iids]": st.sampled_from(NUMBERS),
    "not[search]": st.sampled_from(WORDS),
    "not[in]": WHERE,
    "non_archived": st.sampled_from(("true", "false")),
}
ORDERS: dict[str, st.SearchStrategy[Any]] = {
    "order_by": st.sampled_from(
        (
            "created_at",
            "updated_at",
            "priority",
            "due_date",
            "relative_position",
            "label_priority",
            "milestone_due",
            "popularity",
            "weight",
        )
    ),
    "sort": st.sampled_from(("asc", "desc")),
}
LARGEST = 5


@st.composite
def draw_queries(draw: st.DrawFn) -> dict[str, Any]:
    """Up to five filters at once, persons by id or name, and an order."""
    names = draw(st.lists(st.sampled_from(sorted(FILTERS)), max_size=LARGEST, unique=True))
    query = {name: draw(FILTERS[name]) for name in names}
    if "iids" in query:
        query.pop("iids[]", None)
    for role, prefix in (("author", "{}"), ("assignee", "{}"), ("author", "not[{}]"), ("assignee", "not[{}]")):
        kind = draw(st.sampled_from((None, None, None, "id", "username")))
        if kind:
            words = ("None", "Any", "0") if (role, prefix) == ("assignee", "{}") and kind == "id" else ()
            query[prefix.format(f"{role}_{kind}")] = draw(st.one_of(st.sampled_from(words) if words else NAMES, NAMES))
    return query | {name: draw(values) for name, values in ORDERS.items() if draw(st.booleans())}


def build_parameters(query: dict[str, Any], ids: dict[str, int]) -> dict[str, Any]:
    """The query as it is sent: ids stand where names were drawn for them."""
    return {
        name: ids.get(value, value if value in ("None", "Any", "0") else 99_999)
        if name.endswith(("_id", "_id]"))
        else value
        for name, value in query.items()
    }


@given(
    query=draw_queries(),
    viewer=st.sampled_from(("root", "ada", "rep", "gus", "eve", None)),
    list_path=st.sampled_from(sorted(PLACES)),
)
@settings(max_examples=examples(20), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_combination_of_filters_and_orders(
    town: Town, query: dict[str, Any], viewer: str | None, list_path: str
) -> None:
    """A list shows exactly the issues that pass one by one, in order; statistics count the same ones."""
    if viewer is None:
        query = {**query, "scope": "all"}
    elif list_path == "issues":
        query = {"scope": "all", **query}
    if list_path.startswith("projects/"):
        query = {**query, "non_archived": "false"}
    sent = build_parameters(query, town.ids)
    calls, within = town.fake.as_user(viewer), town.places[list_path]
    if within and not any(viewer in town.side.readers[id_] for id_ in within):
        assert 404 == calls.get(list_path, params=sent).status
        return
    reply = calls.get(list_path, params={**sent, "per_page": 100})

    assert (200, list_ids(town.rows, sent, viewer, town.side, within)) == (
        reply.status,
        [row["id"] for row in reply.json()],
    )
    countable = {name: value for name, value in sent.items() if name not in ("state", "order_by", "sort")}
    counts = {"statistics": {"counts": count_states(town.rows, countable, viewer, town.side, within)}}
    assert counts == calls.get(f"{list_path}_statistics", params=countable).json()


@pytest.mark.parametrize("name", [*FILTERS, "author_id", "not[author_id]", "assignee_id", "assignee_username"])
def test_every_filter_takes_and_leaves_something(town: Town, name: str) -> None:
    """For each filter some drawn values match issues and others do not."""
    values = {"scope": ("created_by_me",), "search": ("door",), "in": ("title",), "iids[]": (["1", "2"],)}
    drawn = {
        "not[labels]": "bug",
        "not[milestone]": "Half",
        "not[iids]": "1",
        "not[search]": "door",
        "not[in]": "title",
        "labels": "bug",
        "milestone": "Own",
        "iids": "1,2",
        "state": "closed",
        "my_reaction_emoji": "tada",
        "confidential": "true",
        "weight": "3",
        "due_date": "week",
        "non_archived": "true",
    }
    value = values.get(name, (drawn.get(name, TIMES[1]),))[0]
    query = {"non_archived": "false", name: town.ids["ada"] if name.endswith(("_id", "_id]")) else value}
    if name == "assignee_username":
        query[name] = "ada"
    if name in ("in", "not[in]"):
        query[name.replace("in", "search")] = "door"

    assert 0 < len(list_ids(town.rows, query, "ada", town.side)) < len(town.rows)
