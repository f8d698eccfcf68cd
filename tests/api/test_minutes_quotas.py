"""Minutes on runners of the instance. Source: ee/app/services/ee/ci/register_job_service.rb of the platform."""

from typing import Any

import pytest

from fakeplat.domain.ci import minutes_quotas
from fakeplat.harness.fake import Fakeplat
from fakeplat.model.ci import Runner
from tests.api.ci_jobs import create_pipeline
from tests.api.test_runner_protocol import BUILD, create_runner, finish_job, request_job, take_job, update_project
from tests.worlds import create_site

pytestmark = pytest.mark.fakeplat(
    scenario="starter", tier="premium", clock="virtual", tick=0, start="2020-11-20T09:00:00.000Z"
)


def run_job(fake: Fakeplat, runner: Runner, duration: str = "10m") -> None:
    create_pipeline(fake, BUILD)
    taken = take_job(fake, runner)
    fake.clock.advance(duration)
    assert 200 == finish_job(fake, taken).status


def next_status(fake: Fakeplat, runner: Runner) -> int:
    """Return the status of a runner's request for a job: 201, or 204."""
    create_pipeline(fake, BUILD)
    return int(request_job(fake, runner).status)


def set_limit(fake: Fakeplat, **values: int) -> None:
    path = f"namespaces/{fake.world.group('acme').id}"
    assert 200 == fake.as_user("root").put(path, json=values).status


@pytest.mark.parametrize(("minutes", "status"), [(0, 201), (11, 201), (10, 204)])
def test_the_quota_of_the_instance(fakeplat: Fakeplat, minutes: int, status: int) -> None:
    """A job of ten minutes uses up ten; 0 is no quota."""
    fakeplat.as_user("root").put("application/settings", json={"shared_runners_minutes": minutes})
    runner = create_runner(fakeplat, "instance_type")
    run_job(fakeplat, runner)
    assert status == next_status(fakeplat, runner)


@pytest.mark.parametrize(
    ("values", "status"),
    [
        ({"shared_runners_minutes_limit": 10}, 204),
        ({"shared_runners_minutes_limit": 10, "extra_shared_runners_minutes_limit": 1}, 201),
        ({"shared_runners_minutes_limit": 0, "extra_shared_runners_minutes_limit": 1}, 201),
    ],
)
def test_the_quota_of_a_namespace(fakeplat: Fakeplat, values: dict[str, int], status: int) -> None:
    """A namespace's quota replaces the instance's, and bought minutes are added."""
    fakeplat.as_user("root").put("application/settings", json={"shared_runners_minutes": 5})
    set_limit(fakeplat, **values)
    runner = create_runner(fakeplat, "instance_type")
    run_job(fakeplat, runner, "5m" if status == 201 else "10m")
    assert status == next_status(fakeplat, runner)


def test_a_new_month_begins_with_the_whole_quota(fakeplat: Fakeplat) -> None:
    """Only jobs of the current month count for the quota."""
    set_limit(fakeplat, shared_runners_minutes_limit=10)
    runner = create_runner(fakeplat, "instance_type")
    run_job(fakeplat, runner)
    assert 204 == next_status(fakeplat, runner)
    fakeplat.clock.advance_to("2020-12-01T00:00:00.000Z")
    assert 201 == next_status(fakeplat, runner)


@pytest.mark.parametrize("project", [{"visibility": "public"}, {"visibility": "private"}])
def test_public_projects_cost_nothing(fakeplat: Fakeplat, project: dict[str, Any]) -> None:
    """Jobs of public projects use no minutes."""
    update_project(fakeplat, **project)
    set_limit(fakeplat, shared_runners_minutes_limit=10)
    runner = create_runner(fakeplat, "instance_type")
    run_job(fakeplat, runner)
    assert {"public": 201, "private": 204}[project["visibility"]] == next_status(fakeplat, runner)


@pytest.mark.parametrize("kind", ["group_type", "project_type"])
def test_other_runners_take_jobs_anyway(fakeplat: Fakeplat, kind: Any) -> None:
    """Runners that are not the instance's take jobs without a quota."""
    set_limit(fakeplat, shared_runners_minutes_limit=10)
    run_job(fakeplat, create_runner(fakeplat, "instance_type"))
    assert 201 == next_status(fakeplat, create_runner(fakeplat, kind))


def test_the_quota_of_a_user() -> None:
    """A user's quota is set at the user or at the namespace, which precedes."""
    site = create_site(tier="premium")
    site.change_user("ada", shared_runners_minutes_limit=7, extra_shared_runners_minutes_limit=1)
    assert 8 == minutes_quotas.get_quota(site.world, site.place("ada"))
    with site.platform.acting() as ctx:
        ctx.world.namespaces.change(site.place("ada"), shared_runners_minutes_limit=2)
    assert 3 == minutes_quotas.get_quota(site.world, site.place("ada"))


@pytest.mark.fakeplat(tier="free")
def test_it_is_a_paid_feature(fakeplat: Fakeplat) -> None:
    """On the free tier there is no quota of minutes."""
    fakeplat.load({"settings": {"shared_runners_minutes": 1}})
    runner = create_runner(fakeplat, "instance_type")
    run_job(fakeplat, runner)
    assert 201 == next_status(fakeplat, runner)
