"""What the caller may do in projects and groups. Source: docs/platform/graphql.md, docs/platform/project-members.md."""

from collections.abc import Mapping
from typing import Final

from fakeplat.domain.customer_relations import crm_access
from fakeplat.domain.people import access_requests, members
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


def permit(type_: Type, abilities: Mapping[str, Ability], since: str = "") -> None:
    """Declare fields that tell whether the caller has an ability in a project or group."""
    for name, ability in abilities.items():
        _permit_one(type_, name, ability, since)


def _permit_one(type_: Type, name: str, ability: Ability, since: str) -> None:
    def may(ctx: ReadContext, container: Container) -> bool:
        return can(ctx, ability, container)

    type_.field(f"{name}: Boolean!", since=since, description=f"Whether the caller has {ability.value}.")(may)


permit(
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
        "createPages": Ability.CREATE_PAGES,
        "createWiki": Ability.CREATE_WIKI,
        "destroyPages": Ability.CREATE_PAGES,
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
        "pushToDeleteProtectedBranch": Ability.PUSH_TO_DELETE_PROTECTED,
        "readCommitStatus": Ability.READ_COMMIT_STATUS,
        "readCycleAnalytics": Ability.READ_CYCLE_ANALYTICS,
        "readMergeRequest": Ability.READ_MERGE_REQUESTS,
        "readPagesContent": Ability.READ_PAGES_CONTENT,
        "readProject": Ability.READ_PROJECT,
        "readProjectMember": Ability.READ_MEMBERS,
        "readWiki": Ability.READ_WIKI,
        "removeForkProject": Ability.REMOVE_FORK,
        "removePages": Ability.REMOVE_PAGES,
        "removeProject": Ability.REMOVE_PROJECT,
        "renameProject": Ability.RENAME_PROJECT,
        "uploadFile": Ability.UPLOAD_FILE,
    },
)
permit(
    OF_PROJECT,
    {
        "createDesign": Ability.CREATE_DESIGN,
        "destroyDesign": Ability.CREATE_DESIGN,
        "readDesign": Ability.READ_DESIGN,
    },
    "<=13.12",
)
permit(OF_PROJECT, {"adminPathLocks": Ability.ADMIN_PROJECT}, "<=14.0")
permit(OF_PROJECT, {"readEnvironment": Ability.READ_ENVIRONMENT}, "<=15.8")
permit(
    OF_PROJECT,
    {
        "adminAllResources": Ability.READ_ALL_RESOURCES,
        "adminIssue": Ability.ADMIN_ISSUE,
        "createWorkItem": Ability.CREATE_ISSUE,
        "importIssues": Ability.IMPORT_ISSUES,
        "moveDesign": Ability.MOVE_DESIGN,
        "updateDesign": Ability.CREATE_DESIGN,
        "viewEditPage": Ability.ADMIN_PROJECT,
    },
    "<=18.5",
)
permit(
    OF_PROJECT,
    {
        "createPathLock": Ability.PUSH_CODE,
        "readCrmContact": Ability.READ_CRM_CONTACT,
        "readCrmOrganization": Ability.READ_CRM_ORGANIZATION,
        "readPathLocks": Ability.DOWNLOAD_CODE,
    },
    "<=18.2",
)


@OF_PROJECT.field("requestAccess: Boolean!")
def may_request_access(ctx: ReadContext, project: Project) -> bool:
    """Whether the caller, who has no role, may request access."""
    return access_requests.can_request(ctx, project)


@OF_PROJECT.field("canLeave: Boolean!", since="<=18.9")
@OF_GROUP.field("canLeave: Boolean!", since="<=18.5")
def may_leave(ctx: ReadContext, container: Project | Group) -> bool:
    """Whether the caller is a direct member and may end the membership."""
    return members.can_leave(ctx, container)


permit(OF_GROUP, {"readGroup": Ability.READ_GROUP})
permit(OF_GROUP, {"createCustomEmoji": Ability.CREATE_CUSTOM_EMOJI}, "<=18.2")


def _permit_customers(name: str, ability: Ability) -> None:
    def may(ctx: ReadContext, group: Group) -> bool:
        return crm_access.may(ctx, ability, group)

    OF_GROUP.field(f"{name}: Boolean!", since="<=18.2", description=f"Whether the caller has {ability.value}.")(may)


_permit_customers("readCrmContact", Ability.READ_CRM_CONTACT)
_permit_customers("readCrmOrganization", Ability.READ_CRM_ORGANIZATION)
permit(OF_GROUP, {"createProjects": Ability.CREATE_PROJECTS}, "<=14.3")
permit(
    OF_GROUP,
    {
        "adminAllResources": Ability.READ_ALL_RESOURCES,
        "adminIssue": Ability.ADMIN_ISSUE,
        "removeGroup": Ability.REMOVE_GROUP,
        "viewEditPage": Ability.ADMIN_GROUP,
    },
    "<=18.5",
)
permit(OF_GROUP, {"archiveGroup": Ability.ARCHIVE_GROUP}, "18.3")
