from typing import Any

import pytest

from fakeplat.core.clock import Kind
from fakeplat.core.store.scheduler import ScheduledTask, task_handler
from fakeplat.core.timestamps import DAY, MINUTE, SECOND
from fakeplat.policy.context import WriteContext
from tests.worlds import Site, create_site

SITE = "projects/acme%2Fsite"


@task_handler("test_count_down")
def count_down(ctx: WriteContext, due: ScheduledTask) -> None:
    """A kind of work that a record goes through in several steps, one a minute."""
    project = ctx.world.projects[due.subject[1]]
    ctx.world.projects.change(project, description=f"{due.args['left']} left")
    if due.args["left"]:
        begin_countdown(ctx, due.subject[1], due.at + MINUTE, due.args["left"] - 1)


@task_handler("test_note")
def note(ctx: WriteContext, due: ScheduledTask) -> None:
    """A kind of work that writes down its name and when it was done, in seconds since the world began."""
    root = ctx.world.users[1]
    seconds = (ctx.now() - due.args["since"]) / SECOND
    ctx.world.users.change(root, bio=f"{root.bio}{due.args['name']}@{seconds:g} ")


@task_handler("test_follow")
def schedule_follow_up(ctx: WriteContext, due: ScheduledTask) -> None:
    """A kind of work that puts more on the agenda."""
    schedule_note(ctx, ctx.now() + SECOND, due.args["name"], due.args["since"])


@task_handler("test_forever")
def reschedule_at_once(ctx: WriteContext, due: ScheduledTask) -> None:
    """A kind of work that never ends."""
    ctx.schedule(due.kind, due.subject, due.at + SECOND)


@task_handler("test_recur")
def reschedule_each_second(ctx: WriteContext, due: ScheduledTask) -> None:
    """A kind of work that is done every second."""
    note(ctx, ScheduledTask(0, due.at, "test_note", due.subject, args={**due.args, "name": "again"}))
    ctx.schedule(due.kind, due.subject, due.at + SECOND, recurring=True, since=due.args["since"])


def begin_countdown(ctx: WriteContext, project_id: int, at: int, left: int = 2, *, in_progress: bool = True) -> None:
    ctx.schedule("test_count_down", ("projects", project_id), at, in_progress=in_progress, left=left)


def schedule_note(ctx: WriteContext, at: int, name: str, since: int, kind: str = "test_note") -> None:
    ctx.schedule(kind, ("users", 1), at, name=name, since=since)


def create_unfinished_site(clock: Kind, **options: Any) -> Site:
    """A town where acme/site is on its way: two steps before it is done."""
    site = create_site(clock)
    with site.platform.acting() as ctx:
        begin_countdown(ctx, site.place("acme/site").id, ctx.now() + MINUTE, **options)
    return site


def get_notes(site: Site) -> str | None:
    return (site.world.users[1].bio or "").strip()


def get_description(site: Site) -> str | None:
    description: str | None = site.place("acme/site").description
    return description


def test_due_work_is_done_in_order_each_at_its_own_time() -> None:
    """Due tasks run in order of time, then of scheduling, also those that a task schedules."""
    site = Site()
    now = site.clock.now()
    with site.platform.acting() as ctx:
        schedule_note(ctx, now + 3 * SECOND, "third", now)
        schedule_note(ctx, now + SECOND, "first", now)
        schedule_note(ctx, now + 3 * SECOND, "fourth", now)
        schedule_note(ctx, now + SECOND, "second", now, "test_follow")
        schedule_note(ctx, now + 9 * SECOND, "late", now)
    site.platform.advance(5 * SECOND)
    assert "first@1 second@2 third@3 fourth@3" == get_notes(site)
    assert now + 5 * SECOND == site.clock.now()


def test_work_is_done_when_its_moment_has_come_and_not_before() -> None:
    """A task runs when the clock reaches its time and not a millisecond before."""
    site = Site()
    now = site.clock.now()
    with site.platform.acting() as ctx:
        schedule_note(ctx, now + SECOND, "done", now)
    site.platform.advance(SECOND - 1)
    assert "" == get_notes(site)
    site.platform.advance(1)
    assert "done@1" == get_notes(site)


def test_a_request_meets_the_world_with_all_due_work_done() -> None:
    """All tasks that are due have run before a request is handled."""
    site = create_unfinished_site("virtual")
    site.clock.advance(MINUTE)
    assert "2 left" == site.get(SITE, "dev").json["description"]


