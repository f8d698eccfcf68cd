"""Views of runners. Source: docs/platform/runners.md."""

from collections.abc import Sequence
from typing import Any, Final, TypeVar, cast

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if
from fakeplat.domain.ci import runners
from fakeplat.entities import urls
from fakeplat.entities.people.users import UserBasic
from fakeplat.entities.projects.projects import ProjectSimple
from fakeplat.model.ci import Runner, RunnerManager
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.policy.authorization import is_member
from fakeplat.policy.behaviours import (
    RUNNER_ADDRESSES_ARE_NULL,
    RUNNER_CREATORS_ARE_VISIBLE_USERS,
    RUNNER_NOTES_ARE_FOR_MANAGERS,
)
from fakeplat.policy.context import ReadContext

_DOCUMENTED: Final = "<=18.9"
"""The release whose description of the interface has what it stands at; when it came is not known."""
WITHOUT_PROJECTS = "without_projects"
"""The option of a view that leaves out the projects of a runner."""


def _has_creator_to_show(view: Entity[Runner]) -> bool:
    return view.record.creator_id is not None or not view.ctx.profile.has(RUNNER_CREATORS_ARE_VISIBLE_USERS)


class RunnerView(Entity[Runner]):
    """A runner in a list."""

    ctx: ReadContext

    id = attr()
    description = attr()

    @computed
    def ip_address(self) -> str | None:
        return None if self.ctx.profile.has(RUNNER_ADDRESSES_ARE_NULL) else self.record.ip_address

    active = attr()

    @computed_if(since="14.8")
    def paused(self) -> bool:
        return not self.record.active

    @computed
    def is_shared(self) -> bool:
        return self.record.runner_type == "instance_type"

    runner_type = attr(since="14.0")
    created_at = attr(since=_DOCUMENTED)

    @computed_if(since=_DOCUMENTED, when=_has_creator_to_show)
    def created_by(self) -> UserBasic | None:
        id_ = self.record.creator_id
        return None if id_ is None else cast(UserBasic, self.ctx.render(UserBasic, self.ctx.world.users[id_]))

    @computed_if(since=_DOCUMENTED)
    def job_execution_status(self) -> str:
        return "active" if runners.is_busy(self.ctx.world, self.record) else "idle"

    name = attr()

    @computed
    def online(self) -> bool | None:
        return None if self.record.contacted_at is None else runners.is_online(self.ctx, self.record)

    @computed
    def status(self) -> str:
        return runners.status_of(self.ctx, self.record)


C = TypeVar("C", Project, Group)


class RunnerGroup(Entity[Group]):
    """The group of a runner."""

    ctx: ReadContext

    id = attr()

    @computed
    def web_url(self) -> str:
        return urls.namespace_url(self.ctx, self.record)

    name = attr()


class RunnerDetails(RunnerView):
    """A single runner, with those of its projects and groups that the caller is a member of."""

    tag_list = attr()
    run_untagged = attr()
    locked = attr()
    maximum_timeout = attr()
    access_level = attr()

    @computed_if(since="14.10")
    def maintenance_note(self) -> str | None:
        is_hidden = self.ctx.profile.has(RUNNER_NOTES_ARE_FOR_MANAGERS) and not runners.can_manage(
            self.ctx, self.record
        )
        return None if is_hidden else self.record.maintenance_note

    version = attr()
    revision = attr()
    platform = attr()
    architecture = attr()
    contacted_at = attr()

    @computed_if(when=lambda view: WITHOUT_PROJECTS not in view.options)
    def projects(self) -> list[ProjectSimple]:
        return self._render_own(ProjectSimple, runners.list_projects(self.ctx.world, self.record))

    @computed
    def groups(self) -> list[RunnerGroup]:
        id_ = self.record.group_id
        return self._render_own(RunnerGroup, [] if id_ is None else [cast(Group, self.ctx.world.namespaces[id_])])

    def _render_own(self, view: type[Entity[C]], containers: Sequence[C]) -> list[Any]:
        own = [one for one in containers if self.ctx.admin or is_member(self.ctx, one)]
        return [self.ctx.render(view, one) for one in own]


class RunnerManagerView(Entity[RunnerManager]):
    """A machine that runs jobs with the token of a runner."""

    ctx: ReadContext

    id = attr()
    system_id = attr()
    version = attr()
    revision = attr()
    platform = attr()
    architecture = attr()
    created_at = attr()
    contacted_at = attr()
    ip_address = attr()

    @computed
    def status(self) -> str:
        return runners.status_of(self.ctx, self.record)

    @computed_if(since=_DOCUMENTED)
    def job_execution_status(self) -> str:
        return "active" if runners.is_manager_busy(self.ctx.world, self.record) else "idle"


class RunnerRegistration(Entity[Runner]):
    """A runner that was registered, with its token."""

    ctx: ReadContext

    id = attr()
    token = attr()
    token_expires_at = attr(since="15.0")


class ResetTokenView(Entity[Runner]):
    """The new token of a runner."""

    token = attr()
    token_expires_at = attr()
