"""What the caller may do in projects and groups. Source: docs/platform/graphql.md, docs/platform/project-members.md."""

from collections.abc import Mapping
from typing import Final

from fakeplat.domain.customer_relations import crm_access
from fakeplat.graphql.people.groups import GROUP
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Type
from fakeplat.model.people import Group
from fakeplat.model.projects import Container, Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext

OF_PROJECT: Final = Type("ProjectPermissions", "What the caller may do in a project.")
OF_GROUP: Final = Type("GroupPermissions", "What the caller may do in a group.")


@PROJECT.field("userPermissions: ProjectPermissions!")
def permissions_in_project(_ctx: ReadContext, project: Project) -> Project:
    """What the caller may do."""
    return project


@GROUP.field("userPermissions: GroupPermissions!")
def permissions_in_group(_ctx: ReadContext, group: Group) -> Group:
    """What the caller may do."""
    return group


def _permit(type_: Type, abilities: Mapping[str, Ability], since: str = "") -> None:
    for name, ability in abilities.items():
        _permit_one(type_, name, ability, since)


def _permit_one(type_: Type, name: str, ability: Ability, since: str) -> None:
    def may(ctx: ReadContext, container: Container) -> bool:
        return can(ctx, ability, container)

    type_.field(f"{name}: Boolean!", since=since, description=f"Whether the caller has {ability.value}.")(may)


_permit(
    OF_PROJECT,
    {
        "adminOperations": Ability.ADMIN_OPERATIONS,
        "adminProject": Ability.ADMIN_PROJECT,
        "adminRemoteMirror": Ability.ADMIN_REMOTE_MIRROR,
        "archiveProject": Ability.ARCHIVE_PROJECT,
        "changeNamespace": Ability.CHANGE_NAMESPACE,
        "changeVisibilityLevel": Ability.CHANGE_VISIBILITY,
        "adminWiki": Ability.ADMIN_WIKI,
        "createDeployment": Ability.CREATE_DEPLOYMENT,
        "createIssue": Ability.CREATE_ISSUE,
        "createMergeRequestFrom": Ability.CREATE_MERGE_REQUEST_FROM,
        "createMergeRequestIn": Ability.CREATE_MERGE_REQUEST_IN,
        "createPipelineSchedule": Ability.CREATE_PIPELINE_SCHEDULE,
        "createWiki": Ability.CREATE_WIKI,
        "destroyWiki": Ability.ADMIN_WIKI,
        "downloadWikiCode": Ability.DOWNLOAD_WIKI_CODE,
        "updatePages": Ability.UPDATE_PAGES,
        "updateWiki": Ability.CREATE_WIKI,
        "createLabel": Ability.ADMIN_LABEL,
        "createPipeline": Ability.CREATE_PIPELINE,
        "createSnippet": Ability.CREATE_SNIPPET,
        "downloadCode": Ability.DOWNLOAD_CODE,
        "forkProject": Ability.FORK_PROJECT,
        "pushCode": Ability.PUSH_CODE,
        "readCommitStatus": Ability.READ_COMMIT_STATUS,
        "readMergeRequest": Ability.READ_MERGE_REQUESTS,
        "readProject": Ability.READ_PROJECT,
        "readProjectMember": Ability.READ_MEMBERS,
        "readWiki": Ability.READ_WIKI,
        "removeForkProject": Ability.REMOVE_FORK,
        "removeProject": Ability.REMOVE_PROJECT,
        "renameProject": Ability.RENAME_PROJECT,
        "uploadFile": Ability.UPLOAD_FILE,
    },
)
_permit(OF_PROJECT, {"adminPathLocks": Ability.ADMIN_PROJECT}, "<=14.0")
_permit(OF_PROJECT, {"readEnvironment": Ability.READ_ENVIRONMENT}, "<=15.8")
_permit(
    OF_PROJECT,
    {
        "adminAllResources": Ability.READ_ALL_RESOURCES,
        "adminIssue": Ability.ADMIN_ISSUE,
        "createWorkItem": Ability.CREATE_ISSUE,
        "viewEditPage": Ability.ADMIN_PROJECT,
    },
    "<=18.5",
)
_permit(OF_GROUP, {"readGroup": Ability.READ_GROUP})
_permit(OF_GROUP, {"createCustomEmoji": Ability.CREATE_CUSTOM_EMOJI}, "<=18.2")


def _permit_customers(name: str, ability: Ability) -> None:
    def may(ctx: ReadContext, group: Group) -> bool:
        return crm_access.may(ctx, ability, group)

    OF_GROUP.field(f"{name}: Boolean!", since="<=18.2", description=f"Whether the caller has {ability.value}.")(may)


_permit_customers("readCrmContact", Ability.READ_CRM_CONTACT)
_permit_customers("readCrmOrganization", Ability.READ_CRM_ORGANIZATION)
_permit(OF_GROUP, {"createProjects": Ability.CREATE_PROJECTS}, "<=14.3")
_permit(
    OF_GROUP,
    {
        "adminAllResources": Ability.READ_ALL_RESOURCES,
        "removeGroup": Ability.REMOVE_GROUP,
        "viewEditPage": Ability.ADMIN_GROUP,
    },
    "<=18.5",
)
_permit(OF_GROUP, {"archiveGroup": Ability.ARCHIVE_GROUP}, "18.3")