def test_settling_ends_when_nothing_is_due() -> None:
    """Settling runs all tasks, also those that tasks schedule, and leaves the clock at the time of the last one."""
    site = create_unfinished_site("virtual")
    now = site.clock.now()
    site.platform.settle()
    assert ("0 left", now + 3 * MINUTE, 0) == (get_description(site), site.clock.now(), len(site.world.scheduled_tasks))
    site.platform.settle()
    assert now + 3 * MINUTE == site.clock.now()


def test_a_world_that_never_settles_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Settling raises RuntimeError if a task keeps rescheduling itself."""
    monkeypatch.setattr("fakeplat.platform._MAX_SETTLE_STEPS", 50)
    site = Site()
    with site.platform.acting() as ctx:
        ctx.schedule("test_forever", ("users", 1), ctx.now())
    with pytest.raises(RuntimeError, match="one keeps rescheduling itself"):
        site.platform.settle()


def test_cancelled_work_is_not_done() -> None:
    """Tasks of a subject do not run after they were canceled."""
    site = create_unfinished_site("virtual")
    with site.platform.acting() as ctx:
        ctx.cancel_tasks(("projects", site.place("acme/site").id))
    site.platform.settle()
    assert get_description(site) is None


def test_work_is_restored_with_the_world() -> None:
    """Restoring a snapshot restores the tasks that were scheduled then."""
    site = create_unfinished_site("virtual")
    moment = site.platform.snapshot()
    site.platform.settle()
    site.platform.restore(moment)
    assert (None, moment.now) == (get_description(site), site.clock.now())
    site.platform.advance(MINUTE)
    assert "2 left" == get_description(site)


def test_two_kinds_of_work_of_one_name_are_refused() -> None:
    """Registering a second task handler of the same name is refused."""
    with pytest.raises(ValueError, match="test_note"):
        task_handler("test_note")(note)


# the auto clock


def test_under_the_auto_clock_a_poll_loop_ends() -> None:
    """Under the auto clock each GET of a record advances to its next state, and the last state stays."""
    site = create_unfinished_site("auto")
    now = site.clock.now()
    seen = [(site.get(SITE, "dev").json["description"], (site.clock.now() - now) // MINUTE) for _ in range(5)]
    assert [("2 left", 1), ("1 left", 2), ("0 left", 3), ("0 left", 3), ("0 left", 3)] == seen


def test_a_read_moves_the_clock_by_one_step_and_does_what_is_due_on_the_way() -> None:
    """A read that advances the clock runs other tasks that are due before the record's next step."""
    site = create_unfinished_site("auto")
    now = site.clock.now()
    with site.platform.acting() as ctx:
        schedule_note(ctx, now + 10 * SECOND, "before", now)
        schedule_note(ctx, now + MINUTE + 1, "after", now)
    site.get(SITE, "dev")
    assert "before@10" == get_notes(site)


def test_a_read_by_id_and_one_by_path_move_the_same_record() -> None:
    """A read by id and a read by path advance the same record."""
    site = create_unfinished_site("auto")
    answers = [site.get(target, "dev") for target in (f"projects/{site.place('acme/site').id}", SITE)]
    assert ["2 left", "1 left"] == [answer.json["description"] for answer in answers]


def test_a_record_that_was_read_before_it_was_under_way_moves_too() -> None:
    """A read advances a record in progress, although a response from before was cached."""
    site = create_site("auto")
    before = [site.get(SITE, "dev").json["description"] for _ in range(2)]
    with site.platform.acting() as ctx:
        begin_countdown(ctx, site.place("acme/site").id, ctx.now() + MINUTE)
    assert [None, None, "2 left"] == [*before, site.get(SITE, "dev").json["description"]]


def test_a_conditional_read_moves_the_record_too() -> None:
    """A poll with If-None-Match gets the next state, and 304 once nothing changes any more."""
    site = create_unfinished_site("auto")
    tag, statuses = "", []
    for _ in range(4):
        answer = site.get(SITE, "dev", headers={"if-none-match": tag})
        tag = answer.headers["ETag"]
        statuses.append(answer.status)
    assert [200, 200, 200, 304] == statuses


