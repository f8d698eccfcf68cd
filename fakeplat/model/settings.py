"""Application settings of the instance, as far as they are used. Source: docs/platform/settings.md."""

from typing import Final

from fakeplat.core.store.frozen import frozen
from fakeplat.model.levels import Visibility

SETTINGS_ID: Final = 1


@frozen
class Settings:
    """The application settings; each world has one record.

    Sizes of attachments, artifacts and pushes are in MB, of snippets, patches and packages in bytes; those of packages
    are limits of the plan on the platform, 0 for no limit. Periods are in seconds; the
    period before deletion is in days, that of sessions in minutes. ``default_artifacts_expire_in`` is a duration in
    words, ``0`` for never.
    """

    id: int = SETTINGS_ID
    default_projects_limit: int = 100_000
    default_project_visibility: Visibility = "private"
    default_group_visibility: Visibility = "private"
    default_snippet_visibility: Visibility = "private"
    default_branch_protection: int = 2
    default_project_creation: int = 2
    restricted_visibility_levels: tuple[str, ...] = ()
    deletion_adjourned_period: int = 7
    max_attachment_size: int = 10
    max_artifacts_size: int = 100
    default_artifacts_expire_in: str = "30 days"
    receive_max_input_size: int | None = None
    minimum_password_length: int = 8
    session_expire_delay: int = 10_080
    gravatar_enabled: bool = True
    mirror_available: bool = True
    issues_create_limit: int = 300
    snippet_size_limit: int = 52_428_800
    diff_max_patch_bytes: int = 102_400
    npm_package_requests_forwarding: bool = True
    generic_packages_max_file_size: int = 5_368_709_120
    maven_max_file_size: int = 3_221_225_472
    npm_max_file_size: int = 524_288_000
    pypi_max_file_size: int = 3_221_225_472
    runners_registration_token: str = ""
    throttle_unauthenticated_enabled: bool = False
    throttle_unauthenticated_requests_per_period: int = 3600
    throttle_unauthenticated_period_in_seconds: int = 3600
    throttle_authenticated_api_enabled: bool = False
    throttle_authenticated_api_requests_per_period: int = 7200
    throttle_authenticated_api_period_in_seconds: int = 3600
