"""Submodules of repositories. Source: docs/platform/external.md ('Submodules')."""

from typing import Final

from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params
from fakeplat.domain.repository import submodules
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.entities.repository.commits import CommitDetail
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import WriteContext

area: Final = Area("Repository", login=Login.ALWAYS)


class UpdateSubmodule(Params):
    """The commit to point the submodule at, and the branch and message of the commit that does so."""

    commit_sha: str
    branch: str
    commit_message: str | None = None


@area.operation(
    "PUT",
    "repository/submodules/:submodule",
    scope=PROJECT,
    ability=Ability.PUSH_CODE,
    params=UpdateSubmodule,
    view=CommitDetail,
    refusals=(400,),
)
def update_submodule(ctx: WriteContext, project: Project, submodule: str, p: UpdateSubmodule) -> ProjectCommit:
    """Update the commit that a submodule stands for."""
    return submodules.update(ctx, project, submodule, p.commit_sha or "", p.branch or "", p.commit_message)
