"""Views of webhooks. Source: docs/platform/webhooks.md.

No response contains the token.
"""

from typing import Any, Final, TypedDict

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if, constant
from fakeplat.domain.hooks import hook_log
from fakeplat.model.hooks import Hook, HookVariable
from fakeplat.model.outgoing import LoggedRequest
from fakeplat.policy.context import ReadContext

_DOCUMENTED: Final = "<=18.9"
"""The release whose description of the interface has what it stands at; when it came is not known."""


class VariableName(TypedDict):
    """A variable of the URL, or a header; the value is secret."""

    key: str


def _names(variables: tuple[HookVariable, ...]) -> list[VariableName]:
    return [{"key": variable.key} for variable in variables]


class AnyHookView(Entity[Hook]):
    """What all webhooks have in common."""

    ctx: ReadContext

    id = attr()
    url = attr()
    name = attr(since="17.1")
    description = attr(since="17.1")
    created_at = attr()
    push_events = attr()
    tag_push_events = attr()
    merge_requests_events = attr()
    repository_update_events = attr()
    enable_ssl_verification = attr()
    # Nothing disables webhooks here, whatever their receivers answer.
    alert_status = constant("executable", str, since="<=15.10")
    disabled_until = constant(None, str | None, since="<=15.10")
    branch_filter_strategy = attr(since="<=18.3")
    custom_webhook_template = attr(since="16.10")
    organization_id = constant(1, int, since=_DOCUMENTED)

    @computed_if(since="19.0")
    def token_present(self) -> bool:
        return bool(self.record.token)

    @computed_if(since="19.0")
    def signing_token_present(self) -> bool:
        return bool(self.record.signing_token)

    @computed_if(since="15.2")
    def url_variables(self) -> list[VariableName]:
        return _names(self.record.url_variables)

    @computed_if(since="17.1")
    def custom_headers(self) -> list[VariableName]:
        return _names(self.record.custom_headers)


class SystemHookView(AnyHookView):
    """A system hook."""

    push_events_branch_filter = attr(since=_DOCUMENTED)


class EventFlags(Entity[Hook]):
    """The flags that webhooks of projects and of groups have beside those of system hooks."""

    issues_events = attr()
    confidential_issues_events = attr()
    note_events = attr()
    confidential_note_events = attr()
    pipeline_events = attr()
    wiki_page_events = attr()
    milestone_events = attr(since="<=18.8")
    vulnerability_events = attr(since="<=18.8")


class HookOfProject(AnyHookView):
    """A webhook and the id of its project."""

    @computed
    def project_id(self) -> int | None:
        return self.record.source[1] if self.record.source else None


class HookOfGroup(AnyHookView):
    """A webhook and the id of its group."""

    @computed
    def group_id(self) -> int | None:
        return self.record.source[1] if self.record.source else None


# The fields of the first base come last: what a webhook belongs to precedes its flags.
class ProjectHookView(EventFlags, HookOfProject):
    """A webhook of a project."""

    deployment_events = attr()
    job_events = attr()
    releases_events = attr()
    feature_flag_events = attr(since="<=18.3")
    resource_access_token_events = attr(since="16.11")
    resource_deploy_token_events = attr(since="18.10")
    emoji_events = attr(since="16.2")
    push_events_branch_filter = attr()


class GroupHookView(EventFlags, HookOfGroup):
    """A webhook of a group."""

    job_events = attr()
    deployment_events = attr(since="13.6")
    releases_events = attr(since="13.7")
    subgroup_events = attr(since="13.9")
    member_events = attr(since="<=16.11")
    project_events = attr(since="<=18.8")
    branch_filter_strategy = attr(since="<=17.6")
    feature_flag_events = attr(since="<=17.6")
    resource_access_token_events = attr(since="16.11")
    emoji_events = attr(since="16.2")
    push_events_branch_filter = attr(since="<=15.4")


class HookEventView(Entity[LoggedRequest]):
    """A request of a webhook, with its answer. Secrets and addresses of e-mail are not shown."""

    ctx: ReadContext
    cached_by_id = False

    id = attr()

    @computed
    def url(self) -> str:
        return hook_log.url_of(self.record)

    @computed
    def trigger(self) -> str:
        return self.record.request.trigger

    @computed
    def request_headers(self) -> dict[str, str]:
        return hook_log.request_headers(self.record)

    @computed
    def request_data(self) -> dict[str, Any]:
        return hook_log.build_data(self.record)

    @computed
    def response_headers(self) -> dict[str, str]:
        return hook_log.response_headers(self.record)

    @computed
    def response_body(self) -> str:
        return hook_log.response_body(self.record)

    execution_duration = attr("duration")

    @computed
    def response_status(self) -> str:
        return hook_log.status_of(self.record)

    created_at = attr("time")
