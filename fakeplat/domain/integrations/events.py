"""An event on its way to one integration, and the filters that integrations share.

Source: docs/platform/integrations.md.
"""

from base64 import b64encode
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote, urlencode

from fakeplat.core.operations.http_messages import dump_json
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.hooks.events import Payload
from fakeplat.domain.integrations.rules import is_blank
from fakeplat.domain.outbound_urls import explain_blocked_receiver
from fakeplat.domain.people import namespaces
from fakeplat.domain.repository import protection
from fakeplat.model.hooks import Service
from fakeplat.model.outgoing import OutgoingRequest
from fakeplat.model.projects import Project
from fakeplat.model.repository import BRANCHES, TAGS, ZERO_SHA
from fakeplat.policy.context import WriteContext

RECEIVER: Final = "service"
JSON_HEADERS: Final = {"Content-Type": "application/json"}
FORM_HEADERS: Final = {"Content-Type": "application/x-www-form-urlencoded"}


@frozen(eq=False)
class Event:
    """An event of a project for one of its integrations."""

    ctx: WriteContext
    project: Project
    service: Service
    trigger: str
    payload: Payload

    @property
    def settings(self) -> Mapping[str, Any]:
        """The properties of the integration."""
        return self.service.properties

    def text(self, name: str) -> str:
        """Return a setting as text; empty if it is unset or blank."""
        value = self.settings.get(name)
        return "" if is_blank(value) else str(value)

    @property
    def attributes(self) -> Mapping[str, Any]:
        """The ``object_attributes`` of the payload."""
        attributes: Mapping[str, Any] = self.payload.get("object_attributes") or {}
        return attributes

    @property
    def project_path(self) -> str:
        """The full path of the project."""
        return namespaces.project_path(self.ctx.world, self.project)

    @property
    def project_url(self) -> str:
        """The address of the project's page."""
        return f"{self.ctx.origin}/{self.project_path}"

    @property
    def project_name(self) -> str:
        """The full name of the project: ``Acme / Site``."""
        world = self.ctx.world
        return f"{namespaces.full_name(world, world.namespaces[self.project.namespace_id])} / {self.project.name}"

    @property
    def ref(self) -> str:
        """The branch or tag of a push or a pipeline."""
        name = self.payload.get("ref") or self.attributes.get("ref") or ""
        return str(name).removeprefix(BRANCHES).removeprefix(TAGS)

    @property
    def is_tag(self) -> bool:
        """Whether the ref of a push or a pipeline is a tag."""
        return str(self.payload.get("ref") or "").startswith(TAGS) or bool(self.attributes.get("tag"))

    @property
    def creates_ref(self) -> bool:
        """Whether the push creates its ref."""
        return bool(self.payload.get("before") == ZERO_SHA)

    @property
    def removes_ref(self) -> bool:
        """Whether the push removes its ref."""
        return bool(self.payload.get("after") == ZERO_SHA)

    @property
    def is_update(self) -> bool:
        """Whether the event only follows another one about the same change."""
        return bool(self.attributes.get("action") == "update")

    def post_json(self, url: str, body: object, headers: Mapping[str, str] = JSON_HEADERS) -> OutgoingRequest:
        """Return a request with a JSON body."""
        return self.request(url, dump_json(body), headers)

    def post_form(self, url: str, fields: Mapping[str, object]) -> OutgoingRequest:
        """Return a request with a form."""
        return self.request(url, urlencode(fields, quote_via=quote).encode(), FORM_HEADERS)

    def post_hook(
        self, url: str, name: str = "Service Hook", headers: Mapping[str, str] | None = None
    ) -> OutgoingRequest:
        """Return a request with the payload, as a webhook sends it."""
        return self.post_json(url, dict(self.payload), {**JSON_HEADERS, "X-Gitlab-Event": name, **(headers or {})})

    def request(
        self, url: str, body: bytes = b"", headers: Mapping[str, str] | None = None, method: str = "POST"
    ) -> OutgoingRequest:
        """Return a request of the integration, blocked if the platform sends none to its address."""
        reason = explain_blocked_receiver(self.ctx.world.settings, url)
        return OutgoingRequest(
            (RECEIVER, self.service.id),
            self.trigger,
            url,
            body,
            headers or {},
            method,
            # An unset switch counts as on.
            verifies_tls=self.settings.get("enable_ssl_verification") is not False,
            blocked=f"URL '{url}' is blocked: {reason}" if reason else "",
        )


def basic_authorization(username: str, password: str) -> dict[str, str]:
    """Return the header of HTTP Basic authentication."""
    return {"Authorization": f"Basic {b64encode(f'{username}:{password}'.encode()).decode()}"}


def passes_branch_filter(event: Event, *, default: str = "") -> bool:
    """Return whether ``branches_to_be_notified`` lets the branch of an event pass."""
    world, project, branch = event.ctx.world, event.project, event.ref
    match event.settings.get("branches_to_be_notified") or default:
        case "all":
            return True
        case "default":
            return branch == project.default_branch
        case "protected":
            return protection.is_protected(world, project, branch)
        case "default_and_protected":
            return branch == project.default_branch or protection.is_protected(world, project, branch)
    return False


def passes_result_filter(event: Event) -> bool:
    """Return whether the result of a pipeline is reported: failures, and successes unless only failures are wanted."""
    status = event.attributes["status"]
    return status == "failed" or (status == "success" and not event.settings.get("notify_only_broken_pipelines"))


def is_on_restricted_branch(event: Event) -> bool:
    """Return whether ``restrict_to_branch``, a list with commas, admits the branch of a push."""
    branches = {name.strip() for name in event.text("restrict_to_branch").split(",") if name.strip()}
    return not branches or event.ref in branches
