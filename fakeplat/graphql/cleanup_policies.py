"""Changes of the cleanup policies of images. Source: docs/platform/registry.md."""

from collections.abc import Mapping
from typing import Any, Final, TypedDict, Unpack, cast

from graphql import GraphQLError

from fakeplat.domain.projects import projects
from fakeplat.domain.registry import cleanup_policies
from fakeplat.domain.registry.cleanup_policies import PolicyValue
from fakeplat.domain.validation import BLANK, ValidationErrors, explain_regex_error, join_words
from fakeplat.graphql.errors import MutationFailed
from fakeplat.graphql.lookups import require_ability, require_project
from fakeplat.graphql.registry import Policy
from fakeplat.graphql.schema_builder import mutation
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import WriteContext

_LATEST: Final = "<=18.5"
_PAYLOAD: Final = ("container_expiration_policy", "container_tags_expiration_policy")


class PolicyInput(TypedDict, total=False):
    """Changes of a policy."""

    enabled: bool | None
    cadence: str | None
    older_than: str | None
    keep_n: int | None
    name_regex: str | None
    name_regex_keep: str | None


@mutation(
    "updateContainerExpirationPolicy",
    input_fields='''
"""The full path of the project."""
projectPath: ID!
"""Whether the policy runs."""
enabled: Boolean
"""How often the policy runs."""
cadence: ContainerExpirationPolicyCadenceEnum
"""Older tags are deleted."""
olderThan: ContainerExpirationPolicyOlderThanEnum
"""The number of tags to keep."""
keepN: ContainerExpirationPolicyKeepEnum
"""Tags with matching names are deleted."""
nameRegex: UntrustedRegexp
"""Tags with matching names are kept."""
nameRegexKeep: UntrustedRegexp
''',
    payload_fields=f'''
"""The policy."""
containerExpirationPolicy: ContainerExpirationPolicy
"""The policy."""
containerTagsExpirationPolicy: ContainerTagsExpirationPolicy @lifetime(since: "{_LATEST}")
''',
)
def update_policy(ctx: WriteContext, project_path: str, **sent: Unpack[PolicyInput]) -> Mapping[str, Any]:
    """Change the cleanup policy of a project's images."""
    changes = cast(Mapping[str, PolicyValue], sent)
    for expression in (changes.get("name_regex"), changes.get("name_regex_keep")):
        error = explain_regex_error(str(expression or ""))
        if error:
            raise GraphQLError(f"{expression} is an invalid regexp: {error}")
    project = require_project(ctx, project_path)
    require_ability(ctx, Ability.ADMIN_CONTAINER_IMAGE, project)
    messages = _list_errors({**cleanup_policies.policy_of(project), **changes})
    if messages:
        raise MutationFailed([messages], dict.fromkeys(_PAYLOAD))
    changed = projects.update(ctx, project, container_expiration_policy_attributes=changes)
    return dict.fromkeys(_PAYLOAD, Policy(changed))


def _list_errors(policy: Mapping[str, PolicyValue]) -> str:
    """Return what is wrong with a policy, as one sentence; empty if nothing is."""
    errors = ValidationErrors()
    errors.when(policy["enabled"] is None, "enabled", "is not included in the list")
    errors.when(not policy["cadence"], "cadence", BLANK)
    errors.when(not policy["cadence"], "cadence", "is not included in the list")
    errors.when(policy["enabled"] and not policy["name_regex"], "name_regex", BLANK)
    return join_words(errors.full_messages())
