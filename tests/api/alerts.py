"""A project with an enabled alert endpoint, and requests to it."""

from typing import Any

import orjson

from fakeplat.core.operations.http_messages import JSON
from tests.worlds import Site, SiteResponse, create_site

ENDPOINT = "/acme/site/alerts/notify.json"
SERVICE = "projects/acme%2Fsite/services/alerts"


class AlertProject:
    """The project acme/site with enabled alerts; ``settings`` are those of the service ``alerts``."""

    def __init__(self, tier: str = "free", *, documented: bool = True, **settings: Any) -> None:
        self.site: Site = create_site(tier=tier, documented=documented)
        self.configure(**settings)
        self.key = self.properties["token"]

    def configure(self, **settings: Any) -> None:
        assert self.site.ask("PUT", SERVICE, "ada", json={"active": True, **settings}).status == 200

    @property
    def properties(self) -> dict[str, Any]:
        properties: dict[str, Any] = self.site.get(SERVICE, "ada").json["properties"]
        return properties

    def post(self, body: bytes, key: str | None = None, content_type: str = JSON, path: str = ENDPOINT) -> SiteResponse:
        """Post a body with a key, by default the valid one."""
        headers = {"authorization": f"Bearer {self.key if key is None else key}", "content-type": content_type}
        return self.site.ask("POST", path, body=body, headers=headers)

    def send(self, **payload: Any) -> int:
        """Send a payload, by default with the title ``disk full``; return the status."""
        return self.post(orjson.dumps({"title": "disk full", **payload})).status

    @property
    def alerts(self) -> list[Any]:
        """The records, the oldest first."""
        return list(self.site.world.alerts.all())

    @property
    def last(self) -> Any:
        return self.alerts[-1]

    def notes(self, alert: Any) -> list[tuple[str, str]]:
        """Return the authors and texts of the system notes of an alert."""
        world = self.site.world
        notes = world.notes.where("subject", ("alert", alert.id))
        return [(world.users[note.author_id].username, note.body) for note in notes]

    def settle(self) -> None:
        self.site.platform.settle()
