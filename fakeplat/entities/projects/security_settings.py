"""The view of the security settings of projects. Source: docs/platform/settings.md."""

from fakeplat.core.operations.entity import Entity, attr, constant
from fakeplat.model.projects import Project


class SecuritySettingView(Entity[Project]):
    """The security settings of a project."""

    project_id = attr("id")
    created_at = attr()
    updated_at = attr("created_at")
    auto_fix_container_scanning = constant(True, bool)
    auto_fix_dast = constant(True, bool)
    auto_fix_dependency_scanning = constant(True, bool)
    auto_fix_sast = constant(True, bool)
    continuous_vulnerability_scans_enabled = constant(False, bool)
    container_scanning_for_registry_enabled = constant(False, bool)
    pre_receive_secret_detection_enabled = attr("secret_push_protection_enabled", until="17.11")
    secret_push_protection_enabled = attr(since="17.11")
