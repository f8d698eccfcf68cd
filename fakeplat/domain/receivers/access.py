"""Receivers of new and changed keys, deploy tokens, variables and other access, in the order of calls."""

from fakeplat.domain import signals
from fakeplat.domain.audit import credential_recorders, delivery_recorders, recorders
from fakeplat.domain.hooks import system_hooks
from fakeplat.domain.mail import daily_jobs
from fakeplat.domain.mail import receivers as mail
from fakeplat.domain.notes import todos
from fakeplat.model.ci import CiVariable
from fakeplat.model.deployments import FeatureFlag
from fakeplat.model.people import AccessRequest, Email, GpgKey, Invitation, SshKey
from fakeplat.model.projects import DeployKey, DeployKeyProject, DeployToken, Share
from fakeplat.model.repository import ProtectedBranch

signals.post_create.connect(AccessRequest, mail.mail_access_request, todos.add_access_request)
signals.post_create.connect(Invitation, mail.mail_invitation)
signals.post_create.connect(Email, credential_recorders.record_email, mail.mail_new_address)
signals.post_create.connect(GpgKey, credential_recorders.record_gpg_key, mail.mail_new_key)
signals.post_create.connect(DeployToken, credential_recorders.record_deploy_token)
signals.post_create.connect(CiVariable, credential_recorders.record_variable)
signals.post_create.connect(Share, recorders.record_share)
signals.post_create.connect(ProtectedBranch, recorders.record_protection)
signals.post_create.connect(
    SshKey,
    credential_recorders.record_ssh_key,
    system_hooks.execute_new_key,
    mail.mail_new_key,
    daily_jobs.schedule_key,
)
signals.post_create.connect(DeployKey, system_hooks.execute_new_key)
signals.post_create.connect(DeployKeyProject, recorders.record_deploy_key)
signals.post_create.connect(FeatureFlag, delivery_recorders.record_feature_flag)
signals.post_change.connect(FeatureFlag, delivery_recorders.record_feature_flag_change)
signals.post_change.connect(CiVariable, credential_recorders.record_variable_change)
