"""What releases do differently inside a function, by name: ``ctx.profile.has(MAINTENANCE_MODE)``.

What begins or ends as a whole, such as an operation, a parameter or a field, has its releases where it is declared.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from fakeplat.core.release import Behaviour, ByRelease

# The instance

MAINTENANCE_MODE: Final = Behaviour("13.6", source="doc/administration/maintenance_mode")
CUSTOM_ROLES: Final = Behaviour("15.9", source="doc/api/member_roles.md: enabled by default in 15.9")
ROLES_OF_GROUPS_ARE_HOSTED: Final = Behaviour(
    "17.0", source="deprecations 17.0: custom role creation for group owners on self-managed"
)
ADMIN_ROLES_ARE_ON: Final = Behaviour(
    "18.3", source="doc/user/custom_roles/_index.md: generally available in 18.3, before with a flag that is off"
)
ROLE_PERMISSIONS_ARE_CHECKED: Final = Behaviour("<=18.9", source="ee/app/models/authz/base_role.rb of 18.9")
METADATA_HAS_PROXY: Final = Behaviour("17.6", source="doc/api/metadata.md: kas.externalK8sProxyUrl introduced in 17.6")
VERSION_IS_METADATA: Final = Behaviour("15.5", source="lib/api/metadata.rb: both routes present the metadata")
SYSTEM_HOOKS_ARE_RECORDS: Final = Behaviour(
    "<=17.0", source="lib/api/system_hooks.rb before custom headers, which are of 17.1: find_hook also of DELETE"
)
"""A deletion says that there is no record, as all other operations do."""
MARKDOWN_NEEDS_LOGIN: Final = Behaviour("15.3", source="doc/api/markdown.md: login required in 15.3")
MARKDOWN_IS_A_READ: Final = Behaviour(
    "<=17.9", source="lib/api/markdown.rb: allow_access_with_scope :read_api; gitlab issue 372855"
)
DELETION_IS_DELAYED_FOR_ALL: Final = Behaviour(
    "18.0", source="visibility_and_access_controls.md: moved from Premium to Free in 18.0"
)
METADATA_HAS_EDITION: Final = Behaviour("15.6", source="doc/api/metadata.md: enterprise introduced in 15.6")

CI_SETTINGS_NEED_MAINTAINER: Final = Behaviour("<=17.11", source="lib/api/entities/project.rb of 17")

USAGE_EVENTS_ARE_TRACKED: Final = Behaviour("13.7", source="doc/development/product_analytics/usage_ping.md of 13.8")
TOKENS_TRACK_USAGE_EVENTS: Final = Behaviour("<=17.3", source="lib/api/usage_data.rb: no CSRF token is asked for")
FEATURE_PERCENTAGES_ARE_DECIMAL: Final = Behaviour(
    "<=15.4", source="app/services/admin/set_feature_flag_service.rb of 15.4: to_f; to_i in lib/api/features.rb of 14.0"
)
FEATURE_VALUES_ARE_CHECKED: Final = Behaviour(
    "<=18.6", source="app/services/admin/set_feature_flag_service.rb, whose flag is not in the list of flags of 18.6"
)
"""What is no truth value and no number is refused, and actors can be opted out."""
FEATURE_TARGETS_ARE_LISTS: Final = Behaviour("<=15.0", source="lib/feature.rb of 15: unknown targets are refused")

DORA_COUNTS_INCIDENTS: Final = Behaviour("14.9", source="doc/api/dora/metrics.md: time_to_restore_service of 14.9")
DORA_COUNTS_CHANGE_FAILURES: Final = Behaviour("14.10", source="doc/api/dora/metrics.md of 14.10: change_failure_rate")
DORA_ROWS_HAVE_DATES_AS_KEYS: Final = Behaviour(until="14.0", source="doc/api/dora/metrics.md: removed in 14.0")
DORA_RANGE_IN_DAYS: Final = ByRelease({"13.10": 92, "<=16.0": 180}, source="ee/app/services/dora: MAX_RANGE")

HIDDEN_MILESTONES_ARE_NULL: Final = Behaviour(
    "<=18.2", source="app/graphql/resolvers/milestones_resolver.rb: an error in 14.9, authorizes_object! in 18.2"
)
VISITORS_NAME_USERS: Final = Behaviour(
    "<=15.8", source="app/graphql/resolvers/users_resolver.rb: usernames.present? if the caller is nobody; not in 13.8"
)
VISITORS_FIND_NO_USER: Final = Behaviour(
    "<=15.8", source="app/graphql/resolvers/user_resolver.rb: authorize! since GraphQL::Types (14.1) or later"
)
VISITORS_FIND_NO_USERS: Final = Behaviour("<=18.2", source="app/graphql/resolvers/users_resolver.rb of 18.2")
CALLOUTS_STAY_DISMISSED: Final = Behaviour(
    "<=19.3", source="app/services/users/dismiss_callout_service.rb: what was dismissed keeps its time; not in 14.0"
)
BLOCKED_USERS_ARE_HIDDEN: Final = Behaviour(
    "<=18.2", source="app/finders/users_finder.rb of 18.2: without_forbidden_states"
)
ONE_USER: Final = ByRelease(
    {
        "13.5": "Provide either a single username or id",
        "<=18.2": "One and only one of [id, username] arguments is required.",
    },
    source="app/graphql/resolvers/user_resolver.rb of 14.1 and 18.2",
)
SEARCHED_PROJECTS_ARE_SORTED_BY_SIMILARITY: Final = Behaviour(
    "<=18.2", source="app/finders/projects_finder.rb and namespaces/projects_finder.rb: should_sort_by_similarity?"
)
PUBLIC_GROUPS_ARE_NAMESPACES: Final = Behaviour(
    "<=18.2", source="app/policies/group_policy.rb: read_namespace for all who read the group"
)
PIPELINES_NEED_NO_NAME: Final = Behaviour(
    "<=18.5", source="spec/graphql/resolvers/ci/project_pipeline_resolver_spec.rb: without arguments, the latest one"
)
ONE_PIPELINE: Final = ByRelease(
    {
        "13.5": "Provide either an iid or sha",
        "<=14.1": "Provide one of an IID or SHA",
        "<=18.5": "Only one of [id, iid, sha] arguments is allowed at the same time.",
    },
    source="app/graphql/resolvers/project_pipeline_resolver.rb of 14.0 and 14.1, ci/project_pipeline_resolver.rb",
)
READERS_OF_PIPELINES_SEE_JOBS: Final = Behaviour(
    "<=15.8", source="spec/requests/api/graphql/ci/pipelines_spec.rb: stages for guests, null in 14.0"
)
FIELDS_HAVE_LIMITS: Final = Behaviour(
    "<=18.2", source="lib/gitlab/graphql/limit/field_call_count.rb; doc/api/graphql/reference of 18.2"
)
GRAPHQL_SUGGESTS_NAMES: Final = Behaviour("<=18.5", source="graphql-ruby 2.4.0: did you mean; answers of 18")

# Planning

LABELS_OF_GROUPS_NEED_THE_GROUP: Final = Behaviour(
    "<=18.9",
    source="lib/api/helpers/label_helpers.rb before archived, which is of 18.10: authorize! admin_label of the label, "
    "and of the group that a label is promoted to; labels_spec.rb",
)
"""Through a project, only its priority of a label of the group is changed without a right in the group."""
INCIDENTS_HAVE_STATUSES: Final = Behaviour(
    "14.10", source="doc/operations/incident_management/incidents.md: statuses, enabled in 14.10"
)

CUSTOMERS_ARE_ENABLED: Final = Behaviour("16.9", source="doc/user/crm/_index.md: enabled by default in 16.9")
CUSTOMERS_BELONG_TO_TOP_LEVEL_GROUPS: Final = Behaviour(
    "14.8", source="doc/user/crm/_index.md: created only in top-level groups in 14.8 and later"
)

ITERATIONS_HAVE_CADENCES: Final = Behaviour("14.1", source="doc/user/group/iterations: cadences introduced in 14.1")
CADENCES_ARE_ENABLED: Final = Behaviour(
    "15.0", source="doc/user/group/iterations: flag iteration_cadences enabled in 15.0"
)
CUSTOM_FIELDS_ARE_ENABLED: Final = Behaviour(
    "17.11", source="doc/user/work_items/custom_fields.md: flag custom_fields_feature, enabled by default in 17.11"
)
TASKS_ARE_WORK_ITEMS: Final = Behaviour(
    "<=15.5", source="go-gitlab, October 2022: webhooks of tasks have object_kind work_item"
)
CHATS_ANNOUNCE_WORK_ITEMS: Final = Behaviour(
    "<=19.3", source="app/models/concerns/integrations/base/chat_notification.rb: work_item among SUPPORTED_EVENTS"
)
HOOKS_NAME_TYPES: Final = Behaviour(
    "17.2", source="webhook_events.md: object_attributes.type of issues and work items introduced in 17.2"
)
REPORTERS_PLAN_ITERATIONS: Final = Behaviour(
    "15.0", source="doc/user/group/iterations: from Developer to Reporter in 15.0"
)

# People and credentials

FEED_TOKENS_ARE_BOUND: Final = Behaviour(
    "<=17.0", source="app/helpers/feed_token_helper.rb: generate_feed_token_with_path; lib/gitlab/auth/auth_finders.rb"
)
"""Links to feeds have a token for their path alone; the token of the user opens all feeds as before."""
ADMIN_MODE_ASKS_TOKENS: Final = Behaviour(
    "<=16.3",
    source="lib/api/api_guard.rb: bypass_session_for_admin_mode?; issue 427766: refused in 16.3, not in 15.11",
)
"""With the setting ``admin_mode``, administrators need tokens with that scope for what only they may do."""
PASSWORD_PAGE: Final = ByRelease(
    {"13.5": "profile/password/edit", "<=17.0": "user_settings/password/edit"},
    source="config/routes/well_known.rb: change-password; the later one beside security.txt (16.7)",
)
"""The page on which users change their password."""

BAD_REQUEST: Final = ByRelease(
    {"13.5": "400 (Bad request)", "<=13.12": "400 Bad request"}, source="lib/api/helpers.rb: bad_request!"
)

BAD_REQUEST_WITH_REASON: Final = ByRelease(
    {"13.5": '400 (Bad request) "{}" not given', "<=13.12": "400 Bad request - {}"},
    source="lib/api/helpers.rb: bad_request!",
)
MISSING_ATTRIBUTE: Final = ByRelease(
    {"13.5": '400 (Bad request) "{}" not given', "<=13.12": '400 Bad request - "{}" not given'},
    source="lib/api/helpers.rb: bad_request_missing_attribute!",
)
EXPIRING_SSH_KEYS_ARE_ANNOUNCED: Final = Behaviour("<=13.12", source="spec/requests/api/internal/base_spec.rb of 13.12")
SSH_TOKEN_DAYS: Final = ByRelease[int | None](
    {"13.5": None, "16.0": 30}, source="gitlab-shell of 2023-05: a default ttl for personal access tokens"
)
LFS_IS_TRANSFERRED_OVER_SSH: Final = Behaviour("17.2", source="doc/administration/lfs: pure SSH transfer protocol")
"""gitlab-shell has the command git-lfs-transfer, which administrators switch on."""
EXPIRED_SSH_KEYS_ARE_REFUSED: Final = Behaviour("14.0", source="deprecations 14.0: expired SSH keys are disabled")
VERDICTS_ARE_PUBLISHED: Final = Behaviour(
    "<=19.3", source="spec/requests/api/draft_notes_spec.rb of 19: reviewer_state, note and internal of bulk_publish"
)
COMMANDS_ARE_ALWAYS_REPORTED: Final = Behaviour(
    "<=17.11", source="lib/api/helpers/notes_helpers.rb: process_note_creation_result of notes, threads and comments"
)
"""Also comments on commits, replies in threads and changed notes are answered with what their quick actions did."""
AWARDS_NEED_NO_LOGIN: Final = Behaviour("<=17.11", source="lib/api/award_emoji.rb: no authenticate! before")
"""Anonymous callers who award emoji get 404 as for what they cannot see, and read those of merge requests."""
NOTES_STAY_AS_VISIBLE_AS_THEY_ARE: Final = Behaviour(
    "14.10", source="lib/api/notes.rb: confidential of PUT deprecated in 14.10, no longer allowed"
)
INTERNAL_NOTES_ARE_FOR_REPORTERS: Final = Behaviour(
    "15.6",
    source="doc/user/discussions: at least the Reporter role in 15.6; app/services/notes/build_service.rb, "
    "app/policies/{issue,epic,merge_request,wiki_page/meta}_policy.rb: mark_note_as_internal",
)
"""Only they write and read internal notes; the flag is ignored otherwise, and a reply is as internal as its thread."""
MERGE_REQUESTS_HAVE_INTERNAL_NOTES: Final = Behaviour(
    "16.9", source="doc/user/discussions: internal notes of merge requests introduced in 16.9"
)
LINE_COMMENTS_NAME_A_COMMIT: Final = Behaviour(
    "<=14.3", source="lib/api/entities/note.rb: commit_id of DiffNotes of merge requests, documented by September 2021"
)
NOTES_OF_EPICS_NAME_THE_WORK_ITEM: Final = Behaviour(
    "<=19.3", source="ee/lib/api/entities/legacy_epic_{note,resource_label_event,resource_state_event}.rb"
)
TODOS_HAVE_MORE_ACTIONS: Final = Behaviour(
    "<=19.3", source="app/assets/javascripts/todos/constants.js of 19: those of Duo and of transfers that failed"
)
ERRORS_OF_BOARD_LISTS_ARE_SENTENCES: Final = Behaviour(
    "<=15.2", source="app/services/boards/lists/base_create_service.rb, specs of lists with iterations"
)
LIMITS_ARE_OF_HOSTED_NAMESPACES: Final = Behaviour(
    "<=13.12",
    source="ee/app/policies/ee/namespace_policy.rb: update_subscription_limit of administrators and the offering",
)
PLANS_ARE_NAMED_LIKE_TIERS: Final = Behaviour(
    "<=15.0", source="ee/app/models/ee/plan.rb: PREMIUM, ULTIMATE and their trials beside SILVER and GOLD"
)
SUBSCRIPTIONS_EXCLUDE_GUESTS: Final = Behaviour(
    "<=15.0", source="ee/lib/ee/api/entities/gitlab_subscription.rb of 15.0: exclude_guests"
)
TRIALS_END_IN_THE_FUTURE: Final = Behaviour(
    until="<=13.12", source="ee/spec/requests/api/namespaces_spec.rb of 13.12, without the refusal of ended trials"
)
BILLS_ARE_FOR_OWNERS: Final = Behaviour("18.9", source="doc/api/namespaces.md: restrict_namespace_api_billing_fields")
ACCESS_REQUESTS_ARE_TODOS: Final = Behaviour(
    "15.8", source="doc/user/todos.md: member access request notifications in 15.8"
)
EACH_ACCESS_REQUEST_IS_A_TODO: Final = Behaviour("17.8", source="doc/user/todos.md: multiple to-do items in 17.8")
"""Before, a further request made no to-do for those who had a pending one about the same project or group."""
ORGANIZATION_PATH: Final = ByRelease(
    {"13.5": "/-/organizations/{}", "<=18.9": "/o/{}"},
    source="lib/gitlab/url_builder.rb of 18.9: organization_root_url; organization_url before",
)
TOPICS_HAVE_AN_ORGANIZATION: Final = Behaviour("<=18.9", source="lib/api/topics.rb: find_organization!")
MISSING_EPICS_ARE_NOT_FOUND_FOR_TODOS: Final = Behaviour(
    "<=19.3", source="ee/lib/ee/api/todos.rb: authorize!(:read_epic, user_group) before find_group_epic"
)
DOMAINS_OF_PAGES_ARE_TAKEN: Final = Behaviour(
    "<=18.9", source="lib/api/namespaces.rb before full_path_search: ProjectSetting.unique_domain_exists?"
)
UNSAVED_NOTE: Final = ByRelease(
    {"13.5": "Failed to save note", "<=17.11": "Note"}, source="lib/api/helpers/notes_helpers.rb: update_note"
)
STRATEGIES_NAME_LISTS: Final = Behaviour(
    "<=18.9", source="lib/api/feature_flags.rb: optional parameters and user_list_id; requires parameters in 13.x"
)
"""A strategy of a flag is made for the users of a list, and without parameters."""
UNKNOWN_EMOJI: Final = ByRelease(
    {"13.5": "is not included in the list", "<=16.2": "is not a valid emoji name"},
    source="app/models/award_emoji.rb and user_status.rb: validator gitlab/emoji_name; inclusion in 13.x",
)
ISSUE_THREADS_ARE_RESOLVABLE: Final = Behaviour(
    "16.4", source="doc/user/discussions: resolvable threads of issues generally available in 16.4"
)

GROUP_TIMELOGS_ARE_PAID: Final = Behaviour(
    until="<=14.3", source="ee/app/graphql/resolvers/timelog_resolver.rb of 13.12; later in app/graphql"
)

USERS_NEED_A_LOGIN: Final = Behaviour(
    "<=14.10", source="lib/api/users.rb: Not authorized! before users_get_by_id, whose limit counts users"
)
EVERYBODY_FINDS_EXTERNAL_USERS: Final = Behaviour(
    "<=15.4", source="lib/api/users.rb with exclude_external: only extern_uid and provider are for administrators"
)
EVERYBODY_LISTS_ACTIVITIES: Final = Behaviour(
    "<=17.6",
    source="spec/requests/api/users_spec.rb before 17.7: activities of public profiles for who is no administrator",
)
EVERYBODY_SORTS_USERS: Final = Behaviour(
    "<=18.0", source="spec/requests/api/users_spec.rb of 18: a requested order precedes that of a search"
)
EXPIRED_PASSWORDS_BLOCK: Final = Behaviour("13.12", source="spec/lib/gitlab/auth_spec.rb of 13.12")
OAUTH_ANSWERS_PREFLIGHT_REQUESTS: Final = Behaviour(
    "15.1", source="doc/api/oauth2.md: CORS preflight requests are supported from 15.1"
)
OAUTH_TOKENS_EXPIRE: Final = Behaviour("15.0", source="removals 15.0: OAuth tokens without an expiration")
DEVICES_ASK_FOR_TOKENS: Final = Behaviour(
    "17.2", source="doc/api/oauth2.md: device authorization grant, by the flag oauth2_device_grant_flow"
)
DEVICE_GRANTS_ARE_ON: Final = Behaviour(
    "17.3", source="doc/api/oauth2.md: oauth2_device_grant_flow is on by default from 17.3"
)
DEVICE_CODES_CAN_BE_OFF: Final = Behaviour(
    "18.11", source="db/migrate of 18.11: oauth_applications.device_code_enabled, true by default"
)
APPLICATIONS_REGISTER_THEMSELVES: Final = Behaviour(
    "18.6", source="doc/user/gitlab_duo of 18.6: the flag oauth_dynamic_client_registration, off from 18.3, is removed"
)
PUBLIC_APPLICATIONS_ASK_AGAIN: Final = Behaviour(
    "<=16.0", source="app/controllers/oauth/authorizations_controller.rb of 2023: a token suffices if confidential"
)
OPENID_TELLS_ROLES_IN_GROUPS: Final = Behaviour(
    "<=15.1", source="spec/requests/openid_connect_spec.rb of 2022: groups_direct, and claims with the role in groups"
)
OPENID_TELLS_PREFERRED_USERNAME: Final = Behaviour(
    "<=17.6", source="config/initializers/doorkeeper_openid_connect.rb of 2024: preferred_username"
)
OPENID_TELLS_MORE: Final = Behaviour(
    "<=19.1", source="the discovery document of the hosted offering, June 2026: given_name, family_name, claims of jobs"
)
DISCOVERY_TELLS_OF_PKCE: Final = Behaviour(
    "<=15.8", source="doorkeeper-openid_connect 1.8.3 of December 2022: code_challenge_methods_supported, form_post"
)
APPLICATIONS_NEED_SCOPES: Final = Behaviour(
    "<=18.0", source="spec/requests/api/applications_spec.rb with renew-secret: scopes are not empty, and known"
)
MISSING_APPLICATIONS_ARE_NAMED: Final = Behaviour(
    "<=15.4", source="lib/api/applications.rb of 2022: not_found!('Application')"
)
CHANGED_INVITATIONS_ARE_WHOLE: Final = Behaviour(
    "<=18.9", source="lib/api/invitations.rb: present_member_invitations, present_members in 15"
)
IMPLICIT_GRANT: Final = Behaviour(until="15.0", source="removals 15.0: OAuth implicit grant")
PERSONAL_TOKEN_PREFIX: Final = ByRelease[str | None](
    {"13.5": None, "14.5": "glpat-"}, source="account_and_limit_settings.md: a default prefix introduced in 14.5"
)
TOKEN_LIFETIME: Final = ByRelease[int | None](
    {"13.5": None, "16.0": 365},
    source="deprecations 16.0: non-expiring access tokens",
)
"""For how many days access tokens are valid at most, and by default."""
WEAK_PASSWORDS_ARE_REFUSED: Final = Behaviour(
    "15.7", source="doc/user/profile/user_passwords.md: block_weak_passwords on and removed in 15.7"
)
PROFILES_HAVE_LIMITS: Final = Behaviour(
    "<=16.6",
    source="app/models/user_detail.rb before it had mastodon, which is of 16.6: DEFAULT_FIELD_LENGTH, discord_format",
)
"""Texts of profiles have at most 500 characters, and their errors name the record that has them."""
TWO_FACTORS_ARE_ANY_TEXT: Final = Behaviour(
    "<=17.6", source="lib/api/users.rb before the support PIN of 17.7: UsersFinder gets undeclared parameters, too"
)
"""What is neither ``enabled`` nor ``disabled`` filters nothing."""
ADDRESSES_OF_PROFILES_ARE_VERIFIED: Final = Behaviour(
    "<=17.11", source="app/models/user.rb: public_email_verified, commit_email_verified; set_public_email in 13.x"
)
"""Another's or an unconfirmed address is an error. Before, another's is ignored."""
SLUGS_ARE_PLAIN: Final = Behaviour(
    "<=16.11", source="issue 457903 of the platform, of 16.11; doc/user/reserved_names.md of 17.5"
)
"""Usernames and paths neither start nor end with a special character, nor have two of them in a row."""
SLUG_TEXT: Final = ByRelease(
    {
        "13.5": "can only include non-accented letters, digits, '_', '-' and '.'. "
        "It must not start with '-', end in '.', '.git', or '.atom'.",
        "<=17.0": "can only include non-accented letters, digits, '_', '-' and '.'. "
        "It must not start with '-', '_', or '.', nor end with '-', '_', '.', '.git', or '.atom'.",
    },
    source="issue 457903 of the platform, of 16.11; lib/gitlab/regex.rb of 17.x",
)
GROUPS_LIMIT_DOWNLOADS: Final = Behaviour(
    "18.0", source="doc/user/group/reporting/git_abuse_rate_limit.md: generally available, flag removed in 18.0"
)
ISSUES_HAVE_CURSORS: Final = Behaviour("18.3", source="doc/api/rest/_index.md: supported resources, project issues")
USERS_HAVE_CURSORS: Final = Behaviour("16.5", source="doc/api/rest/_index.md: supported resources, users")
LISTS_OF_USERS_END: Final = Behaviour("17.0", source="doc/api/rest/_index.md: more than 50,000 users by keyset only")
ANONYMOUS_LISTS_OF_GROUPS_END: Final = Behaviour(
    "<=14.10", source="spec/requests/api/groups_spec.rb: offsets beyond 50,000 of anonymous callers"
)
BUFFERED_TOKEN_LIFETIME: Final = Behaviour(
    "17.6", source="account_and_limit_settings.md: 400 days with the flag buffered_token_expiration_limit"
)
JOB_TOKEN_POLICIES: Final = Behaviour("18.0", source="doc/ci/jobs/fine_grained_permissions.md: a beta in 18.0")
GRANULAR_TOKENS: Final = Behaviour("18.10", source="fine_grained_access_tokens.md: a beta in 18.10, behind a flag")
GRANULAR_TOKENS_ARE_ON: Final = Behaviour(
    "19.2", source="fine_grained_access_tokens_rest.md: generally available in 19.2, with the flag on by default"
)
GRANULAR_TOKENS_IN_GRAPHQL: Final = Behaviour(
    "19.2", source="fine_grained_access_tokens_graphql.md: generally available in 19.2"
)
IMPERSONATION_TOKENS_ARE_HIDDEN: Final = Behaviour("<=15.0", source="lib/api/personal_access_tokens.rb of 15.0")
"""Users neither list nor revoke the impersonation tokens of their accounts."""
UNKNOWN_TOKENS_ARE_TOLD_TO_ADMINISTRATORS: Final = Behaviour("15.3", source="personal_access_tokens.md: 404 in 15.3")
EVERY_TOKEN_REVOKES_ITSELF: Final = Behaviour("15.4", source="personal_access_tokens.md: any scope in 15.4")
REUSE_REVOKES_TOKEN_FAMILIES: Final = Behaviour("16.3", source="personal_access_tokens.md: reuse detection in 16.3")
TOKEN_USE_IS_RECORDED: Final = Behaviour("<=14.10", source="lib/api/entities/personal_access_token.rb of 14.10")
TOKEN_USE_INTERVAL: Final = ByRelease(
    {"13.5": 24 * 60, "16.1": 10},
    source="doc/user/profile/personal_access_tokens.md: from 24 hours to 10 minutes in 16.1",
)
"""For how many minutes after a recorded use of a token no other one is recorded."""
TOKEN_NOTICES: Final = ByRelease[Sequence[int]](
    {"13.5": (7,), "17.7": (60, 30, 7)},
    source="personal_access_tokens.md: notices 60 and 30 days ahead generally available in 17.7",
)
"""How many days before they expire the owners of access tokens are told."""
TOKEN_MAILS_IN_LOWER_CASE: Final = Behaviour("<=17.7", source="app/mailers/emails/profile.rb of 17")
BOTS_TELL_OF_EXPIRY: Final = Behaviour("<=16.10", source="app/workers/personal_access_tokens/expiring_worker.rb of 16")
"""Those who administer a project or group are told of its tokens that expire."""
TOKEN_HOOKS_SHOW_USE: Final = Behaviour("<=19.3", source="webhook_events.md of 19.3")
SSH_KEYS_TELL_OF_EXPIRY: Final = Behaviour("<=14.0", source="app/workers/ssh_keys of 14.0")
REVOKED_TOKEN_TEXT: Final = ByRelease(
    {"16.0": "token already revoked", "<=18.9": "Token already revoked"},
    source="app/services/personal_access_tokens/rotate_service.rb",
)
CURRENT_USER_TOKEN_DAYS: Final = ByRelease[int | None](
    {"16.5": 1, "<=18.9": None}, source="doc/api/user_tokens.md: the end of the day, later the latest possible day"
)
"""For how many days a token that users create for themselves is valid by default; None: as long as possible."""
INACTIVE_BOTS_STAY: Final = Behaviour(
    "17.9", source="project_access_tokens.md: expired and revoked tokens can be viewed in 17.9"
)
"""The bots of revoked and expired tokens stay members, so that their tokens are still listed."""
DEPLOY_TOKEN_PREFIX: Final = ByRelease({"13.5": "", "16.7": "gldt-"}, source="doc/security/tokens: added in 16.7")
OAUTH_SECRET_PREFIX: Final = ByRelease(
    {"13.5": "", "<=16.9": "gloas-"}, source="doc/security/tokens before glcbt-, 16.9"
)
SCIM_NESTED_NAMES: Final = Behaviour("14.0", source="doc/api/scim.md of 14.0")
SCIM_EXTERNAL_IDS: Final = Behaviour("<=18.9", source="doc/development/internal_api of 18.9")
SCIM_OPERATIONS_IN_ANY_CASE: Final = Behaviour("<=18.9", source="spec/requests/api/scim of 18.9")
HEALTH_IS_FOR_WHO_PUSHES: Final = Behaviour(
    "<=19.3", source="lib/api/repositories.rb of 19: health needs push_code, and no feature any more"
)
HEALTH_HAS_MORE_PARTS: Final = Behaviour("18.1", source="doc/api/repositories.md: new fields added in 18.1")
SCIM_GROUPS_SHOW_MEMBERS: Final = Behaviour(
    "<=19.3", source="lib/api/entities/scim/group.rb of 19; an empty list in 18.9"
)
SCIM_DEACTIVATION_KEEPS_IDENTITY: Final = Behaviour("14.0", source="doc/api/scim.md of 14.0")

PROJECTS_HAVE_OWNERS: Final = Behaviour("14.9", source="doc/user/permissions.md: the role Owner of projects, in 14.9")
GROUPS_OWN_PROJECTS: Final = Behaviour("<=18.9", source="app/services/projects/group_links/create_service.rb of 18")
PLANNERS: Final = Behaviour("17.7", source="doc/user/permissions.md: the role Planner, introduced in 17.7")
PLANNERS_READ_CODE: Final = Behaviour(
    "<=19.3", source="config/authz/roles/planner.yml; not yet in app/policies of 17.11"
)
INVITED_GROUPS_ARE_INHERITED: Final = Behaviour(
    "17.0", source="doc/api/members.md: flag webui_members_inherited_users generally available in 17.0"
)
ADMINISTRATORS_SEE_EMAILS_OF_MEMBERS: Final = Behaviour("<=18.9", source="ee/lib/ee/api/entities/member.rb of 18")
INVITATIONS_CHANGE_MEMBERS: Final = Behaviour("<=15.9", source="spec/requests/api/invitations_spec.rb of 15")
INVITATIONS_TAKE_USERS: Final = Behaviour(
    "<=15.9", source="lib/api/invitations.rb: optional user_id; requires email, which may be blank, in 13.12"
)
KEPT_MEMBERS_ARE_FAILURES: Final = Behaviour(
    "<=16.11", source="app/services/members/creator_service.rb: add_commit_error; app/models/member.rb of 13.12: none"
)
"""Who adds several members is told of those whose membership they may not change."""

MARKED_PROJECTS_ARE_REFUSED: Final = Behaviour(
    "<=18.9", source="clients of 2026: 400, Project has been already marked for deletion"
)
ADMINISTRATORS_BLOCK_OTHERS: Final = Behaviour("<=16.11", source="lib/api/users.rb of 16; not in that of 13")
IMPORTED_BOTS_ARE_FAILURES: Final = Behaviour("<=18.9", source="spec/requests/api/projects_spec.rb of 19")

DEACTIVATION_IS_REFUSED_WITHOUT_STATUS: Final = Behaviour(
    "<=16.0", source="app/services/users/deactivate_service.rb, spec/requests/api/users_spec.rb of 16: the text alone"
)
ACTIVATION_IS_REFUSED_WITHOUT_STATUS: Final = Behaviour(
    "<=17.0", source="app/services/users/activate_service.rb, not in lib/api/users.rb of 16.0: the text alone"
)
DORMANT_PERIOD_IS_A_SETTING: Final = Behaviour(
    "15.3", source="app/services/users/deactivate_service.rb: deactivate_dormant_users_period, introduced in 15.3"
)
BANS_ARE_REFUSED_WITH_THE_STATE: Final = Behaviour(
    "<=16.0", source="app/services/users/banned_user_base_service.rb: state_error"
)
BLOCKS_LEAVE_ATTRIBUTES: Final = Behaviour(
    "<=16.0", source="app/services/users/{block,unblock}_service.rb: UserCustomAttribute; not in 14.0"
)
"""Who blocked and unblocked a user, and when, are custom attributes of the user."""
MAIN_ADDRESSES_ARE_LISTED: Final = Behaviour(
    "<=16.0", source="spec/requests/api/users_spec.rb of 16: the first of GET /user/emails is that of the user"
)
USERNAMES_ARE_NO_DOMAINS_OF_PAGES: Final = Behaviour(
    "<=17.11", source="spec/requests/api/users_spec.rb of 17.11, not of 16.0: with existing pages unique domain"
)
UNCONFIRMED_ADDRESSES_ARE_NO_CONFLICT: Final = Behaviour(
    "<=16.0", source="spec/requests/api/users_spec.rb of 16: 400 if a secondary email exists that is unconfirmed"
)
"""The address of somebody else who has not confirmed it is refused as invalid, not as taken."""
ADMINISTRATORS_SEE_THEIR_NOTE: Final = Behaviour(
    "<=16.0", source="lib/api/users.rb, spec/requests/api/users_spec.rb of 16: UserWithAdmin of GET /user"
)
UNIT_OF_FILE_SIZES: Final = ByRelease(
    {"13.5": "KB", "<=17.0": "KiB"}, source="spec/requests/api/users_spec.rb of 17: Avatar is too big"
)

# What levels may do

REPORTERS_MANAGE_DESIGNS: Final = Behaviour(
    "16.11", source="merge request 147053 of the platform, of March 2024: designs move to the role Reporter"
)
REPORTERS_MANAGE_MILESTONES: Final = Behaviour(
    "15.0", source="doc/user/project/milestones: from Developer to Reporter in 15.0"
)
REPORTERS_READ_FREEZES: Final = Behaviour("<=17.11", source="app/policies/project_policy.rb of 17.11")
DEVELOPERS_READ_CLUSTERS: Final = Behaviour("<=15.10", source="app/policies of 15.10: group_policy.rb")
DEVELOPERS_DELETE_RELEASES: Final = Behaviour(
    "14.1", source="doc/user/project/releases: fixes to the permission model, which follows protected tags, in 14.1"
)
GUESTS_SET_METADATA: Final = Behaviour("<=13.12", source="app/policies/issue_policy.rb of 13.12: set_issue_metadata")
"""Guests set labels, assignees, dates and milestones of the issues that they create."""
GUESTS_LINK_ISSUES: Final = Behaviour(
    "17.0", source="doc/user/project/issues/related_issues.md: from Reporter to Guest in 17.0"
)
MILESTONES_BY_TITLE: Final = Behaviour("<=19.3", source="lib/api/merge_requests.rb and lib/api/issues.rb of 19.3")
"""Issues and merge requests take ``milestone``, the title of one, instead of ``milestone_id``."""
ISSUES_TAKE_SEVERITIES: Final = Behaviour("<=19.3", source="lib/api/issues.rb of 19.3: severity")
ISSUES_OF_ALL_TYPES: Final = Behaviour("<=18.9", source="lib/api/issues.rb of 19: requirement and ticket")
CONFIDENTIAL_IS_NOT_NULL: Final = Behaviour("<=18.9", source="lib/api/issues.rb of 19: allow_blank: false")
ISSUES_ARE_SORTED_ACROSS_PROJECTS: Final = Behaviour(
    "<=16.0", source="spec/requests/api/issues/issues_spec.rb of 19: an issue of another project of the group"
)
ESTIMATES_ARE_NOT_NEGATIVE: Final = Behaviour(
    "16.3", source="lib/api/time_tracking_endpoints.rb; app/models/concerns/time_trackable.rb of July 2023"
)
OWNERS_ADMINISTER_DEPENDENCY_PROXY: Final = Behaviour(
    "17.0", source="doc/user/packages/dependency_proxy: from Maintainer to Owner in 17.0"
)
OWNERS_ADMINISTER_PACKAGES: Final = Behaviour(
    "17.0", source="doc/user/packages/generic_packages: from Maintainer to Owner in 17.0; app/policies/group_policy.rb"
)
MAINTAINERS_REMOVE_PAGES: Final = Behaviour("17.9", source="doc/api/pages.md: from administrator to Maintainer in 17.9")

# What views show

STATISTICS_HAVE_MORE_PARTS: Final = Behaviour("<=16.0", source="lib/api/entities/project_statistics.rb, group.rb")
EMAILS_ARE_ENABLED: Final = Behaviour("16.5", source="doc/api/groups.md: emails_enabled instead of emails_disabled")
"""Whether e-mails are disabled is never null."""

# Audit events

AUDITED_PERSONAL_TOKENS: Final = Behaviour("13.6", source="doc/administration/audit_events.md")
AUDITED_DEPLOY_TOKENS: Final = Behaviour("14.9", source="doc/administration/audit_events.md")
AUDITED_RESOURCE_TOKENS: Final = Behaviour("<=18.9", source="doc/administration/audit_event_types.md of 18.9")
AUDITED_INSTANCE_VARIABLES: Final = Behaviour("<=18.9", source="doc/administration/audit_event_types.md of 18.9")
AUDITED_KEYS: Final = Behaviour(
    "14.1", source="doc/administration/audit_events.md: removed SSH keys, added or removed GPG keys in 14.1"
)
"""Before, only new SSH keys were recorded."""
AUDITED_USER_STATES: Final = Behaviour(
    "<=15.8", source="ee/app/services/ee/users: activate, approve, ban, deactivate, unban and unblock services"
)
"""Before, only that users were blocked was recorded."""
AUDITED_VARIABLE_MASKING: Final = Behaviour("<=18.9", source="doc/administration/audit_event_types.md of 18.9")

# Webhooks

HOOK_USERS_HAVE_IDS: Final = Behaviour("13.12", source="doc/user/project/integrations/webhooks.md of 13.12")
HOOKS_HIDE_EMAILS: Final = Behaviour(
    "<=17.10", source="webhook_events.md of 17.10: authors without a public email have the email [REDACTED]"
)
JOB_HOOKS_HAVE_USERS: Final = Behaviour("<=13.12", source="lib/gitlab/data_builder/build.rb of 13.12: user.hook_attrs")
DELETED_RELEASES_ARE_TOLD_OF: Final = Behaviour(
    "16.5", source="webhook_events.md: deletions of releases introduced in 16.5"
)
EDITED_NOTES_ARE_TOLD_OF: Final = Behaviour(
    "16.11", source="webhook_events.md: events of edited comments introduced in 16.11"
)
EVENT_UUID_HEADER: Final = Behaviour("14.8", source="webhooks.md: X-Gitlab-Event-UUID introduced in 14.8")
SYSTEM_HOOKS_ARE_READ: Final = Behaviour("<=15.4", source="doc/api/system_hooks.md of 15.4: GET shows, POST sends")
HOOKS_ARE_TESTED_SO_OFTEN: Final = Behaviour("17.0", source="doc/api/project_webhooks.md: special rate limit in 17.0")
"""Three tests of a webhook are sent per minute."""
USERS_TEST_HOOKS_SO_OFTEN: Final = Behaviour(
    "17.1", source="doc/api/project_webhooks.md, doc/api/group_webhooks.md: each project or group and user"
)
"""The limit is that of a user for the webhooks of a project or group: five, or what the settings say."""
INSTANCE_HEADER: Final = Behaviour("15.5", source="webhooks.md: X-Gitlab-Instance introduced in 15.5")
WEBHOOK_UUID_HEADER: Final = Behaviour("16.2", source="webhooks.md: X-Gitlab-Webhook-UUID introduced in 16.2")
IDEMPOTENCY_KEY_HEADER: Final = Behaviour("17.4", source="webhooks.md: Idempotency-Key introduced in 17.4")
WEBHOOKS_ARE_SIGNED: Final = Behaviour("19.0", source="doc/api/group_webhooks.md: signing_token introduced in 19.0")
INTEGRATION_ERRORS_ARE_SHOWN: Final = Behaviour(
    "17.3", source="app/services/integrations/update_service.rb, with use_inherited_settings of 17.3"
)
ADDRESSES_OF_CHATS_ARE_HIDDEN: Final = Behaviour(
    "<=17.3", source="app/models/concerns/integrations/base/integration.rb: api_field_names without webhook"
)
INTEGRATIONS_HAVE_THEIR_NAME: Final = Behaviour("14.4", source="doc/api/integrations.md: services renamed in 14.4")
UNCONFIGURED_INTEGRATIONS_ARE_MISSING: Final = Behaviour("14.0", source="lib/api/services.rb of 14.0: not_found!")
UNCONFIGURED_INTEGRATIONS_CANNOT_BE_DELETED: Final = Behaviour(
    "<=18.9", source="lib/api/integrations.rb: absent in 16, in that of 18"
)

GROUPS_WITHOUT_PROJECTS_HAVE_SHARES: Final = Behaviour(
    "<=18.9", source="lib/api/entities/group_detail.rb: only the projects depend on with_projects"
)

# Repositories, packages and releases

BADGES_HAVE_LATER_PLACEHOLDERS: Final = Behaviour(
    "<=17.11", source="doc/user/project/badges.md of 17.11: project_namespace, group_name, latest_tag and others"
)
BADGE_URLS_ARE_ESCAPED: Final = Behaviour("<=19.2", source="spec/requests/api/badges_spec.rb of 19.2: spaces")
BODIES_OF_COMMITS_ARE_READ_LATE: Final = Behaviour(
    "<=18.7",
    source="doc/administration/instance_limits.md: limits of commits and files in 18.7, which the reading of bodies "
    "brought (lib/api/helpers/commits_body_uploader_helper.rb); in lib/api/commits.rb after the right to push",
)
BODIES_OF_FILES_ARE_READ_LATE: Final = Behaviour(
    "<=18.7", source="doc/api/repository_files.md: limits of 18.7; lib/api/files.rb of 19: validate_file_params!"
)
"""The first wrong field of a new or changed file is named; then callers without the right to push get 403 or 401."""
COMMITS_MAY_BE_EMPTY: Final = Behaviour("18.8", source="doc/api/commits.md: allow_empty introduced in 18.8")
CHANGELOGS_HAVE_PLAIN_TEXTS: Final = Behaviour(
    "19.1", source="doc/api/repositories.md: plain text format (.txt) introduced in 19.1"
)
STRAIGHT_COMPARISONS_HAVE_TWO_DOTS: Final = Behaviour(
    "<=19.3", source="spec/requests/api/repositories_spec.rb of 19: web_url of a straight comparison"
)
LOGS_FOLLOW_FILES: Final = Behaviour("18.10", source="doc/api/commits.md: follow introduced in 18.10, true by default")
FOLDERS_ARE_NO_FILES: Final = Behaviour(
    "<=19.3", source="app/services/files/update_service.rb of 19: Path is a directory, not a file"
)
COMMITS_ARE_NOT_COUNTED: Final = Behaviour("<=17.11", source="lib/api/commits.rb: exclude_total_headers")
COMMITS_CHECK_PAGINATION: Final = Behaviour(
    "<=19.2",
    source="lib/api/commits.rb: pagination, legacy or keyset; the latter by the flag commits_keyset_pagination",
)
MAINTAINERS_DELETE_PROTECTED_TAGS: Final = Behaviour(
    "<=14.10", source="lib/api/tags.rb: authorize! delete_tag; lib/gitlab/checks/tag_check.rb"
)
UNKNOWN_START_OF_BRANCH: Final = ByRelease(
    {
        "13.5": "Invalid reference name: {ref}",
        "<=14.10": "Failed to create branch '{name}': invalid reference name '{ref}'",
    },
    source="app/services/branches/create_service.rb",
)
REFS_OF_COMMITS_ARE_NOT_COUNTED: Final = Behaviour("<=18.9", source="lib/api/commits.rb: without_count of refs")
FILE_HEADERS_SHOW_MODE: Final = Behaviour("14.10", source="doc/api/repository_files.md: execute_filemode in 14.10")
IMPOSSIBLE_REFS_ARE_REFUSED: Final = Behaviour("<=17.11", source="lib/api/commits.rb: ref_name is invalid")
PUSHES_NEED_LOGIN: Final = Behaviour("<=17.11", source="lib/api/commits.rb: authenticate! of authorize_push_to_branch!")
"""Anonymous callers who commit to a public project get 401 instead of 403."""
PICKS_BELONG_TO_WHO_PICKS: Final = Behaviour("<=17.11", source="spec/requests/api/commits_spec.rb: Co-authored-by")
"""Who cherry-picks a commit is its author; the author of the original is named in the message."""
SCHEDULES_NAME_FULL_REFS: Final = Behaviour(
    "<=17.0", source="app/services/ci/pipeline_schedules/base_save_service.rb: expand_short_ref; ref is ambiguous"
)
"""A schedule that is saved names its branch or tag in full, ``refs/heads/main``."""
WAITS_END_WITH_PIPELINES: Final = Behaviour("<=18.2", source="app/models/ci/pipeline.rb: queued_duration")
ADMINISTRATORS_CHANGE_TRIGGERS: Final = Behaviour(
    "<=18.2", source="app/policies/ci/trigger_policy.rb: admin | is_owner enables admin_trigger"
)
SETTINGS_PATHS_ARE_FOR_OWNERS: Final = Behaviour(
    "<=18.2", source="app/graphql/types/ci/inherited_ci_variable_type.rb: group_ci_cd_settings_path"
)
SCHEDULES_KEEP_TO_OPEN_REFS: Final = Behaviour(
    "<=18.2",
    source="app/policies/ci/pipeline_schedule_policy.rb: protected_ref; base_save_service.rb: allowed_to_save?",
)
CRON_TEXT: Final = ByRelease(
    {"13.5": " is invalid syntax", "<=18.9": "syntax is invalid"}, source="app/validators/cron_validator.rb"
)
"""What is said of invalid crons and time zones. The space at the start is the platform's."""
AUDITORS_READ_BILLS: Final = Behaviour(
    "<=18.9", source="ee/spec/requests/api/namespaces_spec.rb: auditors get subscriptions; by a flag in 16"
)
AUDITORS_READ_RUNNERS: Final = Behaviour(
    "<=18.9", source="lib/api/ci/runners.rb: authenticated_with_can_read_all_resources!, administrators only in 17.9"
)
KEPT_JOBS_ARE_LOCATED_FIRST: Final = Behaviour(
    "<=19.3", source="lib/api/ci/job_artifacts.rb of 2026: find_build! before authorize!(:keep_job_artifacts, build)"
)
ARTIFACTS_HAVE_ETAGS: Final = Behaviour("<=19.3", source="lib/api/ci/job_artifacts.rb of 2026: artifact_etag")
PROTECTED_ENVIRONMENTS_ARE_UNCHANGED: Final = Behaviour(
    "<=19.3", source="ee/spec/requests/api/environments_spec.rb of 2026: PUT asks for access to deploy"
)
"""Who may not deploy to a protected environment may not change its attributes either."""
BILLABLE_MEMBERSHIPS_HAVE_ROLES: Final = Behaviour(
    "<=18.9", source="ee/spec/requests/api/members_spec.rb: custom_role of memberships of billable members"
)
SERVICE_ACCOUNTS_ARE_NOT_SYNCHRONIZED: Final = Behaviour(
    "<=18.9", source="ee/spec/requests/api/members_spec.rb: service accounts in groups with LDAP links"
)
"""Owners add service accounts to groups whose members come from an identity provider, and remove them."""
CUSTOM_TEMPLATES_ARE_NAMED: Final = Behaviour(
    "<=18.9", source="ee/spec/requests/api/projects_spec.rb: use_custom_template without a name and an id"
)
SKIPPED_PIPELINES_NEED_PIPELINES: Final = Behaviour(
    "<=19.3", source="ee/spec/requests/api/groups_spec.rb of 19: merge request settings of groups"
)
SAML_PROVIDERS_FIND_NOBODY: Final = Behaviour(
    "<=18.9", source="ee/spec/requests/api/users_spec.rb: saml_provider_id; gitlab-org/gitlab!190512"
)
"""The filter of users by the single sign-on of a group is refused; before, it is not built."""
NO_PLAN_IS_NO_TRIAL: Final = Behaviour(
    "<=19.3", source="ee/spec/requests/api/users_spec.rb of 19: trial of users without a plan"
)
VARIABLES_ARE_LIMITED: Final = Behaviour(
    "<=15.10", source="spec/requests/api/ci/variables_spec.rb; gitlab-org/gitlab#373289: enforced since February 2023"
)
"""Projects and groups have at most as many variables as their plans allow; those of the instance always had."""
GROUP_VARIABLES_ARE_FILTERED: Final = Behaviour(
    "16.9", source="doc/api/group_level_variables.md: filter introduced in 16.9; lib/api/group_variables.rb"
)
"""Variables of a group with the same key are told apart by their scope; PUT takes the first one without a filter."""
DASHBOARDS_NEED_AN_AGENT: Final = Behaviour(
    "<=17.11", source="app/models/environment.rb: kubernetes_namespace, absence unless cluster_agent"
)
"""A namespace of an environment needs an agent, and a Flux resource a namespace."""
DASHBOARDS_HAVE_TEMPLATES: Final = Behaviour(
    until="<=17.9", source="doc/api/project_templates.md of 17.9: accepted types"
)
TEMPLATES_ARE_CODE: Final = Behaviour(
    "17.5", source="CVE-2024-5005; spec/requests/api/project_templates_spec.rb: only templates of issues for guests"
)
PUBLIC_SNIPPETS_NEED_LOGIN: Final = Behaviour("<=15.0", source="lib/api/snippets.rb of 14.x: authenticate! of public")
UNKNOWN_RELEASES_ARE_NOT_FOUND: Final = Behaviour(
    "<=17.11", source="spec/requests/api/releases_spec.rb: returns 404 for maintainer"
)
RELEASES_LINK_TO_THEMSELVES: Final = Behaviour(
    "13.6", source="GraphQL schema: ReleaseLinks.issuesUrl, renamed in 13.6; lib/api/entities/release.rb of 13.x"
)
RELEASES_LINK_TO_STATES: Final = Behaviour("<=17.11", source="lib/api/entities/release.rb with closed_issues_url")
LINK_HEADER_HAS_ONE_NAME: Final = Behaviour("14.0", source="lib/gitlab/pagination/keyset/header_builder.rb: no Links")
CURSORS_ARE_HEADERS: Final = Behaviour("<=18.9", source="doc/api/rest/_index.md: the X-NEXT-CURSOR header")
TAGS_ARE_PAGED_BY_NAME: Final = Behaviour(
    "17.3", source="doc/api/container_registry.md: keyset pagination, which needs the registry's database of 17.3"
)
PRIMARY_PAGES_DOMAIN: Final = ByRelease(
    {"13.5": "pages_default_domain_redirect", "17.8": "pages_primary_domain"},
    source="db/post_migrate: the column is renamed at milestone 17.8, lib/api/pages.rb",
)
"""The name of the setting for the domain that pages redirect to."""
GENERATED_FILES_ARE_DETECTED: Final = Behaviour(
    "16.11", source="doc/api/merge_requests.md: generated_file generally available in 16.11"
)
SEARCHES_ARE_SORTED: Final = Behaviour("<=13.12", source="doc/api/search.md: order_by and sort")
SEARCHES_TELL_THEIR_TYPE: Final = Behaviour("<=17.11", source="lib/api/search.rb: X-Search-Type of set_headers")
SCOPES_NEED_ADVANCED_SEARCH: Final = Behaviour(
    "<=18.7", source="ee/lib/ee/api/search.rb with exclude_forks of 18.7: the texts no longer name Elasticsearch"
)
FIELDS_NEED_ADVANCED_SEARCH: Final = Behaviour(
    "<=18.11", source="ee/lib/ee/api/search.rb before num_context_lines of 18.11: verify_ee_param_fields!"
)
SEARCH_REFUSALS_ARE_TEXTS: Final = Behaviour(
    "<=19.3", source="ee/lib/ee/api/search.rb of 19: render_api_error! with a text instead of a hash"
)
SEARCHES_HAVE_LATER_SCOPES: Final = Behaviour(
    "<=19.3", source="spec/lib/api/helpers/search_helpers_spec.rb: work_items; ee/lib/ee/api/helpers/search_helpers.rb"
)
SEARCH_TYPES_ARE_CHECKED: Final = Behaviour(
    "<=19.3", source="ee/app/services/ee/search_service.rb of 19: search_type_errors"
)
SEARCH_HIDES_ARCHIVED: Final = Behaviour(
    "16.6", source="doc/user/search: archived projects excluded, generally available in 16.6 for all scopes"
)
SSH_SIGNATURES_ARE_CHECKED: Final = Behaviour(
    "15.7", source="doc/user/project/repository/signed_commits/ssh.md: introduced in 15.7, enabled by default"
)
RELEASES_NAME_THEIR_EVIDENCE: Final = Behaviour(
    until="<=18.9", source="doc/api/releases: no evidence_file_path in 18.9"
)

