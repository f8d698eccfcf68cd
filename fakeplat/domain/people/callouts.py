"""Hints of the interface that users dismissed, also for one group. Source: docs/platform/users.md ('Callouts')."""

from collections.abc import Iterator, Mapping
from typing import Final

from fakeplat.core.release import ALWAYS, Lifetime, Profile
from fakeplat.domain.validation import BLANK, ValidationErrors
from fakeplat.model.people import Callout, Group, User
from fakeplat.model.world import World
from fakeplat.policy.behaviours import CALLOUTS_STAY_DISMISSED
from fakeplat.policy.context import WriteContext

_FIRST: Final = """
gke_cluster_integration gcp_signup_offer cluster_security_warning ultimate_trial geo_enable_hashed_storage
geo_migrate_hashed_storage canary_deployment gold_trial_billings suggest_popover_dismissed
tabs_position_highlight threat_monitoring_info web_ide_alert_dismissed active_user_count_threshold
buy_pipeline_minutes_notification_dot personal_access_token_expiry suggest_pipeline feature_flags_new_version
registration_enabled_callout new_user_signups_cap_reached unfinished_tag_cleanup_callout pipeline_needs_banner
pipeline_needs_hover_tip web_ide_ci_environments_guidance
"""
_UNTIL_16: Final = """
account_recovery_regular_check webhooks_moved service_templates_deprecated_callout customize_homepage
"""
_UNTIL_17: Final = """
eoa_bronze_plan_banner
"""
_FROM_16: Final = """
two_factor_auth_recovery_settings_check security_configuration_upgrade_banner trial_status_reminder_d14
trial_status_reminder_d3 security_configuration_devops_alert profile_personal_access_token_expiry
terraform_notification_dismissed security_newsletter_callout verification_reminder
ci_deprecation_warning_for_types_keyword security_training_feature_promotion
namespace_storage_pre_enforcement_banner preview_user_over_limit_free_plan_alert
user_reached_limit_free_plan_alert submit_license_usage_data_banner personal_project_limitations_banner
mr_experience_survey project_quality_summary_feedback new_top_level_group_alert branch_rules_info_callout
"""
_ONLY_16: Final = """
cloud_licensing_subscription_activation_banner namespace_storage_limit_banner_info_threshold
namespace_storage_limit_banner_warning_threshold namespace_storage_limit_banner_alert_threshold
namespace_storage_limit_banner_error_threshold merge_request_settings_moved_callout
artifacts_management_page_feedback_banner vscode_web_ide vscode_web_ide_callout create_runner_workflow_banner
"""
_FROM_17: Final = """
ci_minutes_limit_alert_warning_stage ci_minutes_limit_alert_danger_stage ci_minutes_limit_alert_exceeded_stage
namespace_storage_limit_alert_warning_threshold namespace_storage_limit_alert_alert_threshold
namespace_storage_limit_alert_error_threshold project_repository_limit_alert_warning_threshold
namespace_over_storage_users_combined_alert vsd_feedback_banner security_policy_protected_branch_modification
vulnerability_report_grouping duo_chat_callout product_analytics_dashboard_feedback joining_a_project_alert
transition_to_jihu_callout deployment_details_feedback deployment_approvals_empty_state
period_in_terraform_state_name_alert work_item_epic_feedback branch_rules_tip_callout openssl_callout
new_mr_dashboard_banner planner_role_callout pipl_compliance_alert new_merge_request_dashboard_welcome
"""
_OF_GROUPS: Final = """
invite_members_banner approaching_seat_count_threshold namespace_storage_pre_enforcement_banner
ci_minutes_limit_alert_warning_stage ci_minutes_limit_alert_danger_stage ci_minutes_limit_alert_exceeded_stage
preview_user_over_limit_free_plan_alert user_reached_limit_free_plan_alert free_group_limited_alert
namespace_storage_limit_alert_warning_threshold namespace_storage_limit_alert_alert_threshold
namespace_storage_limit_alert_error_threshold usage_quota_trial_alert preview_usage_quota_free_plan_alert
enforcement_at_limit_alert web_hook_disabled unlimited_members_during_trial_alert
project_repository_limit_alert_warning_threshold namespace_over_storage_users_combined_alert
all_seats_used_alert compliance_framework_settings_moved_callout expired_duo_pro_trial_widget
expired_duo_enterprise_trial_widget expired_trial_status_widget
"""
_NAMES_BY_LIFETIME: Final[Mapping[str, Lifetime]] = {
    _FIRST: ALWAYS,
    _UNTIL_16: Lifetime(until="<=16.0"),
    _UNTIL_17: Lifetime(until="<=17.9"),
    _FROM_16: Lifetime(since="<=16.0"),
    _ONLY_16: Lifetime(since="<=16.0", until="<=17.9"),
    _FROM_17: Lifetime(since="<=17.9"),
}
FEATURES: Final[Mapping[str, Lifetime]] = {
    name: lifetime for names, lifetime in _NAMES_BY_LIFETIME.items() for name in names.split()
}
"""The names of hints, and the releases that are known to have them."""
GROUP_FEATURES: Final[Mapping[str, Lifetime]] = dict.fromkeys(_OF_GROUPS.split(), ALWAYS)
"""The names of hints for one group."""
_UNKNOWN: Final = "is not included in the list"


def list_callouts(world: World, user: User, *, groups: bool) -> Iterator[Callout]:
    """Yield the hints that a user dismissed, everywhere or for single groups."""
    return (each for each in world.callouts.where("user", user.id) if (each.group_id is not None) is groups)


def dismiss(ctx: WriteContext, user: User, name: str, group: Group | None = None) -> Callout:
    """Dismiss a hint for a user, or refuse an unknown one with 400."""
    _list_errors(ctx.profile, name, GROUP_FEATURES if group is not None else FEATURES).refuse()
    table, group_id = ctx.world.callouts, group.id if group is not None else None
    existing = table.find("name", (user.id, group_id, name))
    if existing is None:
        return table.add(Callout(table.next_id(), user.id, name, ctx.now_iso, group_id))
    stays = ctx.profile.has(CALLOUTS_STAY_DISMISSED)
    return existing if stays else table.change(existing, dismissed_at=ctx.now_iso)


def _list_errors(profile: Profile, name: str, known: Mapping[str, Lifetime]) -> ValidationErrors:
    errors = ValidationErrors()
    if name not in known or not profile.has(known[name]):
        errors.add("feature_name", BLANK)
        errors.add("feature_name", _UNKNOWN)
    return errors
