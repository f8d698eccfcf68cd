"""Receivers of new and changed users, groups, projects, members and tokens, and of sign-ins, in the order of calls."""

from fakeplat.domain import signals
from fakeplat.domain.audit import credential_recorders, recorders
from fakeplat.domain.hooks import system_hooks
from fakeplat.domain.mail import daily_jobs
from fakeplat.domain.mail import receivers as mail
from fakeplat.domain.people import invitations
from fakeplat.model.people import Group, Token, User
from fakeplat.model.projects import Member, Project

signals.post_create.connect(Project, recorders.record_creation, system_hooks.execute_new_project)
signals.post_create.connect(Group, recorders.record_creation, system_hooks.execute_new_group)
signals.post_create.connect(
    User, recorders.record_creation, system_hooks.execute_new_user, invitations.accept_invitations
)
signals.post_create.connect(Member, recorders.record_member, system_hooks.execute_new_member, mail.mail_new_member)
signals.post_create.connect(Token, credential_recorders.record_token, daily_jobs.schedule_token)
signals.post_change.connect(
    Project, recorders.record_project_change, system_hooks.execute_changed_project, mail.mail_changed_project
)
signals.post_change.connect(Group, recorders.record_group_change, system_hooks.execute_changed_group)
signals.post_change.connect(
    User,
    recorders.record_user_change,
    system_hooks.execute_changed_user,
    mail.mail_changed_user,
    invitations.accept_invitations_of_change,
)
signals.post_change.connect(
    Member, recorders.record_member_change, system_hooks.execute_changed_member, mail.mail_changed_member
)
signals.post_change.connect(Token, credential_recorders.record_token_change)
signals.signed_in.connect(credential_recorders.record_sign_in)
signals.sign_in_failed.connect(credential_recorders.record_failed_sign_in)
signals.account_created.connect(mail.mail_new_user)
signals.achievement_awarded.connect(mail.mail_achievement)
signals.password_forgotten.connect(mail.mail_forgotten_password)
signals.sign_in_refused.connect(system_hooks.execute_refused_sign_in)
signals.export_finished.connect(mail.mail_export)