UNKNOWN_DIRECTORIES_ARE_NOT_FOUND: Final = Behaviour("<=18.9", source="lib/api/repositories.rb of 18.9: IndexError")
VISITORS_DOWNLOAD_SO_OFTEN: Final = Behaviour(
    "<=19.3", source="doc/api/settings.md of 19: raw_blob_request_limit_unauthenticated, 800 a minute and project"
)
RAW_FILES_ARE_POINTERS: Final = Behaviour("<=17.2", source="doc/api/repository_files.md: lfs, false by default")
DEFAULT_BRANCH: Final = ByRelease({"13.5": "master", "14.0": "main"}, source="removals 14.0: default branch name")
ADMINISTRATORS_BYPASS_PROTECTION: Final = Behaviour(
    until="16.0", source="deprecations 16.0: administrators must have permission to modify protected branches"
)
GROUP_PROTECTED_BRANCHES: Final = Behaviour("17.6", source="doc/api/group_protected_branches.md: available in 17.6")
LOOSE_VERSIONS_OF_GENERIC_PACKAGES: Final = Behaviour("13.10", source="doc/user/packages/generic_packages of 13.10")
GUESTS_MAY_PULL_PACKAGES: Final = Behaviour(
    "17.9", source="config/feature_flags/gitlab_com_derisk/allow_guest_plus_roles_to_pull_packages.yml: 17.9, off"
)
"""With the feature of that name, which is off by default."""
NPM_HIDES_UNKNOWN_PROJECTS: Final = Behaviour(
    "13.8",
    source="lib/api/helpers/packages/npm.rb of 13.12: not_found!('Project'); before 13.8 lib/api/npm_packages.rb",
)
"""The registry of the instance answers 404 where no project has a package, or the caller does not see it."""
NPM_ASKS_VISITORS_TO_LOGIN: Final = Behaviour(
    "16.4", source="merge request 131074: metadata and tags of closed projects are 401 for anonymous callers"
)
MAVEN_ASKS_VISITORS_TO_LOGIN: Final = Behaviour(
    "<=17.8", source="lib/api/maven_packages.rb: find_authorized_group!, authorize!; spec/requests/api: unauthorized"
)
MAVEN_SAYS_DIGESTS: Final = Behaviour(
    "<=17.8", source="lib/api/helpers/packages/maven.rb: SHA1_CHECKSUM_HEADER, MD5_CHECKSUM_HEADER"
)
MAVEN_LIMITS_FILE_NAMES: Final = Behaviour(
    "<=17.8", source="spec/requests/api/maven_packages_spec.rb: MAX_FILE_NAME_LENGTH, File name is too long"
)
MAVEN_CHECKS_PATHS: Final = Behaviour(
    "<=19.1",
    source="lib/api/helpers/packages/maven.rb: path_and_file_name with file_path; maven_packages_spec.rb of 19.1",
)
MAVEN_GROUPS_SERVE_READABLE_PACKAGES: Final = Behaviour(
    "<=19.1", source="spec/requests/api/maven_packages_spec.rb of 19.1: group, duplicate packages in two projects"
)
"""A group serves the newest package that the caller may read; before, the newest one, or nothing."""
MAVEN_SERVES_LAST_METADATA: Final = Behaviour(
    "<=19.1", source="lib/api/helpers/packages/maven.rb: order_by_package_file; maven_packages_spec.rb of 19.1"
)
"""Of several packages at a path, that with the last file has the metadata of all versions."""
MAVEN_REPEATS_ERRORS: Final = Behaviour(
    "<=19.1", source="lib/api/helpers/packages/maven/api_error_formatter.rb of 19.1: error in sync with message"
)
PACKAGES_NEED_NO_REPOSITORY: Final = Behaviour(
    "<=17.8",
    source="app/policies/project_policy.rb: packages_disabled, no more | repository_disabled",
)
GENERIC_FILES_ARE_PUBLIC: Final = Behaviour(
    "<=14.10", source="issue 324284; spec/requests/api/generic_packages_spec.rb: PUBLIC, anonymous, success"
)
"""Anonymous callers download generic packages of public projects."""
GENERIC_FILES_SAY_THEIR_DIGEST: Final = Behaviour("<=18.9", source="lib/api/generic_packages.rb: X-Checksum-SHA256")
GENERIC_FILE_NAMES_HAVE_MORE_SIGNS: Final = Behaviour(
    "<=18.9", source="lib/gitlab/regex/packages.rb: generic_package_file_name_regex; spec/requests/api of that release"
)
"""Names of files may have `~` and `@`, but neither first nor last."""
CONAN_NEEDS_LOGIN: Final = Behaviour(
    until="<=13.10", source="merge request 54047: anonymous access to public Conan packages"
)
CONAN_TOKEN_HOURS: Final = ByRelease({"13.5": 1, "<=16.0": 24}, source="lib/gitlab/conan_token.rb: expiration of 1.day")
CONAN_RECIPES_WITHOUT_USER: Final = Behaviour("<=15.0", source="lib/gitlab/regex.rb: conan_recipe_user_channel_regex")
CONAN_REVISIONS: Final = Behaviour(
    "18.3", source="doc/api/packages/conan_v2.md: feature flag conan_package_revisions_support removed in 18.3"
)
CONAN_SEARCHES_ARE_LIMITED: Final = Behaviour(
    "<=17.11", source="app/services/packages/conan/search_service.rb: lengths, wildcards and the project of a search"
)
CONAN_FILES_ARE_STORED_ONCE: Final = Behaviour(
    "<=19.0", source="spec/support/shared_examples/requests/api/conan_packages_shared_examples.rb of 19: existing files"
)
MAX_NUGET_VERSIONS: Final = ByRelease(
    {"13.5": 50, "<=18.9": 300}, source="app/finders/packages/nuget/package_finder.rb: MAX_PACKAGES_COUNT"
)
NUGET_INDEX_IS_PUBLIC: Final = Behaviour("16.1", source="doc/api/packages/nuget.md: changed to be public in 16.1")
NUGET_CREDENTIALS_ARE_CHECKED: Final = Behaviour(
    "<=16.2", source="lib/api/nuget_project_packages.rb: authenticate_with, absent in 14.0"
)
NUGET_GROUP_NEEDS_SIGHT: Final = Behaviour("15.8", source="lib/api/nuget_group_packages.rb: read_group")
NUGET_ENTRIES_ARE_DESCRIBED: Final = Behaviour(
    "<=16.3", source="lib/api/entities/nuget/metadatum.rb, with the $metadata of 16.3"
)
NUGET_PACKAGES_ARE_CREATED_AT_ONCE: Final = Behaviour(
    "<=17.0", source="app/services/packages/nuget/create_or_update_package_service.rb"
)
NUGET_REFUSES_DUPLICATES: Final = Behaviour("<=16.9", source="PackageSettings.nugetDuplicatesAllowed of GraphQL")
NUGET_VERSIONS_ARE_NORMALIZED: Final = Behaviour(
    "<=16.9", source="app/models/concerns/packages/nuget/version_normalizable.rb"
)
GEMS_HAVE_SERIALIZED_SPECIFICATIONS: Final = Behaviour(
    "<=18.11", source="app/services/packages/rubygems/create_gemspec_service.rb of 18.11: gemspec.rz"
)
"""The specification of a gem is a file that ``gem install`` reads; before, the text of a program."""
GEMS_ARE_INDEXED: Final = Behaviour(
    "<=19.1", source="lib/api/rubygem_packages.rb of 19.1: SPEC_INDEX_FILE_NAMES; create_spec_files_service.rb"
)
CARGO_NAMES_UNKNOWN_PROJECTS: Final = Behaviour(
    "<=19.3",
    source="lib/api/cargo_project_packages.rb: user_project_with_read_package; in 19.2 authorized_user_project",
)
NUGET_SYMBOLS_BELONG_TO_PROJECTS: Final = Behaviour(
    "<=19.2", source="lib/api/concerns/packages/nuget/public_endpoints.rb of 19.2: project_ids of the project or group"
)
"""Symbol files are found in the project or group that is asked; before, in the whole instance."""
NPM_NAMES_ARE_FREE: Final = Behaviour(
    "<=14.0", source="app/models/packages/package.rb of 14.0: npm_package_name_regex, package_already_taken"
)
NPM_DEPRECATES: Final = Behaviour(
    "16.0", source="app/services/packages/npm/deprecate_package_service.rb; doc/user/packages/npm_registry of 16.0"
)
NPM_REFUSALS_HAVE_ERRORS: Final = Behaviour(
    "<=16.11",
    source="lib/api/helpers/packages/npm.rb, npm_project_packages.rb: render_structured_api_error!; not in 15.6",
)
"""Refusals of the npm registry have the text that npm shows under ``error``, beside ``message``."""
MAVEN_IS_FORWARDED: Final = Behaviour(
    "15.4", source="doc/user/packages/maven_repository: maven_central_request_forwarding introduced in 15.4"
)
MAVEN_NAMES_WHAT_IS_MISSING: Final = Behaviour("<=15.4", source="lib/api/maven_packages.rb: not_found!('Package')")
DEPENDENCY_PROXY_IS_FREE: Final = Behaviour(
    "13.6", source="doc/user/packages/dependency_proxy: moved from Premium to Free in 13.6"
)
DEPENDENCY_PROXY_NEEDS_TOKEN: Final = Behaviour(
    "13.7", source="doc/user/packages/dependency_proxy: support for private groups and authentication in 13.7"
)
DEPENDENCY_PROXY_IS_PURGED_LATER: Final = Behaviour(
    "<=14.10", source="lib/api/dependency_proxy.rb: status :accepted; none in ee/lib/api/dependency_proxy.rb of 13.12"
)
MAVEN_REFUSES_DUPLICATES: Final = Behaviour("<=13.9", source="PackageSettings.mavenDuplicatesAllowed of GraphQL")
GENERIC_REFUSES_DUPLICATES: Final = Behaviour("<=14.0", source="PackageSettings.genericDuplicatesAllowed of GraphQL")
PYPI_REQUESTS_ARE_FORWARDED: Final = Behaviour(
    "14.2", source="doc/user/packages/pypi_repository: packages that are not found, from 14.2 on"
)
PYPI_FILES_NEED_A_RIGHT: Final = Behaviour(
    "<=15.7", source="lib/api/pypi_packages.rb of 15.7: project!(action: :read_package), find_authorized_group!"
)
"""Files are for those who read the packages; before, for whoever knows the digest."""
PYPI_PAGES_MAY_BE_JSON: Final = Behaviour(
    "18.10", source="config/feature_flags/gitlab_com_derisk/pypi_pep_691_json.yml: milestone 18.10, off"
)
"""With the feature of that name, which is off by default."""
PYPI_DIGESTS_ARE_CHECKED: Final = Behaviour(
    "<=15.7", source="lib/api/pypi_packages.rb of 15.7: sha256_digest with Gitlab::Regex.sha256_regex"
)
PYPI_REFUSALS_HAVE_A_STATUS: Final = Behaviour(
    "<=17.9", source="lib/api/pypi_packages.rb: bad_request!(service_response.message); in 15.7 the message alone"
)
PYPI_METADATA_IS_TRUNCATED: Final = Behaviour(
    "<=17.9", source="app/services/packages/pypi/create_package_service.rb of 17.9: truncate_fields"
)
NUGET_PUBLISHES_SYMBOLS: Final = Behaviour("14.1", source="doc/api/packages/nuget.md: symbolpackage of 14.1")
PIPELINES_OF_PACKAGES_ARE_EMPTY: Final = Behaviour(
    "16.1",
    source="lib/api/entities/package.rb: EMPTY_PIPELINES, with doc/api/packages.md: list package pipelines in 16.1",
)
TERRAFORM_MODULES_ARE_DISCOVERED: Final = Behaviour(
    "14.0", source="doc/user/packages/terraform_module_registry: introduced in 14.0"
)
GROUPS_LIST_READABLE_PACKAGES: Final = Behaviour(
    "<=19.2", source="lib/api/group_packages.rb of 19: read_group, then the projects whose packages the caller reads"
)
PACKAGES_WITH_ERRORS_HAVE_NO_DETAILS: Final = Behaviour(
    "<=16.0", source="lib/api/project_packages.rb: Package not found unless package.default?"
)
PACKAGES_HIDE_PIPELINES: Final = Behaviour(
    "<=18.11", source="lib/api/entities/package.rb and package_file.rb of 18.11: can_read_pipeline?"
)
"""Packages and their files show pipelines only to those who read the pipelines of the project."""
PACKAGE_PIPELINES_NEED_A_RIGHT: Final = Behaviour(
    "<=19.0", source="lib/api/project_packages.rb of 19.0: authorize! :read_pipeline unless from_ci_job_token?"
)
PACKAGES_WITH_ERRORS_HAVE_NO_PAGE: Final = Behaviour(
    "<=18.11", source="lib/api/entities/package.rb of 18.11: web_path, if: detailed_info?"
)
PROTECTED_PACKAGES_ARE_NAMED_ALONE: Final = Behaviour(
    "<=19.0",
    source="lib/api/project_packages.rb of 19.0: render_api_error!(result.message); nuget_packages_shared_examples",
)
"""The refusal of a deletion by a rule does not name the status."""
TERRAFORM_MODULE_PAGES: Final = ByRelease(
    {"13.5": "packages", "<=14.3": "infrastructure_registry", "<=16.9": "terraform_module_registry"},
    source="config/routes/project.rb: terraform_module_registry, with a redirect from infrastructure_registry",
)
DUPLICATE_EXCEPTIONS_INVERT: Final = Behaviour(
    "<=17.0", source="app/models/namespace/package_setting.rb: duplicates_allowed ? !regex_match : regex_match"
)
PACKAGES_REMEMBER_DOWNLOADS: Final = Behaviour("<=15.8", source="lib/api/entities/package.rb: last_downloaded_at")
TERRAFORM_MODULES_MAY_HAVE_DUPLICATES: Final = Behaviour(
    "<=16.9", source="PackageSettings.terraformModuleDuplicatesAllowed of GraphQL"
)
DEVELOPERS_IMPORT_PROJECTS: Final = Behaviour(until="16.0", source="deprecations 16.0: import needs Maintainer")
UPLOADS_HAVE_PATHS_BY_ID: Final = Behaviour("17.1", source="project_markdown_uploads.md: full_path changed in 17.1")
RELEASE_HTML_IS_OPTIONAL: Final = Behaviour("13.12", source="doc/api/releases/index.md: on demand in 13.12")
RELEASE_NOTES_FOR_CALLER: Final = Behaviour("13.12", source="lib/api/entities/release.rb of 13.12")
DEFAULT_GIT_DEPTH: Final = ByRelease(
    {"13.5": 50, "14.8": 20},
    source="doc/ci/pipelines/settings.md: 50 in 14.7 and earlier; app/models/project_ci_cd_setting.rb",
)
PAGES_HAVE_UNIQUE_DOMAINS: Final = ByRelease(
    {"13.5": False, "15.11": True}, source="doc/user/project/pages: unique domains enabled by default in 15.11"
)
PROTECTED_BRANCHES_ARE_UPDATED: Final = Behaviour(
    "15.6", source="doc/api/protected_branches.md: update introduced in 15.6"
)
DEPLOY_KEYS_ARE_FOUND_WHOLE: Final = Behaviour(
    "<=13.11", source="functional tests of python-gitlab 2.8, which ran against 13.11"
)

