"""Names that exist twice: the specification's neutral name and the vendor's name.

Both are accepted for parameters, fields and the session cookie. The instance's ``wire_names`` decides which of them a
response contains. Source: docs/platform/vendor-names.md.
"""

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

_MANAGED_CLUSTERS: Final = ("access_key_id", "account_id", "integration_enabled", "secret_access_key")
_SEARCH_INDEX: Final = (
    "aws",
    "aws_access_key",
    "aws_region",
    "aws_secret_access_key",
    "indexed_field_length_limit",
    "indexed_file_size_limit_kb",
    "indexing",
    "limit_indexing",
    "max_bulk_concurrency",
    "max_bulk_size_mb",
    "namespace_ids",
    "project_ids",
    "search",
    "url",
)


def _family(neutral: str, vendor: str, rest: Iterable[str]) -> dict[str, str]:
    return {f"{neutral}_{name}": f"{vendor}_{name}" for name in rest}


VENDOR: Final[Mapping[str, str]] = MappingProxyType(
    {
        "_platform_session": "_gitlab_session",
        "platform_environment_name": "gitlab_environment_name",
        "avatarservice_enabled": "gravatar_enabled",
        **_family("antispam", "akismet", ("submitted", "enabled", "api_key")),
        **_family("diagram", "plantuml", ("enabled", "url")),
        **_family("managedk8s", "eks", _MANAGED_CLUSTERS),
        **_family("searchindex", "elasticsearch", _SEARCH_INDEX),
    }
)
"""The vendor's name by the neutral one."""

NEUTRAL: Final[Mapping[str, str]] = MappingProxyType({vendor: neutral for neutral, vendor in VENDOR.items()})
"""The neutral name by the vendor's."""


def vendor_headers(values: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the platform's own headers (``File-Name``) under both names, without control characters."""
    plain = {name: re.sub(r"[\x00-\x1f\x7f]", "", value) for name, value in values.items()}
    return tuple((f"{prefix}-{name}", value) for prefix in ("X-Platform", "X-Gitlab") for name, value in plain.items())


def vendor_name_of(neutral: str) -> str | None:
    """Return the vendor's name for a neutral name, or None."""
    return VENDOR.get(neutral)


def neutral_name_of(vendor: str) -> str | None:
    """Return the neutral name for a vendor's name, or None."""
    return NEUTRAL.get(vendor)


def twin_of(name: str) -> str | None:
    """Return the other name of a pair; None for a name without one."""
    return VENDOR.get(name) or NEUTRAL.get(name)
