"""Variables that active integrations give to the jobs of their project.

Source: docs/platform/predefined-variables.md.
"""

import base64
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.projects import services
from fakeplat.model.projects import Project
from fakeplat.model.world import World

_ROBOT: Final = re.compile(r"^robot\$")
_SLUGS: Final = ("harbor", "apple-app-store", "google-play", "diffblue-cover")
"""In the order of the platform."""
_PROTECTED: Final = {"apple-app-store": "app_store_protected_refs", "google-play": "google_play_protected_refs"}
"""The settings that keep variables for protected branches and tags, by slug."""
_LINE: Final = 60


@frozen
class IntegrationVariable:
    """A variable of an integration. ``public``: its value may be shown."""

    key: str
    value: str
    public: bool = False
    masked: bool = True


def list_variables(world: World, project: Project, *, ref_is_protected: bool) -> Iterator[IntegrationVariable]:
    """Yield the variables of a project's active integrations."""
    active = {service.slug: service.properties for service in services.list_active(world, project)}
    for slug in _SLUGS:
        if slug in active and (ref_is_protected or not active[slug].get(_PROTECTED.get(slug, ""))):
            yield from _build(slug, active[slug])


def _build(slug: str, properties: Mapping[str, Any]) -> Iterator[IntegrationVariable]:
    values = defaultdict(str, {key: str(value or "") for key, value in properties.items()})
    match slug:
        case "harbor":
            url = urlsplit(values["url"])
            username = _ROBOT.sub("robot$$", values["username"])
            yield _show("HARBOR_URL", values["url"])
            yield _show("HARBOR_HOST", url.hostname or "")
            yield _show("HARBOR_OCI", url._replace(scheme="oci").geturl())
            yield _show("HARBOR_PROJECT", values["project_name"])
            yield _show("HARBOR_USERNAME", username)
            yield IntegrationVariable("HARBOR_PASSWORD", values["password"])
        case "apple-app-store":
            key = values["app_store_private_key"]
            yield IntegrationVariable("APP_STORE_CONNECT_API_KEY_ISSUER_ID", values["app_store_issuer_id"])
            yield IntegrationVariable("APP_STORE_CONNECT_API_KEY_KEY", _encode(key))
            yield IntegrationVariable("APP_STORE_CONNECT_API_KEY_KEY_ID", values["app_store_key_id"])
            yield IntegrationVariable("APP_STORE_CONNECT_API_KEY_IS_KEY_CONTENT_BASE64", "true", masked=False)
        case "google-play":
            yield IntegrationVariable("SUPPLY_JSON_KEY_DATA", values["service_account_key"])
            yield IntegrationVariable("SUPPLY_PACKAGE_NAME", values["package_name"], masked=False)
        case _:
            yield IntegrationVariable("DIFFBLUE_LICENSE_KEY", values["diffblue_license_key"])
            yield IntegrationVariable("DIFFBLUE_ACCESS_TOKEN_NAME", values["diffblue_access_token_name"])
            yield IntegrationVariable("DIFFBLUE_ACCESS_TOKEN", values["diffblue_access_token_secret"])


def _show(key: str, value: str) -> IntegrationVariable:
    return IntegrationVariable(key, value, public=True, masked=False)


def _encode(text: str) -> str:
    """Return Base64 in lines of 60 characters, each one ended."""
    encoded = base64.b64encode(text.encode()).decode()
    return "".join(f"{encoded[start : start + _LINE]}\n" for start in range(0, len(encoded), _LINE))
