"""What releases do differently inside a function, by name: ``ctx.profile.has(MAINTENANCE_MODE)``.

What begins or ends as a whole, such as an operation, a parameter or a field, has its releases where it is declared.
"""

from typing import Final

from fakeplat.core.release import Behaviour

# The instance

MAINTENANCE_MODE: Final = Behaviour("13.6", source="doc/administration/maintenance_mode")
CUSTOM_ROLES: Final = Behaviour("15.9", source="doc/api/member_roles.md: enabled by default in 15.9")
VERSION_IS_METADATA: Final = Behaviour("15.5", source="lib/api/metadata.rb: both routes present the metadata")
METADATA_HAS_EDITION: Final = Behaviour("15.6", source="doc/api/metadata.md: enterprise introduced in 15.6")

# People and credentials

EXPIRED_PASSWORDS_BLOCK: Final = Behaviour("13.12", source="spec/lib/gitlab/auth_spec.rb of 13.12")
OAUTH_TOKENS_EXPIRE: Final = Behaviour("15.0", source="removals 15.0: OAuth tokens without an expiration")
IMPLICIT_GRANT: Final = Behaviour(until="15.0", source="removals 15.0: OAuth implicit grant")
SCIM_NESTED_NAMES: Final = Behaviour("14.0", source="doc/api/scim.md of 14.0")
SCIM_EXTERNAL_IDS: Final = Behaviour("<=18.9", source="doc/development/internal_api of 18.9")
SCIM_OPERATIONS_IN_ANY_CASE: Final = Behaviour("<=18.9", source="spec/requests/api/scim of 18.9")
SCIM_DEACTIVATION_KEEPS_IDENTITY: Final = Behaviour("14.0", source="doc/api/scim.md of 14.0")

# Audit events

AUDITED_PERSONAL_TOKENS: Final = Behaviour("13.6", source="doc/administration/audit_events.md")
AUDITED_DEPLOY_TOKENS: Final = Behaviour("14.9", source="doc/administration/audit_events.md")
AUDITED_RESOURCE_TOKENS: Final = Behaviour("<=18.9", source="doc/administration/audit_event_types.md of 18.9")
AUDITED_INSTANCE_VARIABLES: Final = Behaviour("<=18.9", source="doc/administration/audit_event_types.md of 18.9")
AUDITED_VARIABLE_MASKING: Final = Behaviour("<=18.9", source="doc/administration/audit_event_types.md of 18.9")

# Webhooks

HOOK_USERS_HAVE_IDS: Final = Behaviour("13.12", source="doc/user/project/integrations/webhooks.md of 13.12")
EVENT_UUID_HEADER: Final = Behaviour("14.8", source="webhooks.md: X-Gitlab-Event-UUID introduced in 14.8")
INSTANCE_HEADER: Final = Behaviour("15.5", source="webhooks.md: X-Gitlab-Instance introduced in 15.5")
WEBHOOK_UUID_HEADER: Final = Behaviour("16.2", source="webhooks.md: X-Gitlab-Webhook-UUID introduced in 16.2")
IDEMPOTENCY_KEY_HEADER: Final = Behaviour("17.4", source="webhooks.md: Idempotency-Key introduced in 17.4")

# Repositories, packages and releases

GROUP_PROTECTED_BRANCHES: Final = Behaviour("17.6", source="doc/api/group_protected_branches.md: available in 17.6")
LOOSE_VERSIONS_OF_GENERIC_PACKAGES: Final = Behaviour("13.10", source="doc/user/packages/generic_packages of 13.10")
RELEASE_NOTES_FOR_CALLER: Final = Behaviour("13.12", source="lib/api/entities/release.rb of 13.12")

# CI

FAILURE_REASONS_FOR_RUNNERS: Final = Behaviour("13.7", source="lib/api/entities/job_request/features.rb of 13.7")
SEVERAL_CACHES: Final = Behaviour("13.11", source="doc/ci/yaml: several caches introduced in 13.11")
UNKNOWN_JOBS_ARE_FORBIDDEN: Final = Behaviour("13.12", source="lib/api/ci/helpers/runner.rb of 13.12")
LARGE_LSIF_ARTIFACTS: Final = Behaviour("13.6", source="doc/administration/instance_limits.md of 13.6")
MASKED_TILDES: Final = Behaviour("13.12", source="doc/ci/variables: ~ in GitLab 13.12 and later")
MAINTAINERS_TAKE_SCHEDULES: Final = Behaviour("14.0", source="app/policies/ci/pipeline_schedule_policy.rb of 14.0")
INBOUND_JOB_TOKEN_SCOPE: Final = Behaviour("15.9", source="doc/ci/jobs/ci_job_token.md: introduced in 15.9")

# Deployments

CERTIFICATE_CLUSTERS_ARE_DEPRECATED: Final = Behaviour("14.5", source="deprecations 14.5: certificate-based clusters")
CLUSTER_NAMESPACES_PER_ENVIRONMENT: Final = Behaviour("13.6", source="doc/api/project_clusters.md of 13.6")
LEGACY_FEATURE_FLAGS: Final = Behaviour(until="14.0", source="removals 14.0: legacy feature flags")
CAMEL_CASE_STICKINESS: Final = Behaviour("14.0", source="app/models/operations/feature_flags/strategy.rb of 14.0")