# Issues and merge requests

MIRRORS_TAKE_HOST_KEYS: Final = Behaviour(
    "<=19.2", source="lib/api/helpers/remote_mirrors_helpers.rb, app/services/remote_mirrors/host_keys_converter.rb"
)
HOOKS_KEEP_VARIABLES: Final = Behaviour(
    "15.2", source="lib/api/helpers/web_hooks_helpers.rb: changes are merged, not empty; came with url_variables"
)
HOOKS_ARE_CREATED_ALIKE: Final = Behaviour(
    "<=17.1", source="app/services/web_hooks/create_service.rb: of projects, groups and the instance, with sentences"
)
HOOK_URLS_NEED_VARIABLES: Final = Behaviour(
    "15.2", source="app/models/hooks/web_hook.rb: no_missing_url_variables, with url_variables"
)
UNLINKABLE_ISSUE_TEXT: Final = ByRelease(
    {
        "13.5": "No Issue found for given params",
        "<=15.0": "No matching issue found. Make sure that you are adding a valid issue URL.",
    },
    source="spec/requests/api/issue_links_spec.rb",
)
FORBIDDEN_LINK_TEXT: Final = ByRelease(
    {
        "13.5": None,
        "<=16.11": "Couldn't link issue. You must have at least the Reporter role in both projects.",
        "17.0": "Couldn't link issues. You must have at least the Guest role in both projects.",
    },
    source="spec/requests/api/issue_links_spec.rb of 2024 and 2026: 403 instead of 404",
)
TRIGGER_REFUSALS_SAY_WHY: Final = Behaviour(
    "<=18.9", source="app/services/ci/pipeline_triggers/update_service.rb: checks the right, not the API"
)
DEVELOPERS_REMOVE_CONTEXT_COMMITS: Final = Behaviour(
    "<=19.3", source="lib/api/merge_requests.rb: update_merge_request, destroy_merge_request still after 17.9"
)
USER_AGENTS_ARE_RECORDED: Final = Behaviour(
    until="<=16.10", source="functional tests of python-gitlab 4.5: 404 UserAgentDetail against 16.10"
)
ISSUES_ARE_LIMITED_BY_PROJECT: Final = Behaviour(
    "<=15.8", source="app/services/issues/create_service.rb: rate_limit, with the scope project and current_user"
)
"""Only what callers may create counts, in each project by itself, and copies of issues do, too."""
EPICS_ARE_LIMITED: Final = Behaviour(
    "<=15.8", source="ee/app/services/epics/create_service.rb: rate_limit key: :issues_create"
)
NEW_EPICS_NOTE_THEIR_PARENTS: Final = Behaviour(
    "<=15.8", source="ee/app/services/epics/create_service.rb: handle_parent_change; not in 14.0"
)
ISSUES_CHOOSE_READABLE_EPICS: Final = Behaviour(
    "<=15.8", source="ee/app/services/ee/issues/base_service.rb: read_epic and admin_issue_relation; 13.12: admin_epic"
)
"""Members of a project choose any epic that they see for its issues."""
NEW_ISSUES_ARE_HIDDEN_LIKE_EPICS: Final = Behaviour(
    "<=13.12", source="ee/app/services/ee/issues/base_service.rb: confidential, unless the issue is persisted"
)
EPICS_TAKE_ISSUES_FROM_ELSEWHERE: Final = Behaviour(
    "15.6", source="doc/user/group/epics: flag epic_issues_from_different_hierarchies removed in 15.6"
)

