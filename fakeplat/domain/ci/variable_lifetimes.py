"""The releases of predefined variables. Source: docs/platform/predefined-variables.md."""

from collections.abc import Mapping
from typing import Final

from fakeplat.core.release import ALWAYS, Lifetime, Profile

LIFETIMES: Final[Mapping[str, Lifetime]] = {
    **{f"CI_DEPENDENCY_PROXY_{name}": Lifetime("13.7") for name in "GROUP_IMAGE_PREFIX PASSWORD SERVER USER".split()},
    "CI_MERGE_REQUEST_DIFF_BASE_SHA": Lifetime("13.7"),
    "CI_MERGE_REQUEST_DIFF_ID": Lifetime("13.7"),
    "CI_JOB_JWT": Lifetime(until="17.0"),
    **{f"CI_JOB_JWT_V{version}": Lifetime("14.6", "17.0") for version in (1, 2)},
    "CI_BUILD_REPO": Lifetime(until="16.0"),
    "CI_COMMIT_DEFAULT_BRANCH_BASE_SHA": Lifetime("19.1"),
    "CI_TRACEPARENT": Lifetime("<=19.3"),
    "CI_TRACESTATE": Lifetime("<=19.3"),
    "TRIGGER_PAYLOAD": Lifetime("13.9"),
    "CI_OPEN_MERGE_REQUESTS": Lifetime("13.8"),
    "CI_PROJECT_CONFIG_PATH": Lifetime("13.8", "14.0"),
    "CI_PIPELINE_CREATED_AT": Lifetime("13.10"),
    "CI_JOB_STARTED_AT": Lifetime("13.10"),
    "CI_COMMIT_AUTHOR": Lifetime("13.11"),
    "CI_ENVIRONMENT_ACTION": Lifetime("13.11"),
    "CI_ENVIRONMENT_TIER": Lifetime("14.0"),
    "CI_MERGE_REQUEST_APPROVED": Lifetime("14.1"),
    "CI_PROJECT_CLASSIFICATION_LABEL": Lifetime("14.2"),
    "KUBECONFIG": Lifetime("14.2"),
    "CI_DEPENDENCY_PROXY_DIRECT_GROUP_IMAGE_PREFIX": Lifetime("14.3"),
    **{f"HARBOR_{name}": Lifetime("14.9") for name in "URL HOST OCI PROJECT USERNAME PASSWORD".split()},
    "CI_PROJECT_DESCRIPTION": Lifetime("15.1"),
    "CI_MERGE_REQUEST_TARGET_BRANCH_PROTECTED": Lifetime("15.2"),
    "CI_TEMPLATE_REGISTRY_HOST": Lifetime("15.3"),
    "CI_JOB_NAME_SLUG": Lifetime("15.4"),
    "CI_COMMIT_TAG_MESSAGE": Lifetime("15.5"),
    "CI_RELEASE_DESCRIPTION": Lifetime("15.5"),
    "CI_JOB_TIMEOUT": Lifetime("15.7"),
    "CI_PROJECT_NAMESPACE_ID": Lifetime("15.7"),
    **{
        f"APP_STORE_CONNECT_API_KEY_{name}": Lifetime("15.10")
        for name in "ISSUER_ID KEY KEY_ID IS_KEY_CONTENT_BASE64".split()
    },
    "CI_API_GRAPHQL_URL": Lifetime("15.11"),
    "SUPPLY_JSON_KEY_DATA": Lifetime("15.11"),
    "SUPPLY_PACKAGE_NAME": Lifetime("15.11"),
    "CI_SERVER_SHELL_SSH_HOST": Lifetime("15.11"),
    "CI_SERVER_SHELL_SSH_PORT": Lifetime("15.11"),
    "CI_PIPELINE_NAME": Lifetime("16.3"),
    "CI_MERGE_REQUEST_SOURCE_BRANCH_PROTECTED": Lifetime("16.4"),
    "CI_MERGE_REQUEST_SQUASH_ON_MERGE": Lifetime("16.4"),
    "CI_MERGE_REQUEST_DESCRIPTION": Lifetime("16.7"),
    "CI_MERGE_REQUEST_DESCRIPTION_IS_TRUNCATED": Lifetime("16.8"),
    "CI_SERVER_FQDN": Lifetime("16.10"),
    **{
        f"CI_BUILD_{name}": Lifetime(until="16.0")
        for name in "BEFORE_SHA ID MANUAL NAME REF REF_NAME REF_SLUG STAGE TAG TOKEN TRIGGERED".split()
    },
    "CI_TRIGGER_SHORT_TOKEN": Lifetime("17.0"),
    "CI_PIPELINE_SCHEDULE_DESCRIPTION": Lifetime("17.8"),
    "CI_JOB_GROUP_NAME": Lifetime("17.10"),
    "CI_MERGE_REQUEST_DRAFT": Lifetime("17.10"),
    "CI_PROJECT_TOPICS": Lifetime("18.3"),
    "CI_COMMIT_MESSAGE_IS_TRUNCATED": Lifetime("18.6"),
    "CI_JOB_STARTED_AT_SLUG": Lifetime("18.7"),
    **{f"CI_UPSTREAM_{name}_ID": Lifetime("18.9") for name in ("JOB", "PIPELINE", "PROJECT")},
    "CI_COMMIT_USER_LOGIN": Lifetime("18.10"),
    "CI_CONFIG_REF_URI": Lifetime("19.0"),
    "CI_PROJECT_ROOT_NAMESPACE_SLUG": Lifetime("19.0"),
    "CI_JOB_RETRY_COUNT": Lifetime("19.3"),
    "CI_JOB_TAGS": Lifetime("19.3"),
    **{f"DIFFBLUE_{name}": Lifetime("<=17.0") for name in ("LICENSE_KEY", "ACCESS_TOKEN_NAME", "ACCESS_TOKEN")},
    **dict.fromkeys(
        ["CI_PAGES_HOSTNAME", "CI_DEFAULT_BRANCH_SLUG", "CI_ENVIRONMENT_ID", "CI_PROJECT_NAMESPACE_SLUG"],
        Lifetime("<=19.3"),
    ),
}


def select(profile: Profile, variables: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that a release has."""
    return {key: value for key, value in variables.items() if profile.has(LIFETIMES.get(key, ALWAYS))}
