"""Image repositories of projects and groups, and cleanup policies.

Source: docs/platform/graphql.md, docs/platform/registry.md.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from fakeplat.core.store.frozen import frozen
from fakeplat.core.timestamps import to_iso
from fakeplat.domain.registry import cleanup_policies, container_repositories
from fakeplat.entities.registry import ContainerRepositoryView
from fakeplat.graphql.people.groups import GROUP
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Enumeration, Scalar, Type
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.model.registry import ContainerRepository
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext

_SINCE: Final = "13.6"


@frozen
class Policy:
    """The cleanup policy of a project."""

    project: Project

    @property
    def values(self) -> Mapping[str, Any]:
        """What the policy says."""
        return cleanup_policies.policy_of(self.project)


def _enumerate(name: str, description: str, values: Mapping[str, object]) -> None:
    Enumeration(name, description, {word: (value, f"The value {value}.") for word, value in values.items()})


_enumerate(
    "ContainerExpirationPolicyCadenceEnum",
    "How often a cleanup policy runs.",
    {
        "EVERY_DAY": "1d",
        "EVERY_WEEK": "7d",
        "EVERY_TWO_WEEKS": "14d",
        "EVERY_MONTH": "1month",
        "EVERY_THREE_MONTHS": "3month",
    },
)
_enumerate(
    "ContainerExpirationPolicyKeepEnum",
    "How many tags a cleanup policy keeps.",
    {
        "ONE_TAG": 1,
        "FIVE_TAGS": 5,
        "TEN_TAGS": 10,
        "TWENTY_FIVE_TAGS": 25,
        "FIFTY_TAGS": 50,
        "ONE_HUNDRED_TAGS": 100,
    },
)
_enumerate(
    "ContainerExpirationPolicyOlderThanEnum",
    "How old the tags are that a cleanup policy deletes.",
    {"SEVEN_DAYS": "7d", "FOURTEEN_DAYS": "14d", "THIRTY_DAYS": "30d", "NINETY_DAYS": "90d"},
)
Scalar("UntrustedRegexp", "A regular expression in the syntax of RE2.")
POLICY: Final = Type("ContainerExpirationPolicy", "The cleanup policy of a project's images.")


@PROJECT.field("containerExpirationPolicy: ContainerExpirationPolicy")
def policy_of(ctx: ReadContext, project: Project) -> Policy | None:
    """The cleanup policy of the images; only for those who can delete images."""
    return Policy(project) if can(ctx, Ability.DESTROY_CONTAINER_IMAGE, project) else None


def _policy_field(signature: str, key: str, description: str) -> None:
    def value(_ctx: ReadContext, policy: Policy) -> Any:
        return policy.values[key]

    # The description of a field is the docstring of its function.
    value.__doc__ = description
    POLICY.field(signature)(value)


_policy_field("cadence: ContainerExpirationPolicyCadenceEnum!", "cadence", "How often the policy runs.")
_policy_field("enabled: Boolean!", "enabled", "Whether the policy runs.")
_policy_field("keepN: ContainerExpirationPolicyKeepEnum", "keep_n", "The number of tags to keep.")
_policy_field("nameRegex: UntrustedRegexp", "name_regex", "Tags with matching names are deleted.")
_policy_field("nameRegexKeep: UntrustedRegexp", "name_regex_keep", "Tags with matching names are kept.")
_policy_field("olderThan: ContainerExpirationPolicyOlderThanEnum", "older_than", "Older tags are deleted.")


@POLICY.field("createdAt: Time!")
def policy_created_at(_ctx: ReadContext, policy: Policy) -> str:
    """Timestamp of creation: that of the project."""
    return policy.project.created_at


@POLICY.field("updatedAt: Time!")
def policy_updated_at(_ctx: ReadContext, policy: Policy) -> str:
    """Timestamp of the last update: that of the project."""
    return policy.project.updated_at


@POLICY.field("nextRunAt: Time")
def next_run_at(ctx: ReadContext, policy: Policy) -> str:
    """Timestamp of the next run."""
    return to_iso(cleanup_policies.get_next_run(ctx, policy.project))


Enumeration(
    "ContainerRepositoryStatus",
    "What is about to happen to an image repository.",
    {
        "DELETE_SCHEDULED": ("delete_scheduled", "It will be deleted."),
        "DELETE_FAILED": ("delete_failed", "It could not be deleted."),
    },
    since=_SINCE,
)
REPOSITORY: Final = Type("ContainerRepository", "An image repository.", gid="ContainerRepository", since=_SINCE)
REPOSITORY.attributes(
    {
        "name: String!": "The name: the part of the path below the project.",
        "status: ContainerRepositoryStatus": "What is about to happen to it.",
        "createdAt: Time!": "Timestamp of creation.",
        "updatedAt: Time!": "Timestamp of the last update.",
    }
)


@REPOSITORY.field("path: String!")
def path(ctx: ReadContext, repository: ContainerRepository) -> str:
    """The path."""
    return container_repositories.path_of(ctx.world, repository)


@REPOSITORY.field("location: String!")
def location(ctx: ReadContext, repository: ContainerRepository) -> str:
    """The address as docker takes it."""
    return str(ContainerRepositoryView(repository, ctx).location())


@REPOSITORY.field("tagsCount: Int!")
def tags_count(ctx: ReadContext, repository: ContainerRepository) -> int:
    """The number of tags."""
    return container_repositories.count_tags(ctx.world, repository)


@PROJECT.field("containerRepositories(name: String): ContainerRepositoryConnection", since=_SINCE)
def repositories_of_project(
    ctx: ReadContext, project: Project, name: str | None = None
) -> Sequence[ContainerRepository]:
    """The image repositories of the project whose names contain a text, newest first."""
    if not can(ctx, Ability.READ_CONTAINER_IMAGE, project):
        return ()
    return _select(container_repositories.list_by_project(ctx.world, project), name)


@GROUP.field("containerRepositories(name: String): ContainerRepositoryConnection", since=_SINCE)
def repositories_of_group(ctx: ReadContext, group: Group, name: str | None = None) -> Sequence[ContainerRepository]:
    """The image repositories of the group's projects and of its subgroups' whose names contain a text, newest first."""
    if not can(ctx, Ability.READ_CONTAINER_IMAGE, group):
        return ()
    return _select(container_repositories.list_by_group(ctx.world, group), name)


def _select(repositories: Iterable[ContainerRepository], name: str | None) -> list[ContainerRepository]:
    found = [row for row in repositories if (name or "").lower() in row.name.lower()]
    return sorted(found, key=lambda repository: -repository.id)
