"""GraphQL: the query of a merge request as editors send it, compared with the REST answers of the same content."""

import time
from collections.abc import Callable, Iterable

import orjson

from benchmarks.ratio import Ratio
from fakeplat.core.operations.http_messages import JSON, Request
from fakeplat.graphql.endpoint import handle_request
from fakeplat.platform import Platform
from fakeplat.scenario import create_platform, get_scenario

ROUNDS = 20
NOTES = 20
SITE = "/api/v4/projects/acme%2Fsite"
# As many rows per page as GraphQL shows, so that both have the same content.
PATHS = ("", "/approvals", "/discussions", "/commits", "/pipelines", "/reviewers")
PAGE = "per_page=100"
USER = "id username name avatarUrl webUrl"
QUERY = f"""query($path: ID!, $iid: String!) {{ project(fullPath: $path) {{ mergeRequest(iid: $iid) {{
    id iid title description state draft webUrl createdAt updatedAt sourceBranch targetBranch
    detailedMergeStatus mergeStatusEnum conflicts shouldBeRebased squash approved approvalsRequired
    diffRefs {{ baseSha headSha startSha }} author {{ {USER} }}
    assignees {{ nodes {{ {USER} }} }} reviewers {{ nodes {{ {USER} }} }} approvedBy {{ nodes {{ {USER} }} }}
    labels {{ nodes {{ id title color }} }} milestone {{ id title }}
    headPipeline {{ id iid status }} userPermissions {{ canMerge canApprove updateMergeRequest }}
    commits {{ nodes {{ sha title message authorName authoredDate webUrl }} }}
    discussions {{ nodes {{ id resolved resolvable notes {{ nodes {{
        id body system createdAt url author {{ {USER} }} position {{ filePath newLine oldLine }} }} }} }} }} }} }} }}"""


def measure() -> list[Ratio]:
    body = orjson.dumps({"query": QUERY, "variables": {"path": "acme/site", "iid": "1"}})
    headers = {"private-token": "root-token", "content-type": JSON}
    query = [Request("POST", "/api/graphql", "", headers, body)]
    rest = [Request("GET", f"{SITE}/merge_requests/1{path}", PAGE, headers) for path in PATHS]
    answer = orjson.loads(_create_world().handle(query[0]).body)
    if "data" not in answer or "errors" in answer:
        raise RuntimeError(answer)
    ratios = [
        ("a merge request by GraphQL, vs the REST answers", _keep),
        ("the same, with one more note each time", _add_note),
        ("the same, with nothing in the caches", Platform._clear_caches),
    ]
    return [Ratio(name, _time(query, prepare) / _time(rest, prepare), 3) for name, prepare in ratios]


def _keep(_platform: Platform) -> None:
    """Change nothing, so that both have answered before."""


def _add_note(platform: Platform) -> None:
    path = f"{SITE}/merge_requests/1/notes"
    headers = {"private-token": "root-token", "content-type": JSON}
    platform.handle(Request("POST", path, "", headers, b'{"body": "Again"}'))


def _create_world() -> Platform:
    notes = [{"author": "mia", "body": f"Note {n}"} for n in range(NOTES)]
    merge_request = {
        "iid": 1,
        "title": "Bench",
        "author": "dev",
        "source_branch": "bench",
        "assignees": ["mia"],
        "reviewers": ["mia"],
        "labels": ["bug"],
        "notes": notes,
    }
    site = {"path_with_namespace": "acme/site", "merge_requests": [merge_request]}
    instance = {"version": "latest", "tier": "premium"}
    scenario = {"instance": instance, "extends": "starter", "projects": [site]}
    platform = create_platform(get_scenario(scenario))
    platform.endpoints["graphql"] = handle_request
    return platform


def _time(requests: Iterable[Request], prepare: Callable[[Platform], None]) -> float:
    """Return the seconds of the requests after a preparation, in a world of their own: that of one adds notes."""
    platform, best = _create_world(), 9.0
    # What is made at the first request only, such as the schema, belongs to none of the cases.
    _send(platform, requests)
    for _ in range(ROUNDS):
        prepare(platform)
        start = time.perf_counter()
        _send(platform, requests)
        best = min(best, time.perf_counter() - start)
    return best


def _send(platform: Platform, requests: Iterable[Request]) -> None:
    for request in requests:
        status = platform.handle(request).status
        if status != 200:
            raise RuntimeError(f"{request.path}: {status}")
