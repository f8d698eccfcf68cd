"""What the token of a job may do in a project whose list gives its own project or group certain policies only.

``job_token_policies.csv`` has the policies that an operation needs; an operation without any is open to all jobs on the
list, one without a row to none of those. Source: docs/platform/fine-grained-tokens.md.
"""

import csv
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from fakeplat.core.operations.errors import Forbidden
from fakeplat.core.operations.operation import Operation
from fakeplat.domain.ci import job_token_scope
from fakeplat.model.projects import Project
from fakeplat.policy.behaviours import JOB_TOKEN_POLICIES
from fakeplat.policy.context import ReadContext

TABLE: Final = Path(__file__).with_name("job_token_policies.csv")
_UNAUTHORIZED: Final = "This action is unauthorized for CI/CD job tokens."


@cache
def list_policies() -> Mapping[str, Sequence[str]]:
    """Return the policies that each operation needs."""
    with TABLE.open(encoding="utf-8") as file:
        return {row["operation"]: row["policies"].split() for row in csv.DictReader(file)}


def authorize_job(ctx: ReadContext, project: Project, operation: Operation) -> None:
    """Refuse a job whose project or group is on the list of another project without the policies of an operation."""
    granted = job_token_scope.find_policies(ctx, project) if ctx.profile.has(JOB_TOKEN_POLICIES) else None
    policies = list_policies().get(operation.name)
    if granted is None or policies == []:
        return
    if policies is None:
        raise Forbidden(_UNAUTHORIZED, reason=f"{operation.name} has no policies")
    if not {*policies} <= {*granted}:
        raise Forbidden(_explain(project, policies), reason=f"the list gives {', '.join(granted) or 'no policies'}")


def _explain(project: Project, policies: Sequence[str]) -> str:
    needed = "permissions are" if len(policies) > 1 else "permission is"
    return (
        f"Insufficient permissions to access this resource in project {project.path}. "
        f"The following token {needed} required: {' and '.join(policies)}."
    )
