"""Views of deploy keys."""

from typing import Any, Final

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if, constant
from fakeplat.domain.projects import deploy_keys
from fakeplat.entities.projects.projects import ProjectIdentity
from fakeplat.model.projects import DeployKey, DeployKeyProject
from fakeplat.policy.context import ReadContext

# Deploy keys are made for both purposes; only the keys of users can be restricted to one.
_USAGE_TYPE: Final = "auth_and_signing"


class DeployKeyView(Entity[DeployKey]):
    """A deploy key."""

    ctx: ReadContext

    id = attr()
    title = attr()
    created_at = attr()
    expires_at = attr()
    last_used_at = attr(since="<=18.9")
    key = attr()
    fingerprint = attr(since="<=15.2")

    @computed_if(since="15.2")
    def fingerprint_sha256(self) -> str:
        return f"SHA256:{self.record.fingerprint_sha256}"

    usage_type = constant(_USAGE_TYPE, str, since="<=18.9")


class DeployKeyWithProjects(DeployKeyView):
    """A deploy key in the list of administrators, with its projects."""

    @computed_if(since="<=14.8")
    def projects_with_write_access(self) -> list[ProjectIdentity]:
        return self._projects(can_push=True)

    @computed_if(since="16.0")
    def projects_with_readonly_access(self) -> list[ProjectIdentity]:
        return self._projects(can_push=False)

    def _projects(self, *, can_push: bool) -> list[Any]:
        projects = deploy_keys.list_projects(self.ctx.world, self.record, can_push=can_push)
        return [self.ctx.render(ProjectIdentity, project) for project in projects]


class DeployKeyInProject(Entity[DeployKeyProject]):
    """A deploy key in a project: the fields of the key, and whether it can push."""

    ctx: ReadContext

    @property
    def _key(self) -> DeployKey:
        return self.ctx.world.deploy_keys[self.record.deploy_key_id]

    @computed
    def id(self) -> int:
        return self._key.id

    @computed
    def title(self) -> str:
        return self._key.title

    @computed
    def created_at(self) -> str:
        return self._key.created_at

    @computed
    def expires_at(self) -> str | None:
        return self._key.expires_at

    @computed_if(since="<=18.9")
    def last_used_at(self) -> str | None:
        return self._key.last_used_at

    @computed
    def key(self) -> str:
        return self._key.key

    @computed_if(since="<=15.2")
    def fingerprint(self) -> str:
        return self._key.fingerprint

    @computed_if(since="15.2")
    def fingerprint_sha256(self) -> str:
        return f"SHA256:{self._key.fingerprint_sha256}"

    usage_type = constant(_USAGE_TYPE, str, since="<=18.9")

    can_push = attr()
