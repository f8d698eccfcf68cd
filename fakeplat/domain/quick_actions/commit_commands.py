"""The quick action on commits, which creates a tag, and its effect."""

from collections.abc import Mapping
from typing import Final

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
def tag(context: CommandContext, argument: str) -> Outcome:
    """Tag the commit, optionally with a message."""
    name, _, rest = argument.strip().partition(" ")
    message = rest.strip() or None
    if not name or not can(context.ctx, Ability.PUSH_CODE, context.project):
        return None
    context.changes[_TAG] = (name, message)
    context.hidden.add(_TAG)
    context.reported.update({"tag_name": name, "tag_message": message})
    return f'Tagged this commit to {name} with "{message}".' if message else f"Tagged this commit to {name}."


def _create_tag(ctx: WriteContext, commit: ProjectCommit, tag_params: tuple[str, str | None]) -> None:
    name, message = tag_params
    sha = commit.commit.sha
    tags.create(ctx, commit.project, name, sha, message)
    link = f"/{project_path(ctx.world, commit.project)}/-/tags/{name}"
    body = f"tagged commit {sha} to [`{name}`]({link})"
    system_notes.write(ctx, noteables.subject_of(commit), ctx.signed_in_user, body)


def _change_nothing(_ctx: WriteContext, commit: ProjectCommit, _fields: Mapping[str, object]) -> ProjectCommit:
    """Return the commit unchanged: no command changes a field of a commit."""
    return commit


EFFECTS[COMMIT.kind] = CommandEffects(
    set_fields=_change_nothing, fields=(), creation_fields=(), handlers={_TAG: _create_tag}
)
