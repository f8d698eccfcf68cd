"""The quick action on commits: tagging, and how that comes into effect."""

from collections.abc import Mapping
from typing import Any, Final

from fakeplat.domain.notes import noteables, system_notes
from fakeplat.domain.notes.noteables import COMMIT
from fakeplat.domain.people.namespaces import project_path
from fakeplat.domain.quick_actions.quick_actions import EFFECTS, CommandContext, CommandEffects, Outcome, command
from fakeplat.domain.repository import tags
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import WriteContext

_TAG: Final = "tag"


@command("tag", on=(COMMIT.kind,), exists=True)
def tag(on: CommandContext, argument: str) -> Outcome:
    """Tag it, with a message perhaps."""
    name, _, rest = argument.strip().partition(" ")
    message = rest.strip() or None
    if not name or not can(on.ctx, Ability.PUSH_CODE, on.project):
        return None
    on.changes[_TAG] = (name, message)
    on.untold.add(_TAG)
    on.named.update(tag_name=name, tag_message=message)
    return f'Tagged this commit to {name} with "{message}".' if message else f"Tagged this commit to {name}."


def _create_tag(ctx: WriteContext, found: ProjectCommit, wanted: tuple[str, str | None]) -> None:
    name, message = wanted
    sha = found.commit.sha
    tags.create(ctx, found.project, name, sha, message)
    link = f"/{project_path(ctx.world, found.project)}/-/tags/{name}"
    body = f"tagged commit {sha} to [`{name}`]({link})"
    system_notes.write(ctx, noteables.subject_of(found), ctx.signed_in_user, body)


def _keep(ctx: WriteContext, found: ProjectCommit, fields: Mapping[str, Any]) -> ProjectCommit:
    """No command changes a field of a commit."""
    del ctx, fields
    return found


EFFECTS[COMMIT.kind] = CommandEffects(put=_keep, fields=(), at_first=(), acts={_TAG: _create_tag})