PROJECTS_ARE_NAMESPACES: Final = Behaviour(
    "16.10", source="GraphQL schema: Namespace.workItem of projects and groups, introduced in 16.10"
)
EPIC_LEVELS: Final = ByRelease(
    {"13.5": 5, "<=13.12": 7}, source="doc/user/group/epics/manage_epics.md: seven levels; MAX_HIERARCHY_DEPTH"
)
_TOO_DEEP = (
    "This epic cannot be added. One or more epics would exceed the maximum depth (7) from its most distant ancestor."
)
CHILD_EPIC_REFUSALS: Final[ByRelease[Mapping[str, str]]] = ByRelease(
    {
        "13.5": {
            "own": "Cannot add an epic as a child of itself",
            "child": "This epic can't be added as it is already assigned to the parent",
            "ancestor": "This epic can't be added as it is already assigned to this epic's ancestor",
            "bottom": "This epic can't be added because the parent is already at the maximum depth "
            "from its most distant ancestor",
            "depth": "This epic can't be added because the resulting epic would exceed the maximum depth",
        },
        "<=13.12": {
            "own": "This epic cannot be added. An epic cannot be added to itself.",
            "child": "This epic cannot be added. It is already assigned to the parent epic.",
            "ancestor": "This epic cannot be added. It is already an ancestor of the parent epic.",
            "bottom": _TOO_DEEP,
            "depth": _TOO_DEEP,
        },
    },
    source="ee/app/models/ee/epic.rb: validate_parent, of 13.12 and before",
)
UNLINKABLE_EPIC: Final = ByRelease(
    {
        "13.5": "No Epic found for given params",
        "<=15.8": "No matching epic found. Make sure that you are adding a valid epic URL.",
    },
    source="ee/app/services/epics/epic_links/create_service.rb: issuables_not_found_message",
)
CHILD_EPICS_COME_FROM_ANYWHERE: Final = Behaviour(
    "15.9",
    source="doc/user/group/epics/manage_epics.md: cross-group child epics; ee/spec/requests/api/epic_links_spec.rb",
)
"""Children of epics may belong to any group; they are listed, added, moved and removed where the caller sees them."""
CHILD_EPICS_ARE_CREATED_BY_REPORTERS: Final = Behaviour(
    "<=19.3", source="ee/lib/api/epic_links.rb: authorize_can_create!; Guests created them at first"
)
EPICS_ARE_LINKED_AS_WORK_ITEMS: Final = Behaviour(
    "<=19.3", source="ee/spec/services/work_items/legacy_epics/epic_links/create_service_spec.rb"
)
"""The refusals of children are those of work items, and both sides name each other as such."""
OPEN_CHILD_OF_HIDDEN_EPIC: Final = ByRelease(
    {
        "13.5": "Not confidential epic cannot be assigned to a confidential parent epic",
        "<=13.12": "A non-confidential epic cannot be assigned to a confidential parent epic",
    },
    source="ee/app/models/ee/epic.rb: validate_confidential_parent",
)
READERS_FILL_EPICS: Final = Behaviour(
    "<=18.9", source="ee/lib/api/epic_issues.rb: read_epic and admin_issue_relation; gitlab-org/gitlab!136322"
)
"""Whoever reads an epic adds the issues to it of which they are a Guest; others are forbidden."""
GUESTS_LINK_EPICS: Final = Behaviour("15.8", source="doc/api/linked_epics.md: from Reporter to Guest in 15.8")
CHANGED_TYPES_NAME_BOTH: Final = Behaviour(
    "<=16.11", source="app/services/system_notes/issuables_service.rb of 16.11: changed type from … to …"
)
DRAFT_TOGGLES: Final = Behaviour(until="16.0", source="deprecations 16.0: toggle behaviour of /draft")
BLOCKS_ARE_NOTED: Final = Behaviour("<=19.3", source="app/services/merge_requests/create_block_service.rb of 19.3")
LONG_STATUS_NAMES: Final = Behaviour("<=17.10", source="doc/api/merge_requests.md of 17.10: merge_request_blocked")
UNAPPROVE_QUICK_ACTION: Final = Behaviour("14.3", source="doc/user/project/quick_actions.md: /unapprove in 14.3")
REVIEWER_QUICK_ACTIONS: Final = Behaviour("13.7", source="doc/user/project/quick_actions.md of 13.7: /assign_reviewer")
REQUEST_CHANGES_QUICK_ACTION: Final = Behaviour("16.9", source="doc/user/project/quick_actions.md: /request_changes")
REVIEWS_ARE_REQUESTED_AGAIN: Final = Behaviour(
    "<=17.10", source="lib/gitlab/quick_actions/merge_request_actions.rb of 17.10: /request_review"
)
REVIEWS_HAVE_VERDICTS: Final = Behaviour(
    "<=17.10", source="lib/gitlab/quick_actions/merge_request_actions.rb of 17.10: /submit_review"
)
DRAFTS_BECOME_THREADS: Final = Behaviour("<=18.9", source="spec/requests/api/draft_notes_spec.rb of 18.9")
REVIEWS_ARE_TODOS: Final = Behaviour("<=16.3", source="the GraphQL schema of 16.3: TodoActionEnum.review_submitted")
REVIEWERS_AS_SENTENCES: Final = Behaviour("<=17.10", source="app/helpers/emails_helper.rb of 17.10")
ASSIGNEES_ARE_LIMITED: Final = Behaviour("15.6", source="changelog of 15.6: 200 assignees of issues and merge requests")
REVIEWERS_ARE_LIMITED: Final = Behaviour("15.9", source="changelog of 15.9: 200 reviewers at most")
REVIEWERS_APPROVE: Final = Behaviour("<=18.5", source="the GraphQL schema of 18.5: states approved and unapproved")
REVIEWERS_IN_HOOKS: Final = Behaviour("<=15.4", source="doc/user/project/integrations/webhook_events.md of 15.4")
FAILED_MERGES_ARE_UNPROCESSABLE: Final = Behaviour("<=16.11", source="doc/api/merge_requests.md of 16.11: 422")
CONFLICTS_FORBID_MERGING: Final = Behaviour("<=19.3", source="lib/api/merge_requests.rb of 19.3: execute_merge")
MERGES_MAY_NEED_A_SHA: Final = Behaviour(
    "19.2", source="doc/api/settings.md: require_sha_for_merge introduced in 19.2; lib/api/merge_requests.rb"
)
HEADS_ARE_CHECKED_FIRST: Final = Behaviour("<=19.3", source="lib/api/merge_requests.rb of 19.3: build_merge_params")
INITIAL_PUSHES_ARE_PROTECTED: Final = Behaviour("<=18.9", source="doc/api/groups.md: default_branch_protection 4")
TRANSFERS_ARE_EXPLAINED: Final = Behaviour(
    "<=18.0", source="app/services/projects/transfer_service.rb: Project is already in this namespace."
)
LOCKED_IMPORTS_HAVE_A_CODE: Final = Behaviour(
    "<=18.9", source="ee/spec/requests/api/projects_spec.rb: import_project_members into locked projects"
)
IMPORTED_MEMBERS_HAVE_NO_TEXT: Final = Behaviour(
    "<=18.0", source="lib/api/projects.rb of 18: only the status of a successful import"
)
MOVED_PROJECTS_ARE_REDIRECTED: Final = Behaviour("16.7", source="doc/api/rest: Redirects, generally available in 16.7")
"""The REST API knows the former paths of projects: GET leads to the id, other methods are refused."""
TAKEN_NAMES_ARE_TAKEN_TWICE: Final = Behaviour(
    "<=17.11", source="spec/requests/api/projects_spec.rb of 17: a taken name is also an error of the project namespace"
)
FORKS_ARE_REFUSED_IN_SENTENCES: Final = Behaviour(
    "<=17.11", source="app/services/projects/fork_service.rb of 17: full_messages; a hash before"
)
OWNERS_LINK_FORKS: Final = Behaviour(
    "<=17.11", source="app/policies/project_policy.rb of 17: owner_access enables link_forked_project"
)
"""They also need the right to fork into the namespace of their project."""
IMPORTS_BY_URL_ARE_A_SOURCE: Final = Behaviour(
    "<=17.11", source="lib/api/projects.rb of 17: errors[:import_source_disabled]; not in 13.12"
)
PROJECTS_LINK_AGENTS: Final = Behaviour("<=17.11", source="lib/api/entities/project.rb of 17: _links.cluster_agents")
HOUSEKEEPING_PAUSE: Final = ByRelease(
    {"13.5": ("project", 60), "<=13.12": ("resource", 1440)},
    source="app/services/repositories/housekeeping_service.rb: LeaseTaken, LEASE_TIMEOUT",
)
"""What has been kept, and for how many minutes it is not kept again."""
PROJECTS_BY_STARS: Final = Behaviour("<=17.11", source="lib/api/projects.rb of 17: order_by")
GROUPS_ARE_FOUND_BELOW_OTHERS: Final = Behaviour(
    "<=15.11", source="spec/requests/api/groups_spec.rb: finds also groups with full path matching search param"
)
"""A search among all groups also finds those whose full path or full name contains the text."""
SHARES_ARE_AS_VISIBLE_AS_GROUPS: Final = Behaviour(
    "<=17.11",
    source="lib/api/entities/group_detail.rb of 17: shared_with_group_links_visible_to_user; entities/project.rb",
)
HIDDEN_MERGE_REQUESTS_ARE_FORBIDDEN: Final = Behaviour(
    "<=18.9", source="spec/support/shared_examples/requests/api/merge_requests_shared_examples.rb of 18: 403"
)
MEMBERS_CONTRIBUTE_FIRST: Final = Behaviour("<=18.9", source="app/models/merge_request.rb of 18: first_contribution?")
MERGE_WHEN_CHECKS_PASS: Final = Behaviour("17.7", source="doc/user/project/merge_requests/auto_merge.md: in 17.7")
CHANGE_REQUESTS_BLOCK_MERGING: Final = Behaviour("17.2", source="doc/user/project/merge_requests/reviews: in 17.2")
CONFLICT_STATUS: Final = Behaviour("<=16.11", source="doc/api/merge_requests.md of 16.11: for broken_status")
COMMITS_STATUS: Final = Behaviour("<=17.10", source="doc/api/merge_requests.md of 17.10: for broken_status")
NEED_REBASE: Final = Behaviour("<=16.11", source="doc/api/merge_requests.md of 16.11")
TITLES_ARE_CHECKED: Final = Behaviour("<=18.5", source="the GraphQL schema of 18.5: TITLE_NOT_MATCHING")
RUNNERS_ARE_LIMITED: Final = Behaviour(
    "<=14.4", source="doc/administration/instance_limits.md of 14: registered runners per scope; off by default before"
)
RUNNER_REQUESTS_ARE_LIMITED: Final = Behaviour(
    "18.5", source="lib/api/settings.rb of 18: runner_jobs_request_api_limit introduced in 18.5"
)
LOCKS_NAME_USERNAMES: Final = Behaviour(
    "<=18.9", source="lib/gitlab/checks/diff_check.rb of 2026: names before, which 17 still has"
)
LOCKS_BLOCK_MERGING: Final = Behaviour("<=18.5", source="the GraphQL schema of 18.5: LOCKED_LFS_FILES, LOCKED_PATHS")
JIRA_KEYS_ARE_REQUIRED: Final = Behaviour("<=16.9", source="the GraphQL schema of 16.8: JIRA_ASSOCIATION")
MERGE_TRAINS_RUN: Final = Behaviour("15.6", source="doc/api/merge_trains.md: merge requests are added since 15.6")
TRAINS_TAKE_NOBODY_TWICE: Final = Behaviour(
    "<=18.9", source="ee/app/services/merge_trains/add_merge_request_service.rb of 18.9: auto_merge_enabled?"
)
"""A merge request that is on a train, or waits to be merged, is refused by a train."""
READY_QUICK_ACTION: Final = Behaviour("15.1", source="doc/user/project/quick_actions.md: /ready introduced in 15.1")

