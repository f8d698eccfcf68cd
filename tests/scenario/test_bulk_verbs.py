"""Making many records at once follows the rules of making one."""

from collections.abc import Callable
from typing import Any

import pytest

from fakeplat.core.operations.errors import Refusal
from fakeplat.core.store.table import Taken
from fakeplat.domain.issues import issues
from fakeplat.domain.people import groups, users
from fakeplat.domain.planning import labels, milestones
from fakeplat.domain.projects import projects
from fakeplat.model.issues import Issue
from fakeplat.policy.context import Doing
from tests.scenario.worlds import group, made, project, user

Act = Callable[[Doing], Any]


def site(cx: Doing) -> Any:
    return project(cx.world, "acme/site")


def acme(cx: Doing) -> Any:
    return group(cx.world, "acme")


def person(name: str) -> dict[str, str]:
    return {"username": name, "name": name, "email": f"{name}@x.test", "password": "long enough"}


def test_numbers_follow_each_other_after_a_number_of_ones_own() -> None:
    """Issues and milestones go on after the greatest number; an issue's place follows its number."""
    with made("starter").acting() as cx:
        author = {"author_id": user(cx.world, "dev").id}
        rows = [{"title": "a", **author}, {"title": "b", "iid": 20, **author}, {"title": "c", **author}]
        found = issues.create_many(cx, site(cx), rows)
        assert [(6, 3000), (20, 10_000), (21, 10_500)] == [(one.iid, one.relative_position) for one in found]
        assert 22 == issues.create_many(cx, site(cx), rows[:1])[0].iid
        numbers = [one.iid for one in milestones.create_many(cx, site(cx), [{"title": "a", "iid": 9}, {"title": "b"}])]
        assert [9, 10] == numbers


def test_many_are_as_one_by_one() -> None:
    """The same records with the same ids come of one call as of many."""

    def add(cx: Doing, rows: list[dict[str, Any]]) -> None:
        issues.create_many(cx, site(cx), rows)

    rows: list[dict[str, Any]] = [{"title": str(number), "author_id": 3, "label_ids": (3_002,)} for number in range(30)]
    at_once, singly = made("starter"), made("starter")
    with at_once.acting() as cx:
        add(cx, rows)
    with singly.acting() as cx:
        for row in rows:
            add(cx, [row])

    assert [*at_once.view.issues.all()] == [*singly.view.issues.all()]
    assert at_once.view.issues.bits("facts", ("label", 3_002)) == singly.view.issues.bits("facts", ("label", 3_002))
    assert at_once.view.count_of("issue", 5_001) == singly.view.count_of("issue", 5_001)


def test_nothing_comes_of_nothing() -> None:
    """No rows, no records, no ids taken."""
    with made("starter").acting() as cx:
        before = cx.world.issues.next_id()
        assert [] == issues.create_many(cx, site(cx), [])
        assert [] == labels.create_many(cx, site(cx), [])
        assert [] == milestones.create_many(cx, site(cx), [])
        assert [] == users.create_many(cx, [])
        assert [] == groups.create_many(cx, None, [])
        assert [] == projects.create_many(cx, acme(cx), user(cx.world, "ada"), [])
        assert before + 1 == cx.world.issues.next_id()


REFUSED: list[Act] = [
    lambda cx: issues.create_many(cx, site(cx), [{"title": "a", "author_id": 2}, {"title": " ", "author_id": 2}]),
    lambda cx: issues.create_many(cx, site(cx), [{"title": "a", "author_id": 2, "iid": 1}] * 2),
    lambda cx: labels.create_many(cx, site(cx), [{"title": "a"}, {"title": "b", "color": "#x"}]),
    lambda cx: labels.create_many(cx, site(cx), [{"title": "a"}, {"title": "a"}]),
    lambda cx: milestones.create_many(cx, site(cx), [{"title": "a"}, {"title": ""}]),
    lambda cx: users.create_many(cx, [person("x"), person("ada")]),
    lambda cx: users.create_many(cx, [person("x"), person("x")]),
    lambda cx: groups.create_many(cx, acme(cx), [{"path": "a"}, {"path": "tools"}]),
    lambda cx: groups.create_many(cx, None, [{"path": "a"}, {"path": "a"}]),
    lambda cx: projects.create_many(cx, acme(cx), user(cx.world, "ada"), [{"path": "a"}, {"path": "site"}]),
    lambda cx: projects.create_many(cx, acme(cx), user(cx.world, "ada"), [{"path": "a"}, {"path": "a"}]),
]


@pytest.mark.parametrize("act", REFUSED)
def test_all_are_made_or_none(act: Act) -> None:
    """One wrong row, or two that are the same, and there is nothing."""
    with made("starter").acting() as cx:
        before = [len(getattr(cx.world, table.name)) for table in type(cx.world).tables]
        with pytest.raises((Refusal, Taken)):
            act(cx)
        assert before == [len(getattr(cx.world, table.name)) for table in type(cx.world).tables]


def test_a_limit_counts_all_that_are_asked_for() -> None:
    """Two projects are too many for who may have one more."""
    with made("starter").acting() as cx:
        dev = cx.world.users.change(user(cx.world, "dev"), projects_limit=1)
        own = next(space for space in cx.world.namespaces.where("owner", dev.id))
        with pytest.raises(Refusal):
            projects.create_many(cx, own, dev, [{"path": "a"}, {"path": "b"}])
        assert 1 == len(projects.create_many(cx, own, dev, [{"path": "a"}]))


def test_what_happened_is_said_of_each() -> None:
    """An event for every record, in their order."""
    with made("starter").acting() as cx:
        found: list[Issue] = issues.create_many(cx, site(cx), [{"title": str(n), "author_id": 2} for n in range(3)])
        assert [("issue_created", one) for one in found] == cx.events
