"""Pull mirrors of projects. Nothing is ever fetched."""

from typing import Annotated, Any, Final
from urllib.parse import quote, urlsplit, urlunsplit

from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.errors import BadRequest
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params, at_least_one_of
from fakeplat.core.release import Lifetime
from fakeplat.domain.projects import projects, pull_mirrors
from fakeplat.domain.validation import ValidationErrors, check_url
from fakeplat.entities.projects.mirrors import PullMirrorView
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Projects", login=Login.ALWAYS)
_PATH: Final = "mirror/pull"


@area.operation(
    "GET",
    _PATH,
    scope=PROJECT,
    ability=Ability.ADMIN_PROJECT,
    view=PullMirrorView,
    tier="premium",
    since="15.6",
    refusals=(400,),
)
def get_pull_mirror(_ctx: ReadContext, project: Project) -> Project:
    """Get the pull mirror of a project."""
    if not project.mirror:
        raise BadRequest("The project is not mirrored", reason="mirror is off")
    return project


class UpdatePullMirror(Params):
    """Changes of a pull mirror."""

    enabled: bool | None = None
    url: str | None = None
    auth_user: str | None = None
    auth_password: str | None = None
    mirror_trigger_builds: bool | None = None
    only_mirror_protected_branches: bool | None = None
    mirror_overwrites_diverged_branches: bool | None = None
    mirror_branch_regex: Annotated[str | None, Lifetime(since="<=18.0")] = None
    only_protected_branches: Annotated[bool | None, Lifetime(since="<=18.9")] = None

    rules = (
        at_least_one_of(
            "enabled",
            "url",
            "auth_user",
            "auth_password",
            "mirror_trigger_builds",
            "only_mirror_protected_branches",
            "mirror_overwrites_diverged_branches",
            "mirror_branch_regex",
            "only_protected_branches",
        ),
    )


@area.operation(
    "PUT",
    _PATH,
    scope=PROJECT,
    ability=Ability.ADMIN_PROJECT,
    params=UpdatePullMirror,
    view=PullMirrorView,
    tier="premium",
    since="17.6",
    refusals=(400,),
)
def update_pull_mirror(ctx: WriteContext, project: Project, p: UpdatePullMirror) -> Project:
    """Update the pull mirror of a project."""
    names = {
        "enabled": "mirror",
        "url": "import_url",
        "only_protected_branches": "only_mirror_protected_branches",
    }
    fields: dict[str, Any] = {names.get(name, name): value for name, value in p.given().items() if value is not None}
    user, password = fields.pop("auth_user", None), fields.pop("auth_password", None)
    errors = ValidationErrors()
    check_url(errors, "import_url", fields.get("import_url"))
    errors.refuse()
    url = fields.get("import_url", project.import_url)
    if url is not None and (user or password):
        fields["import_url"] = _with_credentials(url, user or "", password or "")
    return projects.update(ctx, project, **fields)


@area.operation(
    "POST", _PATH, scope=PROJECT, ability=Ability.ADMIN_PROJECT, status=200, tier="premium", refusals=(400,)
)
def start_pull_mirror(ctx: WriteContext, project: Project) -> int:
    """Start an update of the pull mirror of a project."""
    pull_mirrors.start_update(ctx, project)
    # The platform's body is the status.
    return 200


def _with_credentials(url: str, user: str, password: str) -> str:
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit(parts._replace(netloc=f"{quote(user, safe='')}:{quote(password, safe='')}@{host}"))
