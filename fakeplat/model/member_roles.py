"""Custom roles: a level with further permissions."""

from typing import Literal

from fakeplat.core.store.frozen import frozen

BaseLevel = Literal[10, 15, 20, 30, 40, 50]


@frozen
class MemberRole:
    """A role of the instance, which adds permissions to those of its ``base_access_level``."""

    id: int
    name: str
    base_access_level: BaseLevel
    created_at: str
    description: str | None = None
    admin_cicd_variables: bool = False
    admin_compliance_framework: bool = False
    admin_group_member: bool = False
    admin_merge_request: bool = False
    admin_push_rules: bool = False
    admin_terraform_state: bool = False
    admin_vulnerability: bool = False
    admin_web_hook: bool = False
    archive_project: bool = False
    manage_deploy_tokens: bool = False
    manage_group_access_tokens: bool = False
    manage_merge_request_settings: bool = False
    manage_project_access_tokens: bool = False
    manage_security_policy_link: bool = False
    read_code: bool = False
    read_dependency: bool = False
    read_runners: bool = False
    read_vulnerability: bool = False
    remove_group: bool = False
    remove_project: bool = False
