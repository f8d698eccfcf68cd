"""Runners, and the projects that they are enabled for."""

from typing import Literal

from fakeplat.core.store.frozen import frozen

RunnerType = Literal["instance_type", "group_type", "project_type"]
RunnerAccessLevel = Literal["not_protected", "ref_protected"]


@frozen
class Runner:
    """A runner of the instance, of a group (``group_id``) or of projects (`RunnerProject`).

    ``name``, ``version``, ``revision``, ``platform`` and ``architecture`` are what the runner said of itself.
    ``maximum_timeout`` is in seconds.
    """

    id: int
    token: str
    runner_type: RunnerType
    created_at: str
    updated_at: str
    description: str | None = None
    active: bool = True
    locked: bool = False
    run_untagged: bool = True
    access_level: RunnerAccessLevel = "not_protected"
    maximum_timeout: int | None = None
    tag_list: tuple[str, ...] = ()
    group_id: int | None = None
    name: str | None = None
    version: str | None = None
    revision: str | None = None
    platform: str | None = None
    architecture: str | None = None
    ip_address: str | None = None
    contacted_at: str | None = None


@frozen
class RunnerProject:
    """A project that a runner is enabled for."""

    id: int
    runner_id: int
    project_id: int
    created_at: str
    updated_at: str
