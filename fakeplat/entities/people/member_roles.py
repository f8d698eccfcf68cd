"""Views of custom roles. Source: docs/platform/project-members.md."""

from fakeplat.core.operations.entity import Entity, attr, computed
from fakeplat.model.people import MemberRole


class MemberRoleView(Entity[MemberRole]):
    """A custom role with all of its permissions."""

    id = attr()
    name = attr()
    description = attr()
    base_access_level = attr()

    @computed
    def group_id(self) -> None:
        return None

    admin_cicd_variables = attr()
    admin_compliance_framework = attr()
    admin_group_member = attr()
    admin_merge_request = attr()
    admin_push_rules = attr()
    admin_terraform_state = attr()
    admin_vulnerability = attr()
    admin_web_hook = attr()
    archive_project = attr()
    manage_deploy_tokens = attr()
    manage_group_access_tokens = attr()
    manage_merge_request_settings = attr()
    manage_project_access_tokens = attr()
    manage_security_policy_link = attr()
    read_code = attr()
    read_dependency = attr()
    read_runners = attr()
    read_vulnerability = attr()
    remove_group = attr()
    remove_project = attr()
