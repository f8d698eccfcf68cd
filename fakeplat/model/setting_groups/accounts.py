"""Sign-in, passwords, tokens and accounts of users."""

# Annotations stay texts, as in `setting_attributes`.
from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Annotated, Any, Literal

    from fakeplat.core.release import Lifetime
    from fakeplat.model.setting_rules import (
        SECRET,
        SIGN_IN_RESTRICTIONS,
        Composite,
        Length,
        Matches,
        Needed,
        Number,
        Paid,
        PositiveAmount,
    )


class AccountSettings:
    """Sign-in, passwords, tokens and accounts of users."""

    admin_mode: Annotated[bool, Lifetime(since="<=13.12")] = False
    allow_account_deletion: Annotated[bool, Lifetime(since="16.1"), Paid()] = True
    allow_project_creation_for_guest_and_below: Annotated[bool, Lifetime(since="16.8")] = True
    allow_top_level_group_owners_to_create_service_accounts: Annotated[
        bool, Lifetime(since="<=17.11"), Paid("ultimate")
    ] = False
    authn_data_retention_cleanup_enabled: Annotated[bool, Lifetime(since="18.7")] = False
    can_create_group: Annotated[bool, Lifetime(since="15.5")] = True
    can_create_organization: Annotated[bool, Lifetime(since="<=17.10")] = True
    deactivate_dormant_users: Annotated[bool, Lifetime(since="<=14.10")] = False
    deactivate_dormant_users_period: Annotated[
        int | None, Lifetime(since="15.3"), Needed("deactivate_dormant_users")
    ] = 90
    deactivation_email_additional_text: Annotated[str | None, Lifetime(since="<=17.10"), Length(1000)] = None
    default_preferred_language: Annotated[str, Lifetime(since="<=16.0"), Needed()] = "en"
    default_syntax_highlighting_theme: Annotated[int, Lifetime(since="<=16.0"), Number(above=0)] = 1
    default_dark_syntax_highlighting_theme: Annotated[int, Lifetime(since="<=18.5"), Number(above=0)] = 2
    delay_user_account_self_deletion: Annotated[bool, Lifetime(since="<=18.5")] = False
    delete_unconfirmed_users: Annotated[bool, Lifetime(since="16.1"), Paid()] = False
    unconfirmed_users_delete_after_days: Annotated[PositiveAmount, Lifetime(since="16.1"), Paid()] = 7
    disable_admin_oauth_scopes: Annotated[bool, Lifetime(since="15.6")] = False
    disable_invite_members: Annotated[bool, Lifetime(since="<=18.5"), Paid(), SECRET] = False
    disable_password_authentication_for_users_with_sso_identities: Annotated[bool, Lifetime(since="<=17.10")] = False
    disable_personal_access_tokens: Annotated[bool, Lifetime(since="15.7"), Paid()] = False
    email_confirmation_setting: Annotated[Literal["off", "soft", "hard"], Lifetime(since="<=16.0")] = "off"
    email_otp_enabled: Annotated[bool, Lifetime(since="19.1")] = False
    enable_member_promotion_management: Annotated[bool, Lifetime(since="<=17.11"), Paid("ultimate")] = False
    enforce_email_subaddress_restrictions: Annotated[bool, Lifetime(since="<=18.5")] = False
    failed_login_attempts_unlock_period_in_minutes: Annotated[int | None, Lifetime(since="<=17.4"), Number(above=0)] = (
        None
    )
    git_two_factor_session_expiry: Annotated[int, Lifetime(since="<=14.10"), Paid(), Number(least=1, most=10_080)] = 15
    globally_allowed_ips: Annotated[
        str, Lifetime(since="<=17.4"), Paid(), SECRET, Length(255), Matches("ip_ranges")
    ] = ""
    inactive_resource_access_tokens_delete_after_days: Annotated[int, Lifetime(since="<=18.5")] = 30
    instance_token_prefix: Annotated[str, Lifetime(since="<=18.5"), Matches("instance_prefix"), Length(20)] = ""
    invisible_captcha_enabled: Annotated[bool, Lifetime(since="<=14.10")] = False
    invitation_flow_enforcement: Annotated[bool, Lifetime(since="<=17.10")] = False
    lock_memberships_to_saml: Annotated[bool, Lifetime(since="<=17.11"), Paid()] = False
    make_profile_private: Annotated[bool, Lifetime(since="<=18.9"), Paid("ultimate")] = True
    max_login_attempts: Annotated[int | None, Lifetime(since="<=17.4"), Number(above=0)] = None
    max_ssh_key_lifetime: Annotated[
        int | None, Lifetime(since="<=14.10"), Paid("ultimate"), Number(above=0, most=365)
    ] = None
    oauth_access_token_expires_in: Annotated[int | None, Lifetime(since="<=19.3"), Number(least=300)] = 7200
    password_lowercase_required: Annotated[bool, Lifetime(since="15.1"), Paid()] = False
    password_number_required: Annotated[bool, Lifetime(since="15.1"), Paid()] = False
    password_symbol_required: Annotated[bool, Lifetime(since="15.1"), Paid()] = False
    password_uppercase_required: Annotated[bool, Lifetime(since="15.1"), Paid()] = False
    remember_me_enabled: Annotated[bool, Lifetime(since="16.0")] = True
    require_admin_two_factor_authentication: Annotated[bool, Lifetime(since="<=17.4")] = False
    require_email_verification_on_account_locked: Annotated[bool, Lifetime(since="<=18.5")] = False
    require_personal_access_token_expiry: Annotated[bool, Lifetime(since="17.3")] = True
    resource_access_token_notify_inherited: Annotated[bool, Lifetime(since="<=17.10")] = False
    lock_resource_access_token_notify_inherited: Annotated[bool, Lifetime(since="<=17.10")] = False
    root_moved_permanently_redirection: Annotated[bool, Lifetime(since="<=17.10")] = False
    ropc_without_client_credentials: Annotated[bool, Lifetime(since="<=17.10")] = True
    service_access_tokens_expiration_enforced: Annotated[bool, Lifetime(since="<=17.4"), Paid()] = True
    session_expire_from_init: Annotated[bool, Lifetime(since="<=18.5")] = False
    sign_in_restrictions: Annotated[Mapping[str, Any], Lifetime(since="<=18.5"), Composite(SIGN_IN_RESTRICTIONS)] = {}
    top_level_group_creation_enabled: Annotated[bool, Lifetime(since="<=18.5")] = True
    user_deactivation_emails_enabled: Annotated[bool, Lifetime(since="<=14.10")] = True
    user_defaults_to_private_profile: Annotated[bool, Lifetime(since="15.8")] = False
    usage_ping_features_enabled: Annotated[bool, Lifetime(since="<=14.10")] = False
    usage_ping_generation_enabled: Annotated[bool, Lifetime(since="<=18.5")] = True
    include_optional_metrics_in_service_ping: Annotated[bool, Lifetime(since="16.10")] = True
    whats_new_variant: Annotated[Literal["all_tiers", "current_tier", "disabled"], Lifetime(since="<=14.10")] = (
        "all_tiers"
    )
