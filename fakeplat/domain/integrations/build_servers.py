"""Requests to build servers and other services that start work for pushes and merge requests.

Source: docs/platform/integrations.md.
"""

from collections.abc import Iterator, Mapping
from typing import Final
from urllib.parse import quote, urlencode, urlsplit, urlunsplit

from fakeplat.domain.integrations.events import Event, basic_authorization
from fakeplat.domain.people import namespaces
from fakeplat.model.outgoing import OutgoingRequest

_PACKAGIST: Final = "https://packagist.org"


def trigger_bamboo(event: Event) -> Iterator[OutgoingRequest]:
    """Queue a build at Bamboo."""
    query = {"buildKey": event.text("build_key")}
    headers: dict[str, str] = {}
    if event.text("username"):
        query["os_authType"] = "basic"
        headers = basic_authorization(event.text("username"), event.text("password"))
    url = f"{event.text('bamboo_url').rstrip('/')}/updateAndBuild.action?{urlencode(query)}"
    yield event.request(url, headers=headers, method="GET")


def trigger_buildkite(event: Event) -> Iterator[OutgoingRequest]:
    """Hand the payload to Buildkite; the token's part after the colon is for reading statuses."""
    yield event.post_hook(f"https://webhook.buildkite.com/deliver/{event.text('token').partition(':')[0]}")


def trigger_drone(event: Event) -> Iterator[OutgoingRequest]:
    """Hand the payload to Drone, if there is something to build."""
    if not has_work(event):
        return
    world, project = event.ctx.world, event.project
    query = {
        "owner": namespaces.full_path(world, world.namespaces[project.namespace_id]),
        "name": project.path,
        "access_token": event.text("token"),
    }
    yield event.post_hook(f"{event.text('drone_url').rstrip('/')}/hook?{urlencode(query, safe='/')}")


def trigger_jenkins(event: Event) -> Iterator[OutgoingRequest]:
    """Hand the payload to a project of Jenkins, whose name may be a path of folders."""
    parts = urlsplit(event.text("jenkins_url"))
    path = f"{parts.path.rstrip('/')}/project/{quote(event.text('project_name'))}"
    user = event.text("username")
    headers = basic_authorization(user, event.text("password")) if user else {}
    name = _name_as_webhook(str(event.payload["object_kind"]))
    yield event.post_hook(urlunsplit(parts._replace(path=path)), name, headers)


def _name_as_webhook(kind: str) -> str:
    """Return the name that a webhook would give an event."""
    return f"{kind}_hook".replace("_", " ").title()


def report_to_datadog(event: Event) -> Iterator[OutgoingRequest]:
    """Hand a pipeline or a job to Datadog; tags with commas are quoted."""
    # The documentation of Datadog names some sites with a prefix that its receivers do not have.
    domain = event.text("datadog_site").removeprefix("app.")
    base = event.text("api_url") or f"https://webhook-intake.{domain}/api/v2/webhook"
    tags = filter(None, map(str.strip, event.text("datadog_tags").split("\n")))
    query = {
        "dd-api-key": event.text("api_key"),
        "env": event.text("datadog_env"),
        "service": event.text("datadog_service"),
        "tags": ",".join(f'"{tag}"' if "," in tag else tag for tag in tags),
    }
    url = f"{base}?{urlencode({name: value for name, value in query.items() if value})}"
    kind = "job" if event.payload["object_kind"] == "build" else "pipeline"
    yield event.post_hook(url, _name_as_webhook(kind))


def tell_squash(event: Event) -> Iterator[OutgoingRequest]:
    """Hand an issue to Squash TM."""
    token = event.text("token")
    query = f"?{urlencode({'token': token})}" if token else ""
    yield event.post_hook(f"{event.text('url')}{query}", "Issue Hook")


def trigger_packagist(event: Event) -> Iterator[OutgoingRequest]:
    """Announce a new state of a package."""
    server = event.text("server").rstrip("/") or _PACKAGIST
    query = urlencode({"username": event.text("username"), "apiToken": event.text("token")})
    yield event.post_hook(f"{server}/api/update-package?{query}")


def trigger_teamcity(event: Event) -> Iterator[OutgoingRequest]:
    """Queue a build of the branch at TeamCity, if there is something to build."""
    if not has_work(event):
        return
    branch = event.ref or event.attributes.get("source_branch", "")
    headers = {"Content-type": "application/xml"}
    if event.text("username"):
        headers |= basic_authorization(event.text("username"), event.text("password"))
    build = f"<build branchName={_quote_xml(branch)}><buildType id={_quote_xml(event.text('build_type'))}/></build>"
    url = f"{event.text('teamcity_url').rstrip('/')}/httpAuth/app/rest/buildQueue"
    yield event.request(url, build.encode(), headers)


def _quote_xml(text: str) -> str:
    from xml.sax.saxutils import escape

    return f'"{escape(text, {chr(34): "&quot;"})}"'


def has_work(event: Event) -> bool:
    """Return whether an event leaves something to build.

    A branch with an open merge request is not built for its pushes, as the merge request is.
    """
    if event.payload["object_kind"] == "merge_request":
        return event.attributes.get("state") == "opened" and event.attributes.get("merge_status") == "unchecked"
    has_commits = event.payload.get("total_commits_count", 0) > 0 and not event.removes_ref
    return has_commits and (event.payload["object_kind"] == "tag_push" or not _has_open_merge_request(event))


def _has_open_merge_request(event: Event) -> bool:
    return bool(event.ctx.world.merge_requests.where("open_from", (event.project.id, event.ref)))


_GITHUB_STATES: Final[Mapping[str, str]] = {
    "success": "success",
    "skipped": "success",
    "failed": "failure",
    "canceled": "error",
}


def report_to_github(event: Event) -> Iterator[OutgoingRequest]:
    """Report the status of a pipeline as a commit status of a repository at GitHub."""
    parts = urlsplit(event.text("repository_url"))
    host = parts.hostname or ""
    api = "https://api.github.com" if host == "github.com" else f"{parts.scheme}://{parts.netloc}/api/v3"
    pipeline, own_host = event.attributes, event.ctx.hostname
    is_static = event.settings.get("static_context") is not False
    status = {
        "state": _GITHUB_STATES.get(pipeline["status"], "pending"),
        "context": f"ci/gitlab/{own_host if is_static else event.ref}",
        "target_url": f"{event.project_url}/-/pipelines/{pipeline['id']}",
        "description": f"Pipeline {pipeline['detailed_status']} on GitLab",
    }
    repository = parts.path.strip("/").removesuffix(".git")
    headers = {"Content-Type": "application/json", "Authorization": f"token {event.text('token')}"}
    yield event.post_json(f"{api}/repos/{repository}/statuses/{pipeline['sha']}", status, headers)
