"""Receivers of deletions of records of any kind, in the order of calls."""

from fakeplat.domain import signals
from fakeplat.domain.audit import credential_recorders, delivery_recorders, recorders
from fakeplat.domain.epics import epic_boards
from fakeplat.domain.hooks import system_hooks
from fakeplat.domain.mail import receivers as mail
from fakeplat.domain.merge_requests import reassignment
from fakeplat.domain.notes import todos
from fakeplat.domain.people import members, tokens
from fakeplat.domain.planning import boards
from fakeplat.domain.projects import deploy_keys
from fakeplat.model.ci import CiVariable
from fakeplat.model.deployments import FeatureFlag
from fakeplat.model.epics import EpicBoardList
from fakeplat.model.people import AccessRequest, Email, GpgKey, Group, SshKey, Token, User
from fakeplat.model.planning import BoardList
from fakeplat.model.projects import DeployKey, DeployKeyProject, DeployToken, Member, Project, Share
from fakeplat.model.repository import ProtectedBranch

signals.pre_delete.connect(Member, members.record_seats_before_removal)
signals.pre_delete.connect(
    Project, reassignment.handle_source_deletion, recorders.record_deletion, system_hooks.execute_deleted_project
)
signals.pre_delete.connect(Group, recorders.record_deletion, system_hooks.execute_deleted_group)
signals.pre_delete.connect(User, recorders.record_deletion, system_hooks.execute_deleted_user)
signals.pre_delete.connect(SshKey, system_hooks.execute_deleted_key)
signals.pre_delete.connect(DeployKey, system_hooks.execute_deleted_key)
signals.post_delete.connect(BoardList, boards.close_gap)
signals.post_delete.connect(EpicBoardList, epic_boards.close_gap)
signals.post_delete.connect(DeployKeyProject, deploy_keys.delete_orphan)
signals.post_delete.connect(Token, tokens.delete_bot)
signals.post_remove.connect(AccessRequest, mail.mail_removed_access_request, todos.finish_access_request)
signals.post_remove.connect(DeployKeyProject, recorders.record_deploy_key_removal)
signals.post_remove.connect(Member, recorders.record_member_removal, system_hooks.execute_removed_member)
signals.post_remove.connect(Share, recorders.record_share_removal)
signals.post_remove.connect(ProtectedBranch, recorders.record_protection_removal)
signals.post_remove.connect(Token, credential_recorders.record_token_removal)
signals.post_remove.connect(DeployToken, credential_recorders.record_deploy_token_removal)
signals.post_remove.connect(FeatureFlag, delivery_recorders.record_feature_flag_removal)
signals.post_remove.connect(CiVariable, credential_recorders.record_variable_removal)
signals.post_remove.connect(SshKey, credential_recorders.record_ssh_key_removal)
signals.post_remove.connect(GpgKey, credential_recorders.record_gpg_key_removal)
signals.post_remove.connect(Email, credential_recorders.record_email_removal)
