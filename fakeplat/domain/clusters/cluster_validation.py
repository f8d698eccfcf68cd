"""Validation of clusters. Source: docs/platform/clusters.md."""

import re
from collections.abc import Iterator
from typing import Final

from fakeplat.domain.outbound_urls import explain_blocked_url
from fakeplat.domain.validation import BLANK, ValidationErrors
from fakeplat.model.clusters import Cluster, KubernetesPlatform
from fakeplat.model.world import INSTANCE, World
from fakeplat.policy.documented import Ruling

_DUPLICATE: Final = "cannot add duplicated environment scope"
_MANAGED: Final = "Cannot modify managed Kubernetes cluster"
_PROJECTS_ONLY: Final = "only allowed for project cluster"
_RESERVED: Final = "gitlab-managed-apps"
NAMESPACE_TEXT: Final = (
    "can contain only lowercase letters, digits, and '-'. Must start with a letter, and cannot end with '-'"
)
NAMESPACE: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?")
_LABEL: Final = re.compile(r"[a-z0-9-]*", re.IGNORECASE)
_CERTIFICATE: Final = re.compile(
    r"(?:-----BEGIN CERTIFICATE-----\s[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----\s*)+",
)
_LABEL_LENGTH: Final = 63
_HOST_LENGTH: Final = 255


def list_errors(world: World, cluster: Cluster, before: Cluster | None) -> ValidationErrors:
    """Return the errors of a new or (with ``before``) of a changed cluster."""
    errors = ValidationErrors()
    as_recorded = Ruling.CLUSTER_TEXTS_ARE_AS_RECORDED.holds(world)
    for text in _find_name_errors(cluster, before):
        errors.add("name", f" {text}" if as_recorded else text)
    for text in _find_domain_errors(cluster.domain or ""):
        errors.add("domain", "is not a fully qualified domain name" if as_recorded else text)
        if as_recorded:
            break
    is_being_created = before is not None and before.is_being_created
    errors.when(
        is_being_created,
        "base",
        "cannot modify during creation" if as_recorded else "Cannot modify provider during creation",
    )
    _check_scope(errors, world, cluster)
    _check_platform(errors, cluster, before)
    return errors


def _find_name_errors(cluster: Cluster, before: Cluster | None) -> Iterator[str]:
    name = cluster.name
    if cluster.provider_type == "user":
        if not name.strip():
            yield "has to be present"
        return
    if before is not None and before.name != name:
        yield "can not be changed because it's synchronized with provider"
    if not 0 < len(name) <= _LABEL_LENGTH:
        yield "is invalid syntax"
    if not NAMESPACE.fullmatch(name):
        yield NAMESPACE_TEXT


def _find_domain_errors(domain: str) -> Iterator[str]:
    if not domain.strip():
        return
    if len(domain) > _HOST_LENGTH:
        yield "must be between 1 and 255 characters long"
    labels = domain.split(".")
    if not all(0 < len(label) <= _LABEL_LENGTH for label in labels):
        yield "must be between 1 and 63 characters long"
    if any(label.startswith("-") or label.endswith("-") for label in labels):
        yield "begins or ends with a hyphen"
    if not all(_LABEL.fullmatch(label) for label in labels):
        yield r"contains invalid characters (valid characters: [a-z0-9\-])"


def _check_scope(errors: ValidationErrors, world: World, cluster: Cluster) -> None:
    """Check that the scope is the only one of its kind at the owner, and at the management project."""
    siblings = world.clusters.where("source", cluster.source or INSTANCE)
    managed_id = cluster.management_project_id
    managed = () if managed_id is None else world.clusters.where("management_project", managed_id)
    for others in (managed, siblings):
        is_taken = any(one.environment_scope == cluster.environment_scope and one.id != cluster.id for one in others)
        errors.when(is_taken, "environment_scope", _DUPLICATE)


def _check_platform(errors: ValidationErrors, cluster: Cluster, before: Cluster | None) -> None:
    platform, old = cluster.platform_kubernetes, before.platform_kubernetes if before else None
    field = "platform_kubernetes.{}".format
    _check_namespace(errors, cluster)
    reason = explain_blocked_url(platform.api_url)
    errors.when(reason and platform.api_url.strip(), field("api_url"), f"is blocked: {reason}")
    errors.when(not platform.api_url.strip(), field("api_url"), BLANK)
    errors.when(not platform.token, field("token"), BLANK)
    is_new_certificate = bool(platform.ca_cert) and (old is None or old.ca_cert != platform.ca_cert)
    errors.when(
        is_new_certificate and not _CERTIFICATE.fullmatch(platform.ca_cert or ""),
        field("ca_cert"),
        "must be a valid PEM certificate",
    )
    is_changed = old is not None and _secrets(old) != _secrets(platform)
    errors.when(is_changed and cluster.provider_type != "user", field("base"), _MANAGED)


def _secrets(platform: KubernetesPlatform) -> tuple[str | None, ...]:
    return platform.api_url, platform.token, platform.ca_cert


def _check_namespace(errors: ValidationErrors, cluster: Cluster) -> None:
    namespace, field = cluster.platform_kubernetes.namespace, "platform_kubernetes.namespace"
    if namespace is None:
        return
    errors.when(len(namespace) > _LABEL_LENGTH, field, f"is too long (maximum is {_LABEL_LENGTH} characters)")
    errors.when(not NAMESPACE.fullmatch(namespace), field, NAMESPACE_TEXT)
    errors.when(namespace == _RESERVED, field, "is reserved")
    errors.when(cluster.managed and cluster.cluster_type != "project_type", field, _PROJECTS_ONLY)
