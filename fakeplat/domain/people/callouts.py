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
gke_cluster_integration cluster_security_warning ultimate_trial geo_enable_hashed_storage geo_migrate_hashed_storage
canary_deployment gold_trial_billings suggest_popover_dismissed tabs_position_highlight threat_monitoring_info
web_ide_alert_dismissed active_user_count_threshold buy_pipeline_minutes_notification_dot
personal_access_token_expiry suggest_pipeline feature_flags_new_version registration_enabled_callout
new_user_signups_cap_reached unfinished_tag_cleanup_callout pipeline_needs_banner pipeline_needs_hover_tip
web_ide_ci_environments_guidance
"""
_UNTIL_16: Final = """
account_recovery_regular_check webhooks_moved service_templates_deprecated_callout customize_homepage
"""
_UNTIL_17: Final = """
eoa_bronze_plan_banner
"""
_UNTIL_18: Final = """
gcp_signup_offer
"""
_UNTIL_16_2: Final = """
admin_integrations_moved service_templates_deprecated
"""
_FROM_14_TO_16: Final = """
attention_requests_side_nav attention_requests_top_nav storage_enforcement_banner_first_enforcement_threshold
storage_enforcement_banner_fourth_enforcement_threshold storage_enforcement_banner_second_enforcement_threshold
storage_enforcement_banner_third_enforcement_threshold
"""
_FROM_16: Final = """
two_factor_auth_recovery_settings_check security_configuration_upgrade_banner trial_status_reminder_d14
trial_status_reminder_d3 security_configuration_devops_alert profile_personal_access_token_expiry
verification_reminder ci_deprecation_warning_for_types_keyword namespace_storage_pre_enforcement_banner
preview_user_over_limit_free_plan_alert user_reached_limit_free_plan_alert submit_license_usage_data_banner
personal_project_limitations_banner
"""
_ONLY_16: Final = """
cloud_licensing_subscription_activation_banner namespace_storage_limit_banner_info_threshold
namespace_storage_limit_banner_warning_threshold namespace_storage_limit_banner_alert_threshold
namespace_storage_limit_banner_error_threshold merge_request_settings_moved_callout
artifacts_management_page_feedback_banner vscode_web_ide vscode_web_ide_callout create_runner_workflow_banner
"""
_FROM_16_TO_18: Final = """
terraform_notification_dismissed security_newsletter_callout security_training_feature_promotion
mr_experience_survey project_quality_summary_feedback new_top_level_group_alert branch_rules_info_callout
"""
_FROM_16_2_TO_18: Final = """
code_suggestions_third_party_callout new_navigation_callout project_repository_limit_alert_alert_threshold
project_repository_limit_alert_error_threshold
"""
_FROM_17: Final = """
ci_minutes_limit_alert_warning_stage ci_minutes_limit_alert_danger_stage ci_minutes_limit_alert_exceeded_stage
namespace_storage_limit_alert_warning_threshold namespace_storage_limit_alert_alert_threshold
namespace_storage_limit_alert_error_threshold project_repository_limit_alert_warning_threshold
namespace_over_storage_users_combined_alert vsd_feedback_banner security_policy_protected_branch_modification
vulnerability_report_grouping duo_chat_callout joining_a_project_alert transition_to_jihu_callout
period_in_terraform_state_name_alert work_item_epic_feedback branch_rules_tip_callout openssl_callout
pipl_compliance_alert
"""
_FROM_17_TO_18: Final = """
product_analytics_dashboard_feedback deployment_details_feedback deployment_approvals_empty_state
new_mr_dashboard_banner planner_role_callout new_merge_request_dashboard_welcome
"""
_FROM_18: Final = """
duo_amazon_q_alert duo_panel_auto_expanded email_otp_enrollment_callout expired_trial_status_widget
file_tree_browser_popover focused_vulnerability_reporting merge_request_dashboard_display_preferences_popover
merge_request_dashboard_show_drafts pipeline_new_inputs_adoption_banner pipeline_schedules_inputs_adoption_banner
security_scanner_profiles_announcement virtual_registry_permission_change_alert vulnerability_archival
vulnerability_report_limited_experience work_items_nav_badge work_items_onboarding_modal
work_item_consolidated_list_feedback
"""
_OF_GROUPS: Final = """
approaching_seat_count_threshold namespace_storage_pre_enforcement_banner ci_minutes_limit_alert_warning_stage
ci_minutes_limit_alert_danger_stage ci_minutes_limit_alert_exceeded_stage preview_user_over_limit_free_plan_alert
user_reached_limit_free_plan_alert free_group_limited_alert namespace_storage_limit_alert_warning_threshold
namespace_storage_limit_alert_alert_threshold namespace_storage_limit_alert_error_threshold usage_quota_trial_alert
preview_usage_quota_free_plan_alert enforcement_at_limit_alert web_hook_disabled
project_repository_limit_alert_warning_threshold namespace_over_storage_users_combined_alert all_seats_used_alert
expired_duo_pro_trial_widget expired_duo_enterprise_trial_widget expired_trial_status_widget
"""
_OF_GROUPS_UNTIL_18: Final = """
compliance_framework_settings_moved_callout invite_members_banner unlimited_members_during_trial_alert
"""
_OF_GROUPS_FROM_18: Final = """
end_of_trial_modal mrs_premium_message_callout namespace_user_cap_reached_alert project_premium_message_callout
repository_premium_message_callout
"""
_NAMES_BY_LIFETIME: Final[Mapping[str, Lifetime]] = {
    _FIRST: ALWAYS,
    _UNTIL_16: Lifetime(until="<=16.0"),
    _UNTIL_17: Lifetime(until="<=17.9"),
    _UNTIL_18: Lifetime(until="<=18.9"),
    _UNTIL_16_2: Lifetime(until="<=16.2"),
    _FROM_14_TO_16: Lifetime("<=14.9", "<=16.2"),
    _FROM_16: Lifetime("<=16.0"),
    _ONLY_16: Lifetime("<=16.0", "<=17.9"),
    _FROM_16_TO_18: Lifetime("<=16.0", "<=18.9"),
    _FROM_16_2_TO_18: Lifetime("<=16.2", "<=18.9"),
    _FROM_17: Lifetime("<=17.9"),
    _FROM_17_TO_18: Lifetime("<=17.9", "<=18.9"),
    _FROM_18: Lifetime("<=18.9"),
}
FEATURES: Final[Mapping[str, Lifetime]] = {
    name: lifetime for names, lifetime in _NAMES_BY_LIFETIME.items() for name in names.split()
}
"""The names of hints, and the releases that are known to have them."""
GROUP_FEATURES: Final[Mapping[str, Lifetime]] = {
    **dict.fromkeys(_OF_GROUPS.split(), ALWAYS),
    **dict.fromkeys(_OF_GROUPS_UNTIL_18.split(), Lifetime(until="<=18.9")),
    **dict.fromkeys(_OF_GROUPS_FROM_18.split(), Lifetime("<=18.9")),
}
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
