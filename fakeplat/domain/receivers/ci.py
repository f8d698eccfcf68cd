"""Receivers of what happens to jobs, pipelines, deployments and feature flags, in the order of calls."""

from fakeplat.domain import signals
from fakeplat.domain.ci import bridges, playback, project_subscriptions, resource_groups
from fakeplat.domain.deployments import environment_stops, job_deployments
from fakeplat.domain.hooks import ci_hooks
from fakeplat.domain.mail import receivers as mail
from fakeplat.domain.merge_requests import auto_merge, merge_train_runs
from fakeplat.domain.pages_domains import page_deployments
from fakeplat.domain.people import tokens

signals.jobs_created.connect(
    job_deployments.create_environments, resource_groups.create_groups, ci_hooks.execute_new_jobs
)
signals.job_status_changed.connect(
    ci_hooks.execute_job,
    playback.play_queued_job,
    bridges.start_queued_bridge,
    tokens.revoke_job_tokens,
    job_deployments.follow_job,
    environment_stops.follow_stop_job,
    resource_groups.release,
    page_deployments.follow_job,
)
signals.pipeline_status_changed.connect(
    ci_hooks.execute_pipeline,
    mail.mail_pipeline,
    auto_merge.handle_pipeline_status,
    merge_train_runs.handle_pipeline_status,
    bridges.follow_downstream,
    bridges.follow_mirrored,
    project_subscriptions.follow_pipeline,
)
signals.deployment_status_changed.connect(ci_hooks.execute_deployment)
signals.feature_flag_switched.connect(ci_hooks.execute_feature_flag)