# CI

FAILURE_REASONS_FOR_RUNNERS: Final = Behaviour("13.7", source="lib/api/entities/job_request/features.rb of 13.7")
ARTIFACTS_LEAVE_OUT_UNTRACKED: Final = Behaviour(
    "<=16.1", source="lib/api/entities/ci/job_request/artifacts.rb: untracked with expose_nil: false, not in 13.5"
)
RUNNING_JOBS_GET_ARTIFACTS: Final = Behaviour(
    "<=16.1",
    source="lib/api/entities/ci/job_request/dependency.rb: the token of the running job, by a flag of 15.0 that is "
    "gone with runner managers; lib/api/ci/helpers/runner.rb: authenticate_job_via_dependent_job!",
)
"""Dependencies have the token of the job that is taken, and every running job whose user may downloads archives."""
FILES_ARE_NO_CONTACTS: Final = Behaviour(
    "<=15.9", source="lib/api/ci/runner.rb before system_id, which is of 15.10: heartbeat_runner without artifacts"
)
RUNNERS_LEARN_STATUSES: Final = Behaviour(
    "<=17.10", source="lib/api/ci/runner.rb with job_token_policies: PUT /jobs/:id with the header Job-Status"
)
RUNNERS_RETURN_EXIT_CODES: Final = Behaviour(
    "13.8", source="app/models/ci/build.rb: RUNNER_FEATURES, exit codes of 13.8"
)
IMAGES_ARE_PULLED_BY_PROXY: Final = Behaviour(
    "<=14.5", source="lib/gitlab/ci/build/credentials/registry/dependency_proxy.rb of 14; not in 14.0"
)
IMPORTS_NEED_LOGIN: Final = Behaviour(
    "<=16.11", source="lib/api/project_import.rb with import-relation, which is of 16.11: authenticate! before all"
)
"""Earlier releases show everybody the status of an import, while projects may be imported."""
JOBS_CANCEL_GRACEFULLY: Final = Behaviour(
    "17.0", source="app/models/commit_status.rb: canceling, a status since 17.0, by the runner's cancel_gracefully"
)
"""Jobs are canceled once a runner that has the feature says that they have stopped."""
STUCK_JOBS_SAY_WHY: Final = Behaviour(
    "<=19.3", source="app/models/concerns/enums/ci/commit_status.rb of 19: failure_reason_aliases"
)
"""Jobs that fail because nobody runs them have reasons of their own, of which ``retry`` knows the earlier names."""
LOGS_ARE_LIMITED: Final = Behaviour(
    "<=14.4", source="app/services/ci/append_build_trace_service.rb: trace_size_exceeded"
)
BLOCKED_USERS_RUN_NO_JOBS: Final = Behaviour(
    "<=17.10", source="app/services/ci/register_job_service.rb: user_blocked among the checks, not in 14"
)
VERIFICATION_IS_A_CONTACT: Final = Behaviour(
    "<=19.3", source="lib/api/ci/helpers/runner.rb with creation_state: every verification is a heartbeat"
)
"""Also of runners that users created."""
SEVERAL_CACHES: Final = Behaviour("13.11", source="doc/ci/yaml: several caches introduced in 13.11")
SERVICES_HAVE_VARIABLES: Final = Behaviour("14.5", source="doc/ci/services: settings of a service")
SEPARATE_CACHES: Final = Behaviour("15.0", source="doc/ci/yaml of 15.10: caches of protected branches are separate")
PULL_POLICIES: Final = Behaviour("15.2", source="doc/ci/yaml of 18.6: image:pull_policy")
FALLBACK_KEYS: Final = Behaviour("16.0", source="doc/ci/caching of 16.x: several fallback keys per cache")
AUDIENCES_HAVE_VARIABLES: Final = Behaviour("16.1", source="doc/ci/yaml of 18.6: id_tokens:aud with variables")
EXECUTOR_OPTIONS: Final = Behaviour("16.7", source="doc/ci/yaml of 18.6: image:docker")
CACHE_KEYS_OF_CONTENTS: Final = Behaviour("<=18.6", source="doc/ci/yaml of 18.6: cache:key:files is of the contents")
RUNNERS_BECOME_STALE: Final = Behaviour("15.0", source="removals 15.0: not_connected is never_contacted; stale")
RUNNER_STATUSES_LEAVE_PAUSES_OUT: Final = Behaviour(
    "14.6", source="GraphQL reference of 14.9: PAUSED deprecated in 14.6, legacyMode null for the new statuses"
)
RUNNER_STALE_DAYS: Final = ByRelease({"15.0": 90, "<=18.2": 7}, source="app/models/ci/runner.rb: STALE_TIMEOUT")
RUNNER_ADDRESSES_ARE_NULL: Final = Behaviour(
    "17.0", source="rest/deprecations.md: no ip_address in 17.0; lib/api/entities/ci/runner.rb of 18 and 19: null"
)
RUNNER_NOTES_ARE_FOR_MANAGERS: Final = Behaviour(
    "<=18.9", source="lib/api/entities/ci/runner_details.rb: maintenance_note for those who may update the runner"
)
RUNNER_UPDATES_LEAVE_OUT_PROJECTS: Final = Behaviour(
    "<=18.9", source="lib/api/ci/runners.rb: PUT does not pass include_projects to the view"
)
RUNNER_TOKENS_HAVE_TIMES: Final = Behaviour(
    "<=19.3", source="doc/api/users.md of 19: token_expires_at and token_rotation_deadline of POST /user/runners"
)
RUNNER_CREATORS_ARE_VISIBLE_USERS: Final = Behaviour(
    "<=19.3", source="lib/api/entities/ci/runner.rb of 19: created_by if the caller can read the creator"
)
"""A runner that nobody created has no field for its creator."""
ACCESS_LEVELS_HAVE_IDS: Final = Behaviour(
    "<=15.9", source="lib/api/entities/protected_ref_access.rb; with the parameter id of client-go 2023-02-03"
)
ACCESS_LEVELS_NAME_DEPLOY_KEYS: Final = Behaviour(
    "<=18.9", source="lib/api/entities/protected_ref_access.rb: deploy_key_id wherever there is the column"
)
"""Who may push or create shows the id of a deploy key, or null."""
GROUP_MAINTAINERS_READ_RUNNERS: Final = Behaviour(
    "<=17.11",
    source="doc/api/runners.md: the Maintainer role for the target namespace; app/policies/ci/runner_policy.rb",
)
"""Maintainers of a group, and of a project that uses the runners of a group, read these."""
GROUPS_LIST_SHARED_RUNNERS: Final = Behaviour("<=15.8", source="app/models/ci/runner.rb: group_or_instance_wide")
RUNNERS_STAY_WITH_THEIR_OWNER: Final = Behaviour(
    "<=17.11", source="app/services/ci/runners/unassign_runner_service.rb: the owner project"
)
"""A runner cannot be disabled for the first of its projects, which owns it."""
DISABLING_RUNNERS_NEEDS_ACCESS: Final = Behaviour(
    "<=18.9", source="lib/api/ci/runners.rb: authenticate_disable_runner!"
)
"""Who is no administrator is not told why a runner cannot be disabled for the project that owns it."""
RUNNER_ASSIGNMENTS_NAME_REASONS: Final = Behaviour(
    "<=19.2", source="lib/api/ci/runners.rb of 19.2: render_api_error_with_reason!; app/models/ci/runner.rb: assign_to"
)
RUNNER_TAGS_ARE_LIMITED: Final = Behaviour("<=17.11", source="app/models/ci/runner.rb: TAG_LIST_MAX_LENGTH")
RUNNER_JOBS_HAVE_CURSORS: Final = Behaviour(
    "<=17.11", source="spec/requests/api/ci/runners_spec.rb: ascending without order, keyset pagination, system_id"
)
JOB_IDS_FOR_RUNNERS: Final = Behaviour(
    "<=15.10", source="spec/requests/api/ci/runner/jobs_request_post_spec.rb of 15.10: id in job_info"
)
PLACES_FOR_RUNNERS: Final = Behaviour(
    "<=19.3", source="lib/api/entities/ci/job_request/job_info.rb of 19: project_full_path, namespace_id and others"
)
REGISTERED_RUNNERS_HAVE_NO_VERSION: Final = Behaviour(
    "<=17.10", source="lib/api/ci/runner.rb with job_token_policies: only the name of info is stored"
)
"""What a runner says of its program when it is registered is forgotten; what it says with requests is shown."""
JOB_QUEUES_FOR_RUNNERS: Final = Behaviour("<=17.11", source="lib/api/entities/ci/job_request/job_info.rb")
OBJECT_FORMATS_FOR_RUNNERS: Final = Behaviour(
    "<=17.11", source="spec/requests/api/ci/runner/jobs_request_post_spec.rb: repo_object_format"
)
SECRETS_HAVE_PROVIDERS: Final = Behaviour(
    "<=18.11", source="app/models/ci/secrets/integration.rb: secrets_provider? looks at the secrets"
)
VAULTS_HAVE_NAMESPACES: Final = Behaviour(
    "<=15.9", source="ee/app/presenters/ee/ci/build_runner_presenter.rb: VAULT_NAMESPACE, beside tokens of secrets"
)
STEPS_REPLACE_SCRIPTS: Final = Behaviour(
    "<=18.6", source="spec/requests/api/ci/runner/jobs_request_post_spec.rb: no steps with run"
)
CLOSED_TO_RUNNERS: Final = ByRelease(
    {"13.5": "Job is not running", "<=17.11": "Job is not processing on runner"},
    source="lib/api/ci/helpers/runner.rb: authenticate_job!",
)
RELEASES_HAVE_ASSET_LINKS: Final = Behaviour("13.12", source="doc/ci/yaml of 15.10: release:assets:links")
RELEASES_ARE_PUBLISHED: Final = Behaviour(
    "<=17.9", source="lib/gitlab/ci/build/releaser.rb: --catalog-publish for projects of the catalog"
)
RELEASES_ARE_MADE_BY_GLAB: Final = Behaviour("<=18.0", source="lib/gitlab/ci/build/releaser.rb: glab, else release-cli")
SECONDS_BETWEEN_LOG_PARTS: Final = ByRelease(
    {"13.5": 30, "<=15.10": 60}, source="lib/gitlab/ci/trace.rb: UPDATE_FREQUENCY_DEFAULT"
)
PROTECTION_FOR_RUNNERS: Final = Behaviour("<=18.9", source="lib/api/entities/ci/job_request/git_info.rb: protected")
RUNNERS_HAVE_MANAGERS: Final = Behaviour("<=15.10", source='GraphQL schema: CiRunner.managers, "Introduced in 15.10"')
VERIFICATION_SHOWS_RUNNERS: Final = Behaviour(
    "<=15.11", source="lib/api/ci/runner.rb; runners that POST /user/runners creates learn their id from it"
)
CONTROLLERS_OF_SINGLE_RUNNERS: Final = Behaviour("18.10", source="doc/api/runner_controllers.md: runner scopes")
STATUS_FLAGS_ARE_CHECKED: Final = Behaviour(
    "<=17.11", source="lib/api/commit_statuses.rb with documented parameters: all is a Boolean, no text"
)
STATUSES_KEEP_TO_THEIR_PIPELINE: Final = Behaviour(
    "<=18.4", source="app/services/ci/create_commit_status_service.rb: 404 Pipeline for pipeline_id, sha and ref"
)
LONG_STATUS_TEXTS_ARE_REFUSED: Final = Behaviour("16.0", source="deprecations 16.0: parameters limited to 255")
UNKNOWN_JOBS_ARE_FORBIDDEN: Final = Behaviour("13.12", source="lib/api/ci/helpers/runner.rb of 13.12")
LARGE_LSIF_ARTIFACTS: Final = Behaviour("13.6", source="doc/administration/instance_limits.md of 13.6")
MASKED_TILDES: Final = Behaviour("13.12", source="doc/ci/variables: ~ in GitLab 13.12 and later")
MAINTAINERS_TAKE_SCHEDULES: Final = Behaviour("14.0", source="app/policies/ci/pipeline_schedule_policy.rb of 14.0")
DEBUG_LOGS_ARE_RESTRICTED: Final = Behaviour("13.7", source="doc/ci/variables of 13.7: access to debug logging")
ID_TOKENS_REPLACE_OTHERS: Final = Behaviour("16.0", source="deprecations 16.0: JSON web token variables")
TRIGGERS_GIVE_PAYLOADS: Final = Behaviour("13.9", source="doc/ci/triggers: TRIGGER_PAYLOAD introduced in 13.9")
SCHEDULES_KEEP_TO_VARIABLE_ROLES: Final = Behaviour(
    "<=17.11", source="spec/requests/api/ci/pipeline_schedules_spec.rb: restricts use of user defined variables"
)
PIPELINES_ARE_FOUND_BY_NAME: Final = Behaviour("16.9", source="doc/api/pipelines.md: name in request, 16.9")
JOBS_ARE_NOT_COUNTED: Final = Behaviour("<=15.9", source="spec/requests/api/ci/jobs_spec.rb: limited headers")
BRIDGES_ARE_PLAYED: Final = Behaviour("<=15.3", source="spec/requests/api/ci/jobs_spec.rb: plays a bridge")
BRIDGES_ARE_RETRIED: Final = Behaviour("<=17.11", source="spec/requests/api/ci/jobs_spec.rb: retries the bridge")
CATALOG_VERSIONS_ARE_ASKED_FOR: Final = Behaviour(
    "<=18.9", source="doc/ci/components: only the keyword release publishes; legacy_catalog_publish"
)
SCHEDULE_INPUTS_ARE_HIDDEN: Final = Behaviour("<=19.2", source="lib/api/entities/ci/pipeline_schedule.rb of 19.2")
SCHEDULE_VARIABLES_ARE_HIDDEN: Final = Behaviour(
    "<=14.9", source="lib/api/entities/ci/pipeline_schedule_details.rb: read_pipeline_schedule_variables"
)
OWN_SCHEDULES_ARE_TAKEN_WITH_200: Final = Behaviour(
    "<=17.11", source="lib/api/ci/pipeline_schedules.rb: status of a schedule that is already owned"
)
JOB_TOKEN_ENTRY_EXISTS: Final = ByRelease(
    {
        "13.5": "Target {} is already in the job token scope",
        "<=18.0": "This {} is already in the job token allowlist.",
    },
    source="app/services/ci/job_token_scope: add_project_service.rb and add_group_service.rb, with policies",
)
ALERT_ENDPOINTS_LIST_ALERTS: Final = Behaviour(
    "<=15.11", source="doc/operations/incident_management/integrations.md before 16.0: Response body"
)
ALERT_KEYS_ARE_PASSWORDS: Final = Behaviour(
    "<=15.11", source="doc/operations/incident_management/integrations.md before 16.0: Basic authentication"
)
PROMETHEUS_ALERTS_HAVE_SEVERITIES: Final = Behaviour(
    "13.9", source="lib/gitlab/alert_management/payload/prometheus.rb: severities of labels, merge request 50871"
)
PROMETHEUS_MESSAGES_ARE_CREATED: Final = Behaviour(
    "<=18.9", source="app/services/projects/prometheus/alerts/notify_service.rb of 17 or 18: created"
)
ENDS_WITHOUT_ALERTS_ARE_REFUSED: Final = Behaviour(
    "<=13.12", source="app/services/concerns/alert_management/alert_processing.rb: process_new_alert, resolving_alert?"
)
"""An end time makes no alert, and is noted at the alert that it resolves."""
ONE_ALERT_INTEGRATION: Final = ByRelease(
    {
        "13.5": "Multiple HTTP integrations are not supported for this project",
        "<=16.2": "Multiple integrations of a single type are not supported for this project",
    },
    source="app/services/alert_management/http_integrations of 13.6 and 2023",
)
JOB_TOKEN_USE_IS_LOGGED: Final = Behaviour("17.6", source="doc/api/graphql/reference: CiJobTokenAuthLog since 17.6")
INBOUND_JOB_TOKEN_SCOPE: Final = Behaviour("15.9", source="doc/ci/jobs/ci_job_token.md: introduced in 15.9")
TEXTS_ARE_LINTED_WITHOUT_COMMIT: Final = Behaviour(
    "<=14.9", source="functional tests of python-gitlab 3.7, which ran against 14.9"
)
LINT_NEEDS_REPOSITORY: Final = Behaviour("<=16.10", source="lib/api/lint.rb with content_ref, of 16.10: 404 Repository")
LINT_KEEPS_PROTECTED_VARIABLES: Final = Behaviour(
    "<=17.11",
    source="lib/gitlab/ci/lint.rb: find_ref; spec/requests/api/lint_spec.rb of 17",
)
"""Without a simulation, a text sees the protected variables of a branch only if its author may change the branch."""

