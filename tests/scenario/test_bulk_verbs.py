"""Making many records at once follows the rules of making one."""

from collections.abc import Callable
from typing import Any

import pytest

from fakeplat.core.operations.errors import Refusal
from fakeplat.core.store.table import KeyTaken
from fakeplat.domain.groups import groups
from fakeplat.domain.issues import issues
from fakeplat.domain.issues.issues import NewIssue
from fakeplat.domain.people import users
from fakeplat.domain.planning import labels, milestones
from fakeplat.domain.projects import projects
from fakeplat.policy.context import WriteContext
from tests.scenario.worlds import create_platform, get_group, get_user, project

Act = Callable[[WriteContext], Any]


def site(ctx: WriteContext) -> Any:
    return project(ctx.world, "acme/site")


def acme(ctx: WriteContext) -> Any:
    return get_group(ctx.world, "acme")


def build_person(name: str) -> users.NewUser:
    return {"username": name, "name": name, "email": f"{name}@x.test", "password": "long enough"}


def test_numbers_follow_each_other_after_a_number_of_ones_own() -> None:
    """New issues and milestones are numbered after the greatest iid, and an issue's position follows its iid."""
    with create_platform("starter").acting() as ctx:
        dev = get_user(ctx.world, "dev").id
        rows: list[NewIssue] = [
            {"title": "a", "author_id": dev},
            {"title": "b", "iid": 20, "author_id": dev},
            {"title": "c", "author_id": dev},
        ]
        created = issues.create_many(ctx, site(ctx), rows)
        assert [(6, 3000), (20, 10_000), (21, 10_500)] == [(issue.iid, issue.relative_position) for issue in created]
        assert 22 == issues.create_many(ctx, site(ctx), rows[:1])[0].iid
        numbers = [
            milestone.iid
            for milestone in milestones.create_many(ctx, site(ctx), [{"title": "a", "iid": 9}, {"title": "b"}])
        ]
        assert [9, 10] == numbers


def test_many_are_as_one_by_one() -> None:
    """One call of create_many creates the same records, with the same ids, as many single calls."""

    def add(ctx: WriteContext, rows: list[NewIssue]) -> None:
        issues.create_many(ctx, site(ctx), rows)

    rows: list[NewIssue] = [{"title": str(number), "author_id": 3, "label_ids": (3_002,)} for number in range(30)]
    at_once, singly = create_platform("starter"), create_platform("starter")
    with at_once.acting() as ctx:
        add(ctx, rows)
    with singly.acting() as ctx:
        for row in rows:
            add(ctx, [row])

    assert [*at_once.view.issues.all()] == [*singly.view.issues.all()]
    assert at_once.view.issues.bits("facts", ("label", 3_002)) == singly.view.issues.bits("facts", ("label", 3_002))
    assert at_once.view.get_counter("issue", 5_001) == singly.view.get_counter("issue", 5_001)


def test_nothing_comes_of_nothing() -> None:
    """Creating many records from an empty list creates no record and takes no id."""
    with create_platform("starter").acting() as ctx:
        before = ctx.world.issues.next_id()
        assert [] == issues.create_many(ctx, site(ctx), [])
        assert [] == labels.create_many(ctx, site(ctx), [])
        assert [] == milestones.create_many(ctx, site(ctx), [])
        assert [] == users.create_many(ctx, [])
        assert [] == groups.create_many(ctx, None, [])
        assert [] == projects.create_many(ctx, acme(ctx), get_user(ctx.world, "ada"), [])
        assert before + 1 == ctx.world.issues.next_id()


REFUSED: list[Act] = [
    lambda ctx: issues.create_many(ctx, site(ctx), [{"title": "a", "author_id": 2}, {"title": " ", "author_id": 2}]),
    lambda ctx: issues.create_many(ctx, site(ctx), [{"title": "a", "author_id": 2, "iid": 1}] * 2),
    lambda ctx: labels.create_many(ctx, site(ctx), [{"title": "a"}, {"title": "b", "color": "#x"}]),
    lambda ctx: labels.create_many(ctx, site(ctx), [{"title": "a"}, {"title": "a"}]),
    lambda ctx: milestones.create_many(ctx, site(ctx), [{"title": "a"}, {"title": ""}]),
    lambda ctx: users.create_many(ctx, [build_person("x"), build_person("ada")]),
    lambda ctx: users.create_many(ctx, [build_person("x"), build_person("x")]),
    lambda ctx: groups.create_many(ctx, acme(ctx), [{"path": "a"}, {"path": "tools"}]),
    lambda ctx: groups.create_many(ctx, None, [{"path": "a"}, {"path": "a"}]),
    lambda ctx: projects.create_many(ctx, acme(ctx), get_user(ctx.world, "ada"), [{"path": "a"}, {"path": "site"}]),
    lambda ctx: projects.create_many(ctx, acme(ctx), get_user(ctx.world, "ada"), [{"path": "a"}, {"path": "a"}]),
]


@pytest.mark.parametrize("create", REFUSED)
def test_all_are_made_or_none(create: Act) -> None:
    """If one row is wrong, or two rows are the same, create_many creates nothing."""
    with create_platform("starter").acting() as ctx:
        before = [len(getattr(ctx.world, table.name)) for table in type(ctx.world).tables]
        with pytest.raises((Refusal, KeyTaken)):
            create(ctx)
        assert before == [len(getattr(ctx.world, table.name)) for table in type(ctx.world).tables]


def test_a_limit_counts_all_that_are_asked_for() -> None:
    """Two projects in one call are refused if the user's limit allows only one more."""
    with create_platform("starter").acting() as ctx:
        dev = ctx.world.users.change(get_user(ctx.world, "dev"), projects_limit=1)
        own = next(space for space in ctx.world.namespaces.where("owner", dev.id))
        with pytest.raises(Refusal):
            projects.create_many(ctx, own, dev, [{"path": "a"}, {"path": "b"}])
        assert 1 == len(projects.create_many(ctx, own, dev, [{"path": "a"}]))
