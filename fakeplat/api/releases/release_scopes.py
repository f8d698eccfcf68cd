"""What all operations of releases share: the order of their checks, and the project whose releases can be read."""

from typing import Final

from fakeplat.api.scopes import get_project
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.scope import NO_SCOPE, Segment
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.behaviours import JOBS_USE_APIS_OF_THEIR_PROJECT
from fakeplat.policy.context import ReadContext

# Parameters are checked after the right to read releases, but before all others.
area: Final = Area("Releases", login=Login.NEVER, located_first=True, job_tokens=JOBS_USE_APIS_OF_THEIR_PROJECT)


def _get_project_with_releases(ctx: ReadContext, reference: str) -> Project:
    project = get_project(ctx, reference)
    authorize(ctx, Ability.READ_RELEASE, project)
    return project


PROJECT_WITH_RELEASES: Final = NO_SCOPE / Segment("projects/:id", locate=_get_project_with_releases, word="project")