# Of partition 100, which is 64 in base 16.
JOBS_USE_APIS_OF_THEIR_PROJECT: Final = Behaviour(
    "<=16.8", source="doc/ci/jobs/ci_job_token.md of 16.8: packages, registry, deployments, environments, releases"
)
"""Job tokens are accepted by the API of packages, images, deployments, environments and releases."""
JOBS_READ_ISSUES: Final = Behaviour(
    "<=19.3", source="lib/api/issues.rb of 19.3: job_token_allowed; READ_WORK_ITEMS in doc/ci/jobs"
)
"""Job tokens are accepted by the issues of a project and by a single issue."""
JOBS_READ_REPOSITORIES: Final = Behaviour(
    "<=18.9", source="doc/ci/jobs/ci_job_token.md of 18.9: branches, commits, files, merge requests, tags"
)
"""Job tokens are accepted by some operations that read repositories and merge requests."""
JOBS_READ_PIPELINES: Final = Behaviour("<=19.2", source="lib/api/ci/pipelines.rb, lib/api/ci/jobs.rb of 19.2")
"""Job tokens are accepted by lists of pipelines and jobs, and by a single pipeline."""
JOB_TOKEN_PREFIX: Final = ByRelease({"13.5": "", "16.9": "glcbt-64_"}, source="doc/security/tokens: glcbt- since 16.9")
TRIGGER_TOKEN_PREFIX: Final = ByRelease(
    {"13.5": "", "<=16.9": "glptt-"}, source="doc/security/tokens before glcbt-, 16.9"
)
REGISTERED_RUNNER_TOKEN_PREFIX: Final = ByRelease(
    {"13.5": "", "17.11": "glrtr-"}, source="lib/authn/tokens/runner_authentication_token.rb: introduced in March 2025"
)

