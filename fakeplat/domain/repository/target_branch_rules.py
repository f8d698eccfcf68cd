"""Rules that say where branches are to be merged (paid). Source: docs/platform/graphql.md."""

import re
from collections.abc import Sequence
from typing import Final

from fakeplat.domain.validation import BLANK, TAKEN, ValidationErrors, too_long
from fakeplat.model.projects import Project
from fakeplat.model.repository import TargetBranchRule
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

_NAME: Final = re.compile(r"(?!.*\.\./)[a-zA-Z0-9/._\-*]+")
_LONGEST_BRANCH: Final = 255


def list_rules(world: World, project: Project) -> Sequence[TargetBranchRule]:
    """Return the rules of a project, newest first."""
    return world.target_branch_rules.where("project", project.id).in_reverse()


def create(ctx: WriteContext, project: Project, name: str, target_branch: str) -> TargetBranchRule:
    """Create a rule for branches with a name, in which ``*`` stands for any text; 400 for invalid values."""
    table, name = ctx.world.target_branch_rules, name.strip()
    errors = ValidationErrors()
    errors.when(not name, "name", BLANK)
    errors.when(table.find("name", (project.id, name)) is not None, "name", TAKEN)
    errors.when(not _NAME.fullmatch(name), "name", "is invalid")
    errors.when(not target_branch.strip(), "target_branch", BLANK)
    too_long(errors, "target_branch", target_branch, _LONGEST_BRANCH)
    errors.refuse()
    return table.add(TargetBranchRule(table.next_id(), project.id, name, target_branch, ctx.now_iso))
