"""Under the auto clock a query of one unfinished record brings its next step forward, as a GET does."""

import pytest

from fakeplat.core.store.scheduler import ScheduledTask, task_handler
from fakeplat.core.timestamps import MINUTE
from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.context import WriteContext
from tests.graphql.queries import WORLD, post_query, query_data

STEP = "test_graphql_step"


@task_handler(STEP)
def archive_project(ctx: WriteContext, due: ScheduledTask) -> None:
    """Something that happens to a project later."""
    ctx.world.projects.change(ctx.world.projects[due.subject[1]], archived=True)


def schedule_archiving(fake: Fakeplat) -> None:
    with fake.bench.platform.acting() as ctx:
        id_ = fake.world.project("acme/site").id
        ctx.schedule(STEP, ("projects", id_), ctx.now() + 5 * MINUTE, in_progress=True)


def is_archived(fake: Fakeplat) -> bool:
    return bool(fake.world.project("acme/site").archived)


@pytest.mark.fakeplat(scenario=WORLD, clock="auto")
@pytest.mark.parametrize(
    ("query", "moves"),
    [
        ('{ project(fullPath: "acme/site") { archived } }', True),
        ('{ project(fullPath: "acme/site") { ...A } } fragment A on Project { ... on Project { archived } }', True),
        ('{ project(fullPath: "acme/site") { issue(iid: "1") { iid } } }', False),
        ('{ project(fullPath: "acme/site") { __typename } }', False),
        ("{ projects { nodes { archived } } }", False),
        ('{ group(fullPath: "acme") { projects { nodes { archived } } } }', False),
        ('mutation { updateIssue(input: {projectPath: "acme/site", iid: "1", title: "x"}) { issue { iid } } }', False),
    ],
)
def test_reading_one_unfinished_record_moves_it(fakeplat: Fakeplat, query: str, moves: bool) -> None:
    """A query for fields of a single record advances it to its next step; lists and mutations do not."""
    schedule_archiving(fakeplat)
    post_query(fakeplat, "ada", query)

    assert moves is is_archived(fakeplat)


@pytest.mark.fakeplat(scenario=WORLD, clock="auto")
def test_the_answer_shows_the_next_step(fakeplat: Fakeplat) -> None:
    """The response to a query that advances a record shows its next state."""
    schedule_archiving(fakeplat)
    query = '{ project(fullPath: "acme/site") { archived } }'

    assert {"project": {"archived": True}} == query_data(fakeplat, "ada", query)


@pytest.mark.fakeplat(scenario=WORLD, clock="auto")
def test_what_is_not_seen_is_not_moved(fakeplat: Fakeplat) -> None:
    """A query for a record that the caller cannot see does not advance it."""
    schedule_archiving(fakeplat)
    query_data(fakeplat, "eve", '{ project(fullPath: "acme/site") { archived } }')

    assert not is_archived(fakeplat)


@pytest.mark.fakeplat(scenario=WORLD, clock="virtual")
def test_the_virtual_clock_stands(fakeplat: Fakeplat) -> None:
    """A query does not advance the virtual clock."""
    schedule_archiving(fakeplat)
    query_data(fakeplat, "ada", '{ project(fullPath: "acme/site") { archived } }')

    assert not is_archived(fakeplat)