# Deployments

FEATURE_FLAG_CLIENT_PREFIX: Final = ByRelease({"13.5": "", "<=18.2": "glffct-"}, source="doc/security/tokens of 18.2")
SHORT_ENVIRONMENT_SEARCHES_ARE_REFUSED: Final = Behaviour("16.0", source="deprecations 16.0: three characters")
BLANK_DEPLOYMENTS_ARE_REFUSED: Final = Behaviour(
    "<=17.11", source="spec/requests/api/deployments_spec.rb: environment is empty"
)
FINISHED_DEPLOYMENTS_ARE_SORTED_SO: Final = Behaviour(
    "<=18.9", source="spec/requests/api/deployments_spec.rb: finished_at filter requires finished_at sort"
)
UPDATED_DEPLOYMENTS_ARE_SORTED_SO: Final = Behaviour(
    "16.0", source="deprecations 16.0: updated_at filter and order; app/finders/deployments_finder.rb"
)
CERTIFICATE_CLUSTERS_SERVE: Final = Behaviour(
    until="15.0", source="deprecations 15.0: certificate-based clusters are disabled by default"
)
CLUSTERS_ARE_SOUGHT_FIRST: Final = Behaviour(
    "14.9", source="lib/api/project_clusters.rb, group_clusters.rb, admin/instance_clusters.rb: ensure_feature_enabled!"
)
"""The project or group is looked up before parameters are validated, as the feature of its clusters is asked for."""
CERTIFICATE_CLUSTERS_ARE_DEPRECATED: Final = Behaviour("14.5", source="deprecations 14.5: certificate-based clusters")
CLUSTER_NAMESPACES_PER_ENVIRONMENT: Final = Behaviour("13.6", source="doc/api/project_clusters.md of 13.6")
LOCKED_TERRAFORM_STATES_STAY: Final = Behaviour(
    "<=15.3", source="app/services/terraform/states/trigger_destroy_service.rb, with TerraformState.deletedAt"
)
DEBIAN_REPOSITORIES: Final = Behaviour(
    "14.2", source="lib/api/concerns/packages/debian_package_endpoints.rb: texts that begin with TODO before"
)
DEBIAN_DISTRIBUTIONS_WANT_HEADERS: Final = Behaviour(
    "<=17.9", source="debian_distributions_shared_examples.rb: basic is 404 or 401; merge request 71911 of October 2021"
)
"""Tokens that are sent as passwords are ignored by the API of distributions."""
COMPOSER_2_REPOSITORIES: Final = Behaviour(
    "<=14.10", source="app/presenters/packages/composer/packages_presenter.rb: without metadata-url in 14.0"
)
COMPOSER_2_NEEDS_NO_PROVIDERS: Final = Behaviour(
    "<=15.11", source="app/presenters/packages/composer/packages_presenter.rb: composer_v2? after metadata-url"
)
COMPOSER_ARCHIVES_NEED_A_RIGHT: Final = Behaviour(
    "<=15.7", source="lib/api/composer_packages.rb of 15.7: authorized_user_project(action: :read_package)"
)
COMPOSER_ASKS_VISITORS_TO_LOGIN: Final = Behaviour(
    "<=17.9", source="lib/api/composer_packages.rb: find_authorized_group!, still user_group in that of 16.0"
)
"""Groups that visitors do not see are 401 for them, with a challenge."""
HELM_CHARTS_ARE_PROTECTED: Final = Behaviour(
    "18.1", source="doc/user/packages/package_registry/package_protection_rules.md: protected Helm charts introduced"
)
MODULES_AND_CRATES_ARE_PROTECTED: Final = Behaviour(
    "<=19.2", source="OpenAPI 19.2: package_type of protection rules; merge request 226533 for modules of Terraform"
)
PACKAGES_ARE_PROTECTED: Final = Behaviour(
    "17.6", source="doc/api/project_packages_protection_rules.md: generally available in 17.6"
)
IMAGE_TAGS_ARE_PROTECTED: Final = Behaviour(
    "17.11", source="doc/user/packages/container_registry/protected_container_tags.md: generally available in 17.11"
)
IMAGE_TAGS_ARE_IMMUTABLE: Final = Behaviour(
    "18.2", source="doc/user/packages/container_registry/immutable_container_tags.md: feature flag removed in 18.2"
)
DEPLOYMENTS_ARE_APPROVED: Final = Behaviour("14.8", source="doc/api/deployments.md: flag of approvals removed in 14.8")
CLUSTER_AGENTS_HAVE_TWO_TOKENS: Final = Behaviour("16.1", source="doc/api/cluster_agents.md: two-token limit in 16.1")
LEGACY_FEATURE_FLAGS: Final = Behaviour(until="14.0", source="removals 14.0: legacy feature flags")
UNLEASH_PROJECTS_ARE_IDS: Final = Behaviour(
    "<=16.11", source="lib/api/unleash.rb beside imports of relations: params[:project_id] without find_project"
)
CAMEL_CASE_STICKINESS: Final = Behaviour("14.0", source="app/models/operations/feature_flags/strategy.rb of 14.0")

GITHUB_IMPORTS_NEED_A_NAMESPACE: Final = Behaviour(
    "15.8", source="doc/api/import.md: namespaces are no longer created or fallen back to in 15.8"
)

# Exports of relations

DIRECT_TRANSFER_IS_A_SETTING: Final = Behaviour("15.8", source="doc/api/settings.md: bulk_import_enabled in 15.8")
DESTINATIONS_OF_TRANSFERS_ARE_CHECKED: Final = Behaviour(
    "<=16.11", source="python-gitlab's functional tests: 15.4 accepts a destination that is missing, 16.11 does not"
)
PROJECT_EXPORTS_RUN_ALONE: Final = Behaviour("<=19.2", source="spec/requests/api/project_export_spec.rb of 19.2")
EXPORTS_HAVE_USERS: Final = Behaviour(
    "<=17.11", source="import_export_uploads.user_id, a column of 17.3; spec/requests/api/project_export_spec.rb"
)
"""Each user has exports of projects and groups, which nobody else sees."""
EXPORT_DOWNLOADS_COUNT_IN_NAMESPACES: Final = Behaviour(
    "<=16.11", source="lib/api/project_export.rb: scope of the limit; its spec, issue 413230 of 2023"
)
RELATION_EXPORTS_HAVE_FILES: Final = Behaviour("<=15.0", source="app/models/bulk_imports/file_transfer/*.rb of 15.0")
"""Attributes, repositories, uploads and large files are relations too."""
RELATION_EXPORTS_HAVE_BATCHES: Final = Behaviour("<=17.0", source="lib/api/project_export.rb, lib/api/group_export.rb")
RELATION_EXPORTS_HAVE_USERS: Final = Behaviour("<=18.9", source="lib/api/project_export.rb: for_user_and_relation")
"""Each user has exports of relations, which nobody else sees."""

# Protections and approvals