@pytest.mark.parametrize(
    ("method", "target", "by", "status"),
    [
        ("HEAD", SITE, "dev", 200),
        ("GET", "projects", "dev", 200),
        ("GET", "users/ada/projects", "dev", 200),
        ("GET", f"{SITE}/users", "dev", 200),
        ("GET", f"{SITE}/languages", "dev", 200),
        ("GET", f"{SITE}/members/3", "dev", 200),
        ("GET", "projects/acme%2Fother", "dev", 200),
        ("GET", "user", "dev", 200),
        ("GET", f"{SITE}?statistics=maybe", "dev", 400),
        ("GET", f"{SITE}?private_token=wrong", None, 401),
        ("GET", f"{SITE}?sudo=eve", "dev", 403),
        ("GET", SITE, "eve", 404),
        ("GET", SITE, None, 404),
        ("PATCH", SITE, "dev", 405),
        ("POST", f"{SITE}/archive", "dev", 403),
        ("POST", f"{SITE}/unstar", "dev", 304),
        ("GET", "/acme/site?private_token=dev-token", None, 200),
    ],
)
def test_nothing_else_moves_the_auto_clock(method: str, target: str, by: str | None, status: int) -> None:
    """Lists, sub-resources, other records, HEAD, pages and refused requests do not advance the auto clock."""
    site = create_unfinished_site("auto")
    site.project("acme/other", creator="ada", visibility="public")
    now = site.clock.now()
    assert status == site.ask(method, target, by).status
    assert (None, now) == (get_description(site), site.clock.now())


def test_a_write_shows_the_first_state() -> None:
    """A POST advances the clock by its tick only and shows the first state."""
    site = create_unfinished_site("auto")
    now = site.clock.now()
    assert site.ask("POST", f"{SITE}/star", "dev").json["description"] is None
    assert now + 1 == site.clock.now()


@pytest.mark.parametrize(("clock", "in_progress"), [("virtual", True), ("auto", False)])
def test_reading_moves_only_what_is_under_way_and_only_by_the_auto_clock(clock: Kind, in_progress: bool) -> None:
    """A read does not advance a virtual clock, or the auto clock for a task that is not in progress."""
    site = create_unfinished_site(clock, in_progress=in_progress)
    now = site.clock.now()
    assert site.get(SITE, "dev").json["description"] is None
    assert now == site.clock.now()


# kinds of work that the platform has


def test_a_membership_ends_on_its_last_day() -> None:
    """A membership ends at the start of its expiry date."""
    site = create_site()
    site.member("acme/site", "eve", 30, expires_at="2020-11-22")
    assert 200 == site.get(SITE, "eve").status
    site.platform.advance(DAY)
    assert 200 == site.get(SITE, "eve").status
    site.platform.advance(DAY)
    assert 404 == site.get(SITE, "eve").status


def test_a_share_ends_on_its_last_day() -> None:
    """Members of a group lose access to a project when its share with the group expires."""
    site = create_site()
    site.group("guests", owner="eve")
    site.share("acme/site", "guests", 20, expires_at="2020-11-21")
    assert 200 == site.get(SITE, "eve").status
    site.platform.advance(DAY)
    assert 404 == site.get(SITE, "eve").status


def test_a_delayed_deletion_happens_when_its_days_are_over() -> None:
    """On a paid tier a group's project is marked for deletion and deleted after the configured period."""
    site = create_site(tier="premium", settings={"deletion_adjourned_period": 7})
    assert (202, {"message": "202 Accepted"}) == site.ask("DELETE", SITE, "ada").outcome
    site.platform.advance(7 * DAY - MINUTE)
    assert "2020-11-20" == site.get(SITE, "ada").json["marked_for_deletion_on"]
    site.platform.advance(MINUTE)
    assert (404, {"message": "404 Project Not Found"}) == site.get(SITE, "ada").outcome


def test_a_restored_project_is_not_deleted() -> None:
    """Restoring a project cancels its scheduled deletion."""
    site = create_site(tier="premium")
    site.ask("DELETE", SITE, "ada")
    assert 201 == site.ask("POST", f"{SITE}/restore", "ada").status
    site.platform.settle()
    assert site.get(SITE, "ada").json["marked_for_deletion_on"] is None


def test_recurring_work_runs_on_the_way_but_nobody_waits_for_it() -> None:
    """Settling ends with the last task that does not recur; advancing the clock runs recurring tasks, too."""
    site = create_site("virtual")
    start = site.clock.now()
    with site.platform.acting() as ctx:
        ctx.schedule("test_recur", ("users", 1), start + SECOND, recurring=True, since=start)
        schedule_note(ctx, start + 2500, "single", start)
    site.platform.settle()

    assert "again@1 again@2 single@2.5" == get_notes(site)
    site.platform.settle()
    assert start + 2500 == site.clock.now()
    site.platform.advance(SECOND)
    assert "again@1 again@2 single@2.5 again@3" == get_notes(site)
