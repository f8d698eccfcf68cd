"""Views of push rules."""

from fakeplat.core.operations.entity import Entity, attr, computed
from fakeplat.model.push_rules import PushRule


class GroupPushRuleView(Entity[PushRule]):
    """The push rule of a group."""

    id = attr()
    created_at = attr()
    commit_message_regex = attr()
    commit_message_negative_regex = attr()
    branch_name_regex = attr()
    deny_delete_tag = attr()
    member_check = attr()
    prevent_secrets = attr()
    author_email_regex = attr()
    file_name_regex = attr()
    max_file_size = attr()
    commit_committer_check = attr()
    reject_unsigned_commits = attr()


class ProjectPushRuleView(GroupPushRuleView):
    """The push rule of a project, with the project's id."""

    @computed
    def project_id(self) -> int:
        return self.record.source[1]