RULES_OF_PROJECTS_ARE_LOCKED: Final = Behaviour(
    "15.5", source="changelog of 15.5: the instance's rule for editing approval rules; modify_approvers_rules"
)
ADMINISTRATORS_EDIT_LOCKED_RULES: Final = Behaviour(
    "15.9", source="changelog of 15.9: admins manage approval rules that are disallowed in the instance"
)
REPORTS_ARE_NAMED: Final = Behaviour("<=16.4", source="ee/app/models/concerns/approval_rule_like.rb: report_type")
RULES_OF_MERGE_REQUESTS_ARE_FOR_ANYBODY: Final = Behaviour(
    "<=15.6", source="ee/spec/requests/api/merge_request_approval_rules_spec.rb of 15.6: any_approver"
)
"""A merge request's rule without people accepts approvals from any user; its own people win over the source's."""
RULES_ARE_INHERITED: Final = Behaviour(
    "16.0", source="changelog of 16.0: inherit_approval_rules_on_creation; ee/spec/requests/api/merge_requests_spec.rb"
)
"""A new merge request gets copies of the rules of its project."""
COPIED_RULES_FOLLOW_THEIR_SOURCE: Final = Behaviour(
    until="15.4", source="changelog of 15.4: project rules do not update those of merge requests any more"
)
RULES_ARE_EDITED_BY_FEWER: Final = Behaviour(
    "18.5", source="changelog of 18.5: ensure_consistent_editing_rule; approval_rules_editable_by? of 18.9"
)
"""Rules of a merge request are for Maintainers, and for its author and assignees from Developer on."""
RULES_OF_MERGED_ARE_FIXED: Final = Behaviour("16.9", source="changelog of 16.8 and 16.9: no changes after the merge")
"""Neither approvals nor rules of merged merge requests change."""
APPLICABLE_RULES_OF_MERGED_ARE_SHOWN: Final = Behaviour(
    "<=18.9", source="ee/app/models/approval_state.rb of 18.9: wrapped_approval_rules"
)
"""Of the rules of merged merge requests, only those are in force that could be met and were."""
PROHIBITED_CHANGES_OF_RULES_ARE_FORBIDDEN: Final = Behaviour(
    "<=18.9", source="ee/lib/api/merge_request_approval_rules.rb of 18.9: access_denied; 400 in earlier releases"
)
ROLES_OWN_CODE: Final = Behaviour("17.8", source="doc/user/project/codeowners/reference.md: enabled in 17.8")
CODE_OWNERS_ARE_EXCLUDED: Final = Behaviour(
    "17.10", source="doc/user/project/codeowners/reference.md: file exclusions in 17.10"
)
INVITED_GROUPS_OF_ANCESTORS_OWN_CODE: Final = Behaviour(
    "18.8", source="doc/user/project/codeowners/advanced.md: check_inherited_groups_for_codeowners"
)
APPROVERS_ARE_MEMBERS: Final = Behaviour("15.2", source="changelog of 15.2: approvals require project membership")
GROUPS_APPROVE_FOR_BRANCHES: Final = Behaviour(
    "14.0", source="changelog of 14.0: approval by reporters; ee/app/policies/ee/merge_request_policy.rb"
)
"""Members of a group that a rule for the protected target branch names approve, from Reporter on."""
PLANNERS_APPROVE_FOR_BRANCHES: Final = Behaviour("18.4", source="changelog of 18.4: approvals of the Planner role")
APPROVERS_ARE_ACTIVE: Final = Behaviour("15.11", source="changelog of 15.11: inactive approvers are hidden")
HIDDEN_GROUPS_HIDE_APPROVERS: Final = Behaviour(
    "14.10",
    source="changelog of 14.10: access for the approval rules API; ee/app/presenters/approval_rule_presenter.rb",
)
MEMBERS_SEE_HIDDEN_APPROVERS: Final = Behaviour("<=18.9", source="ee/app/presenters/approval_rule_presenter.rb of 18.9")
UNREACHABLE_RULES_ARE_MET: Final = Behaviour(
    "<=16.2", source="ee/app/models/approval_wrapped_rule.rb: invalid_rule?; changelog of 15.11 and 16.0"
)
"""A rule that requires more approvals than it has approvers needs none; before, those of all of them."""
APPROVALS_LEFT_OVERLAP: Final = Behaviour("<=16.5", source="ee/app/models/approval_state.rb: any_approver_rules_left")
"""Approvals that a rule for anybody still needs are among those that other rules need."""
APPROVALS_REQUIRED_OVERLAP: Final = Behaviour("<=18.9", source="ee/app/models/approval_state.rb of 18.9")
NUMBERS_OF_APPROVALS_ARE_RULES: Final = Behaviour(
    "16.2", source="changelog of 16.2: adapt_deprecated_approvals; ee/lib/ee/api/merge_request_approvals.rb"
)
"""The number of approvals of a merge request that is set is that of its rule for anybody."""
SECRETS_OF_CHECKS_ARE_BOUNDED: Final = Behaviour(
    "<=18.9", source="ee/app/models/merge_requests/external_status_check.rb: the length of shared_secret"
)
NAMES_OF_RULES_ARE_BOUNDED: Final = Behaviour("17.10", source="changelog of 17.10: the name of rules is unbounded")
MAINTAINERS_READ_ALL_RULES: Final = Behaviour(
    "13.10", source="changelog of 13.10: project admins read the approval rules of archived projects"
)
ARCHIVED_PROJECTS_SHOW_APPROVALS: Final = Behaviour(
    "14.9", source="changelog of 14.9: project admins read project approvals"
)
AUDITORS_READ_APPROVALS: Final = Behaviour("15.0", source="changelog of 15.0: MR approvals API for auditors")
APPROVERS_OF_PROJECTS_ARE_EMPTY: Final = Behaviour(
    "18.6", source="changelog of 18.6: deprecate_approver_and_approver_group; ee/lib/api/entities/approval_settings.rb"
)
REPEATED_APPROVALS_ARE_UNMODIFIED: Final = Behaviour("<=19.3", source="lib/api/merge_request_approvals.rb of 19")
SHARED_DEPLOY_KEYS_KEEP_TITLES: Final = Behaviour(
    "<=17.11",
    source="app/policies/deploy_key_policy.rb: update_deploy_key_title; spec/requests/api/deploy_keys_spec.rb",
)
OWNERS_CREATE_DEPLOY_TOKENS: Final = Behaviour(
    "<=14.8", source="app/policies/group_policy.rb, spec/requests/api/deploy_tokens_spec.rb: before group_runners"
)
OWNERS_ADMINISTER_GROUP_VARIABLES: Final = Behaviour(
    "<=15.3", source="lib/api/group_variables.rb: admin_build, later admin_group; its spec: 403 for maintainers"
)
OWNERS_PROTECT_TIERS: Final = Behaviour(
    "15.3", source="doc/ci/environments/protected_environments.md: from Maintainer to Owner in 15.3"
)
GROUPS_INHERIT_DEPLOYERS: Final = Behaviour(
    "<=16.9", source="terraform-provider-gitlab 16.9: group_inheritance_type of protected environments"
)
ENVIRONMENTS_HAVE_NO_COUNT: Final = Behaviour(
    "<=19.3", source="lib/api/protected_environments.rb of 19: required_approval_count is refused"
)
ENVIRONMENT_IS_PROTECTED: Final = ByRelease(
    {"13.5": "Protected environment '{}' already exists", "<=19.3": "Environment '{}' is already protected"},
    source="lib/api/protected_environments.rb of 19",
)
GROUPS_NAME_PUSH_RULES: Final = Behaviour("<=16.2", source="ee/lib/api/group_push_rule.rb: not_found! of PUT")
"""An update says that the push rule of a group is missing; before, something is."""
NAME_OF_PUSH_RULES: Final = ByRelease(
    {"13.5": "Push Rule", "<=18.9": "Push rule"}, source="ee/lib/api/project_push_rule.rb of 16 and 18.9: not_found!"
)
MAINTAINERS_CHANGE_PUSH_RULES: Final = Behaviour(
    "<=13.12", source="ee/app/policies/ee/group_policy.rb of 13.12: change_push_rules"
)
"""Those of groups, which Owners change before."""
PATTERNS_ARE_LIMITED: Final = Behaviour(
    "<=18.9", source="ee/spec/requests/api/project_push_rule_spec.rb: 511 and 2047 characters"
)
CHECKS_HIDE_URLS: Final = Behaviour(
    "<=18.9", source="ee/spec/requests/api/status_checks_spec.rb: no address for Reporters, no secret in it"
)
RESPONSES_NEED_STATUS: Final = Behaviour("<=18.9", source="ee/lib/api/status_checks.rb of 18: requires :status")
BLOCKS_NAME_NUMBERS: Final = Behaviour(
    "<=19.3", source="ee/lib/api/merge_request_dependencies.rb of 19: blocking_merge_request_iid"
)
SUGGESTIONS_ARE_NUMBERED: Final = Behaviour(
    "<=15.7", source="spec/requests/api/suggestions_spec.rb: when suggestion ID is not valid"
)
MIRRORS_NAME_WEB_SCHEMES_FIRST: Final = Behaviour(
    "<=17.8", source="spec/requests/api/remote_mirrors_spec.rb: only allowed schemes, without public_key"
)
LINKS_ARE_OF_THEIR_ISSUES: Final = Behaviour("<=17.0", source="lib/api/issue_links.rb: for_source_or_target")
READERS_SEE_PROTECTED_BRANCHES: Final = Behaviour(
    "<=17.0", source="lib/api/protected_branches.rb of 17: authorize_read_code!"
)
DEVELOPERS_READ_OWN_AUDIT_EVENTS: Final = Behaviour(
    "<=13.12", source="ee/lib/ee/api/groups.rb of 13.12: filter_by_author"
)

# Defaults of settings

MAX_IMPORT_SIZE: Final = ByRelease({"13.5": 50, "13.8": 0}, source="project_import_export.md: from 50MB to 0 in 13.8")
APPROVAL_OF_SIGN_UPS: Final = ByRelease(
    {"13.5": False, "13.6": True}, source="sign_up_restrictions.md: enabled by default for new instances in 13.6"
)
API_HAS_THROTTLE_FOR_VISITORS: Final = Behaviour(
    "14.3", source="doc/api/settings.md: throttle_unauthenticated_* is for web requests only since 14.3"
)
NOTES_ARE_LIMITED: Final = Behaviour("13.8", source="doc/api/settings.md: notes_create_limit")
ARCHIVING_IS_TOO_EARLY: Final = ByRelease(
    {"13.5": "must be greater than or equal to 86400", "<=17.10": "must be at least 1 day"},
    source="app/models/application_setting.rb of 17.10",
)
VISIBILITY_DEFAULTS_ARE_RESTRICTED: Final = Behaviour(
    "16.4", source="doc/api/settings.md: default visibilities cannot be restricted levels since 16.4"
)
HOUSEKEEPING_HAS_ONE_PERIOD: Final = Behaviour(
    "15.8", source="doc/api/settings.md: housekeeping_optimize_repository_period of 15.8; settings_spec.rb of 17"
)
"""The older periods of housekeeping are those of the optimization."""
SPAM_CHECKS_SPEAK_GRPC: Final = Behaviour(
    "<=14.8", source="spec/requests/api/settings_spec.rb of 14: spam_check_endpoint_url with the scheme grpc"
)
SETTING_DEFAULTS: Final[Mapping[str, ByRelease[Any]]] = {
    "max_import_size": MAX_IMPORT_SIZE,
    "personal_access_token_prefix": PERSONAL_TOKEN_PREFIX,
    "require_admin_approval_after_user_signup": APPROVAL_OF_SIGN_UPS,
}
PAGE_OF_TOKENS: Final = ByRelease(
    {"13.5": "/-/profile/personal_access_tokens", "<=17.0": "/-/user_settings/personal_access_tokens"},
    source="app/controllers/profiles_controller.rb; config/routes/profile.rb: redirects to user_settings",
)
# Earlier releases deploy pages, too, which nothing of their API shows.
PAGES_ARE_DEPLOYED: Final = Behaviour("16.8", source="doc/api/pages.md: deployments of GET /projects/:id/pages")
PAGES_URLS_HAVE_PREFIXES: Final = Behaviour("17.9", source="doc/ci/variables/predefined_variables.md: CI_PAGES_URL")

# The server of the Model Context Protocol

MCP_SERVER_IS_ON: Final = Behaviour("18.6", source="mcp_server.md: flag mcp_server removed in 18.6")
MCP_NEEDS_ITS_SCOPE: Final = Behaviour(
    "18.4", source="spec/requests/api/mcp/base_spec.rb of 18.4: 403 for the scope api"
)
"""Before, every token for the API was accepted."""
MCP_TOKENS_HAVE_OTHER_SCOPES: Final = Behaviour(
    "18.6", source="lib/api/mcp/base.rb: include_any_scope? in place of scopes == [mcp]"
)
MCP_IS_A_BETA_FEATURE: Final = Behaviour(
    "<=18.5", until="19.2", source="lib/api/mcp/base.rb: instance_level_ai_beta_features_enabled?; mcp_server.md: 19.2"
)
MCP_IS_A_PAID_FEATURE: Final = Behaviour(
    "18.6",
    until="19.2",
    source="ee/spec/requests/api/mcp/base_spec.rb: duo_features_enabled; Free in 19.2",
)
MCP_HAS_A_SETTING: Final = Behaviour("19.2", source="mcp_server.md: a separate setting in 19.2; mcp_server_enabled")
MCP_CHALLENGES: Final = Behaviour(
    "<=19.3", source="lib/api/helpers/mcp/auth_challenge.rb: WWW-Authenticate with resource_metadata"
)
MCP_LISTENING: Final = ByRelease(
    {"18.3": 501, "<=18.6": 405}, source="lib/api/mcp/base.rb: GET is not_implemented, then method_not_allowed"
)
MCP_PROTOCOLS: Final = ByRelease[tuple[str, ...]](
    {"18.3": (), "18.7": ("2025-11-25", "2025-06-18", "2025-03-26")},
    source="lib/api/mcp/handlers/initialize_request.rb; mcp_server.md: 18.7",
)
"""The versions to choose from; before, there was only one, whatever the client asked for."""
UNKNOWN_TOOL: Final = ByRelease(
    {"18.3": "tool name is unsupported", "18.4": "name is unsupported", "<=18.6": "Tool '{}' not found."},
    source="lib/api/mcp/handlers/call_tool_request.rb, call_tool.rb, app/services/mcp/tools/manager.rb",
)
MCP_VERSION_IS_STRUCTURED: Final = Behaviour(
    "18.4", source="app/services/mcp/tools/get_server_version_service.rb: version and revision"
)
TOOLS_HAVE_ANNOTATIONS: Final = Behaviour("<=18.9", source="list_tools_spec.rb of 18.9: icons, readOnlyHint")
TOOLS_ARE_ANNOTATED_IN_FULL: Final = Behaviour(
    "<=19.3", source="list_tools_spec.rb of 19: destructiveHint of create_issue, additionalProperties of all"
)
TOOLS_NAME_MISSING_RECORDS: Final = Behaviour("<=19.3", source="app/services/mcp/tools/base/api_tool.rb: resource_name")
TOOL_NAMES_HAVE_PREFIXES: Final = Behaviour("18.11", source="mcp_server.md: tool prefixing added in 18.11")
TOOLS_CAN_BE_CHOSEN: Final = Behaviour("<=19.2", source="lib/api/mcp/base.rb: X-Gitlab-Enabled-Mcp-Server-Tools")
EMPTY_ARGUMENTS_ARE_OMITTED: Final = Behaviour(
    "<=19.3", source="app/services/mcp/tools/base/base_service.rb: reject_omitted_arguments, maxItems, enum"
)
MERGE_REQUEST_TOOL_HAS_PEOPLE: Final = Behaviour(
    "18.8", source="mcp_server_tools.md: assignee_ids, reviewer_ids, description, labels, milestone_id added in 18.8"
)
PIPELINE_TOOL_IS_SPLIT: Final = Behaviour(
    "19.3", source="mcp_server_tools.md: list, create, retry and cancel of manage_pipeline removed in 19.3"
)
HIDDEN_PARENTS_ARE_NOT_FOUND: Final = Behaviour(
    "<=19.3", source="app/services/mcp/tools/concerns/resource_finder.rb: not found or inaccessible"
)
