"""Image repositories of projects and groups, and cleanup policies.

Source: docs/platform/graphql.md, docs/platform/registry.md.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from graphql import GraphQLError

from fakeplat.core.release import Lifetime
from fakeplat.core.store.frozen import frozen
from fakeplat.core.timestamps import to_iso
from fakeplat.domain.registry import (
    cleanup_policies,
    container_repositories,
    image_manifests,
    protection_rules,
    tag_protection_rules,
)
from fakeplat.entities.registry import ContainerRepositoryView
from fakeplat.graphql.errors import ResourceNotAvailable
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.people.groups import GROUP
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import QUERY, Enumeration, Scalar, Type, mutation, with_lower_names
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.model.registry import ContainerRepository, ContainerTag
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can
from fakeplat.policy.context import ReadContext, WriteContext

_SINCE: Final = "13.6"
_MOST_TAGS: Final = 20


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
TAGS_POLICY: Final = Type("ContainerTagsExpirationPolicy", "The cleanup policy of a project's images.", since="<=18.5")


@PROJECT.field("containerExpirationPolicy: ContainerExpirationPolicy")
def policy_of(ctx: ReadContext, project: Project) -> Policy | None:
    """The cleanup policy of the images; only for those who can delete images."""
    return Policy(project) if can(ctx, Ability.DESTROY_CONTAINER_IMAGE, project) else None


@PROJECT.field("containerTagsExpirationPolicy: ContainerTagsExpirationPolicy", since="<=18.5")
def tags_policy_of(ctx: ReadContext, project: Project) -> Policy | None:
    """The cleanup policy of the images, for those who see images; who does not administer them sees little of it."""
    return Policy(project) if can(ctx, Ability.READ_CONTAINER_IMAGE, project) else None


def _policy_field(signature: str, key: str, description: str) -> None:
    def value(_ctx: ReadContext, policy: Policy) -> Any:
        return policy.values[key]

    POLICY.field(signature, description=description)(value)
    if key == "enabled":
        TAGS_POLICY.field(signature, description=description)(value)
    else:
        _declare_for_administrators(signature, value, description)


def _declare_for_administrators(signature: str, show: Callable[[ReadContext, Policy], Any], description: str) -> None:
    def value(ctx: ReadContext, policy: Policy) -> Any:
        return show(ctx, policy) if can(ctx, Ability.ADMIN_CONTAINER_IMAGE, policy.project) else None

    TAGS_POLICY.field(signature.rstrip("!"), description=description)(value)


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


_declare_for_administrators("createdAt: Time", policy_created_at, "Timestamp of creation: that of the project.")
_declare_for_administrators("updatedAt: Time", policy_updated_at, "Timestamp of the last update: that of the project.")


@TAGS_POLICY.field("nextRunAt: Time")
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
        "DELETE_ONGOING": ("delete_ongoing", "It is being deleted.", Lifetime(since="<=15.8")),
    },
    since=_SINCE,
)
Enumeration(
    "ContainerRepositoryCleanupStatus",
    "How far the cleanup of an image repository is, which takes no time here.",
    {
        name: (name.lower(), f"The cleanup is {name.lower()}.")
        for name in ("UNSCHEDULED", "SCHEDULED", "UNFINISHED", "ONGOING")
    },
    since="<=13.7",
)
Enumeration(
    "ContainerRepositorySort",
    "The order of image repositories.",
    with_lower_names(
        {
            "NAME_ASC": (("name", False), "By name, from A to Z."),
            "NAME_DESC": (("name", True), "By name, from Z to A."),
            "CREATED_ASC": (("created_at", False), "By creation, oldest first."),
            "CREATED_DESC": (("created_at", True), "By creation, newest first."),
            "UPDATED_ASC": (("updated_at", False), "By the last update, oldest first."),
            "UPDATED_DESC": (("updated_at", True), "By the last update, newest first."),
        }
    ),
    since="<=13.10",
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


@REPOSITORY.field("expirationPolicyStartedAt: Time")
def expiration_policy_started_at(_ctx: ReadContext, repository: ContainerRepository) -> str | None:
    """Timestamp of the last start of the cleanup policy."""
    return repository.cleanup_policy_started_at


@REPOSITORY.field("expirationPolicyCleanupStatus: ContainerRepositoryCleanupStatus", since="<=13.7")
def cleanup_status(_ctx: ReadContext, _repository: ContainerRepository) -> str:
    """How far the cleanup is: it takes no time here."""
    return "unscheduled"


@REPOSITORY.field("lastCleanupDeletedTagsCount: Int", since="<=15.0")
def last_deleted_count(_ctx: ReadContext, _repository: ContainerRepository) -> int | None:
    """Number of tags that the last cleanup deleted, which is not recorded here."""
    return None


@REPOSITORY.field("migrationState: String!", since="<=15.0")
def migration_state(_ctx: ReadContext, _repository: ContainerRepository) -> str:
    """The state of the migration to another storage, which is over."""
    return ""


@REPOSITORY.field("protectionRuleExists: Boolean!", since="<=18.2")
def is_protected(ctx: ReadContext, repository: ContainerRepository) -> bool:
    """Whether a rule protects it from pushes."""
    return protection_rules.has_rule(ctx.world, project_of(ctx, repository), path(ctx, repository), "push")


PERMISSIONS: Final = Type(
    "ContainerRepositoryPermissions", "What the caller may do with an image repository.", since="<=16.9"
)


@REPOSITORY.field("userPermissions: ContainerRepositoryPermissions!", since="<=16.9")
def permissions_of(_ctx: ReadContext, repository: ContainerRepository) -> ContainerRepository:
    """What the caller may do."""
    return repository


@PERMISSIONS.field("destroyContainerRepository: Boolean!")
@REPOSITORY.field("canDelete: Boolean!", until="<=18.2")
def may_delete(ctx: ReadContext, repository: ContainerRepository) -> bool:
    """Whether the caller may delete it."""
    return can(ctx, Ability.DESTROY_CONTAINER_IMAGE, project_of(ctx, repository))


@REPOSITORY.field("project: Project!", since="<=13.8")
def project_of(ctx: ReadContext, repository: ContainerRepository) -> Project:
    """The project."""
    return ctx.world.projects[repository.project_id]


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


_FILTERS: Final = """name: String, sort: ContainerRepositorySort @lifetime(since: "<=13.10", until: "<=14.0"),
    sort: ContainerRepositorySort = CREATED_DESC @lifetime(since: "<=14.0")"""


@PROJECT.field(f"containerRepositories({_FILTERS}): ContainerRepositoryConnection", since=_SINCE)
def repositories_of_project(
    ctx: ReadContext, project: Project, name: str | None = None, sort: tuple[str, bool] | None = None
) -> Sequence[ContainerRepository] | None:
    """The image repositories of the project whose names contain a text, newest first."""
    if not can(ctx, Ability.READ_CONTAINER_IMAGE, project):
        return None
    return _select(container_repositories.list_by_project(ctx.world, project), name, sort)


@GROUP.field(f"containerRepositories({_FILTERS}): ContainerRepositoryConnection", since=_SINCE)
def repositories_of_group(
    ctx: ReadContext, group: Group, name: str | None = None, sort: tuple[str, bool] | None = None
) -> Sequence[ContainerRepository] | None:
    """The image repositories of the group's projects and of its subgroups' whose names contain a text, newest first."""
    if not can(ctx, Ability.READ_CONTAINER_IMAGE, group):
        return None
    return _select(container_repositories.list_by_group(ctx.world, group), name, sort)


def _select(
    repositories: Iterable[ContainerRepository], name: str | None, sort: tuple[str, bool] | None
) -> list[ContainerRepository]:
    found = [row for row in repositories if (name or "").lower() in row.name.lower()]
    newest_first = sorted(found, key=lambda repository: -repository.id)
    column, descending = sort or ("id", True)
    return sorted(newest_first, key=lambda repository: getattr(repository, column), reverse=descending)


# Details and tags

DETAILS: Final = Type(
    "ContainerRepositoryDetails",
    "An image repository with its tags.",
    gid="ContainerRepository",
    since=_SINCE,
    base=REPOSITORY,
)
_REFERRERS: Final = "<=16.9"


@frozen
class Referrer:
    """What belongs to the image of a tag."""

    tag: ContainerTag
    digest: str
    artifact_type: str | None


TAG: Final = Type("ContainerRepositoryTag", "A tag of an image repository.", since=_SINCE)
Scalar("ContainerRepositoryID", "The global ID of an image repository.", since=_SINCE)
TAG.attributes(
    {
        "name: String!": "The name.",
        "digest: String": "The digest.",
        "revision: String": "The revision.",
        "createdAt: Time": "Timestamp of creation.",
    }
)


@DETAILS.field("size: Float", since="<=14.10")
def size_of(_ctx: ReadContext, _repository: ContainerRepository) -> float | None:
    """The number of bytes, which only the hosted offering counts."""
    return None


@DETAILS.field("lastPublishedAt: Time", since="<=18.5")
def last_published_at(ctx: ReadContext, repository: ContainerRepository) -> str | None:
    """Timestamp of the newest image."""
    times = [tag.created_at for tag in container_repositories.list_tags(ctx.world, repository) if tag.created_at]
    return max(times, default=None)


_BY_UPLOAD: Final = Lifetime(since="<=18.5")
Enumeration(
    "ContainerRepositoryTagSort",
    "The order of tags.",
    {
        "NAME_ASC": (("name", False), "By name, from A to Z."),
        "NAME_DESC": (("name", True), "By name, from Z to A."),
        "PUBLISHED_AT_ASC": (("created_at", False), "By upload, oldest first.", _BY_UPLOAD),
        "PUBLISHED_AT_DESC": (("created_at", True), "By upload, newest first.", _BY_UPLOAD),
    },
    since="<=14.9",
)


@DETAILS.field(
    'tags(name: String, sort: ContainerRepositoryTagSort @lifetime(since: "<=14.9")): ContainerRepositoryTagConnection'
)
def tags_of(
    ctx: ReadContext, repository: ContainerRepository, name: str | None = None, sort: tuple[str, bool] | None = None
) -> Sequence[ContainerTag]:
    """The tags whose names contain a text."""
    found = [tag for tag in container_repositories.list_tags(ctx.world, repository) if (name or "") in tag.name]
    column, descending = sort or ("", False)
    return sorted(found, key=lambda tag: getattr(tag, column) or "", reverse=descending) if column else found


TAG_PERMISSIONS: Final = Type("ContainerRepositoryTagPermissions", "What the caller may do with a tag.", since="<=16.9")


@TAG.field("userPermissions: ContainerRepositoryTagPermissions!", since="<=16.9")
def permissions_of_tag(_ctx: ReadContext, tag: ContainerTag) -> ContainerTag:
    """What the caller may do."""
    return tag


@TAG_PERMISSIONS.field("destroyContainerRepositoryTag: Boolean!")
@TAG.field("canDelete: Boolean!", until="<=18.2")
def may_delete_tag(ctx: ReadContext, tag: ContainerTag) -> bool:
    """Whether the caller may delete it."""
    return may_delete(ctx, _of_tag(ctx, tag))


def _of_tag(ctx: ReadContext, tag: ContainerTag) -> ContainerRepository:
    return ctx.world.container_repositories[tag.repository_id]


@TAG.field("path: String!")
def path_of_tag(ctx: ReadContext, tag: ContainerTag) -> str:
    """The path."""
    return f"{path(ctx, _of_tag(ctx, tag))}:{tag.name}"


@TAG.field("location: String!")
def location_of_tag(ctx: ReadContext, tag: ContainerTag) -> str:
    """The address as docker takes it."""
    return f"{location(ctx, _of_tag(ctx, tag))}:{tag.name}"


@TAG.field("shortRevision: String")
def short_revision(_ctx: ReadContext, tag: ContainerTag) -> str | None:
    """The beginning of the revision."""
    return tag.revision[:9] if tag.revision is not None else None


@TAG.field("totalSize: BigInt", since="14.0")
def total_size(_ctx: ReadContext, tag: ContainerTag) -> int:
    """The number of bytes of all layers."""
    return tag.total_size


@TAG.field("publishedAt: Time", since="<=16.9")
def published_at(_ctx: ReadContext, tag: ContainerTag) -> str | None:
    """Timestamp of the upload."""
    return tag.created_at


@TAG.field("mediaType: String", since="<=18.5")
def media_type(ctx: ReadContext, tag: ContainerTag) -> str | None:
    """The media type of the manifest."""
    manifest = ctx.world.image_manifests.find("digest", (tag.repository_id, tag.digest))
    return manifest.media_type if manifest is not None else None


REFERRER: Final = Type(
    "ContainerRepositoryReferrer", "What belongs to an image, such as a signature.", since=_REFERRERS
)


@TAG.field("referrers: [ContainerRepositoryReferrer!]", since=_REFERRERS)
def referrers_of(ctx: ReadContext, tag: ContainerTag) -> Sequence[Referrer]:
    """What belongs to the image."""
    found = image_manifests.list_referrers(ctx.world, _of_tag(ctx, tag), tag.digest)
    return [Referrer(tag, each["digest"], each.get("artifactType")) for each in found]


REFERRER.attributes({"digest: String": "The digest.", "artifactType: String": "The type."})


@REFERRER.field("userPermissions: ContainerRepositoryTagPermissions!", since="<=18.9")
def permissions_of_referrer(_ctx: ReadContext, referrer: Referrer) -> ContainerTag:
    """What the caller may do with the tag of the image."""
    return referrer.tag


def _find(ctx: ReadContext, text: str, ability: Ability) -> ContainerRepository | None:
    repository = ctx.world.container_repositories.get(parse_id(ctx, text, "ContainerRepository"))
    allowed = repository is not None and can(ctx, ability, ctx.world.projects[repository.project_id])
    return repository if allowed else None


@QUERY.field("containerRepository(id: ContainerRepositoryID!): ContainerRepositoryDetails", since=_SINCE)
def find_repository(ctx: ReadContext, id: str) -> ContainerRepository | None:
    """The image repository with a global ID."""
    return _find(ctx, id, Ability.READ_CONTAINER_IMAGE)


def _get(ctx: ReadContext, text: str, ability: Ability) -> ContainerRepository:
    """Return the image repository with a global id, for which the caller has an ability."""
    repository = _find(ctx, text, ability)
    if repository is None:
        raise ResourceNotAvailable(lambda: f"{text} does not exist, or {caller_name(ctx)} may not delete it")
    return repository


@mutation(
    "destroyContainerRepository",
    input_fields='"""The global ID."""\nid: ContainerRepositoryID!',
    payload_fields='"""The image repository."""\ncontainerRepository: ContainerRepository!',
    since=_SINCE,
)
def destroy_repository(ctx: WriteContext, id: str) -> Mapping[str, Any]:
    """Delete an image repository and its tags in the background."""
    repository = _get(ctx, id, Ability.DESTROY_CONTAINER_IMAGE)
    return {"container_repository": container_repositories.schedule_deletion(ctx, repository)}


@mutation(
    "destroyContainerRepositoryTags",
    input_fields='''
"""The global ID."""
id: ContainerRepositoryID!
"""The names of the tags."""
tagNames: [String!]!
''',
    payload_fields='"""The names of the deleted tags."""\ndeletedTagNames: [String!]!',
    since="<=13.8",
)
def destroy_tags(ctx: WriteContext, id: str, tag_names: Sequence[str]) -> Mapping[str, Any]:
    """Delete tags of an image repository, at most 20."""
    if len(tag_names) > _MOST_TAGS:
        raise GraphQLError(f"Number of tags is greater than {_MOST_TAGS}")
    repository = _get(ctx, id, Ability.DESTROY_CONTAINER_IMAGE)
    found = {tag.name: tag for tag in container_repositories.list_tags(ctx.world, repository)}
    missing = [name for name in tag_names if name not in found]
    if missing:
        return {"deleted_tag_names": [], "errors": [f"could not delete tags: {', '.join(missing)}"]}
    project = ctx.world.projects[repository.project_id]
    tags = tag_protection_rules.select_unprotected(ctx, project, [found[name] for name in tag_names], by_policy=False)
    if tag_names and not tags:
        return {"deleted_tag_names": [], "errors": ["cannot delete protected tag(s)"]}
    for tag in tags:
        container_repositories.delete_tag(ctx, tag)
    return {"deleted_tag_names": [tag.name for tag in tags]}
