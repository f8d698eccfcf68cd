from collections.abc import Callable, Iterator

import pytest

from tests.clients.environments import Client, NodeClient, PythonClient
from tests.clients.reports import PASSED, Report

PYTHON_GITLAB = ("python_gitlab_suite.py", "python_gitlab_ci_suite.py", "python_gitlab_registry_suite.py")
GITBEAKER = ("gitbeaker_suite.mjs", "gitbeaker_ci_suite.mjs")

WITH_EVERY_RUN: tuple[Client, ...] = (
    PythonClient("python-gitlab", "8.6.0", (*PYTHON_GITLAB, "python_gitlab_recent_ci_suite.py")),
    PythonClient("gidgetlab", "2.1.2", ("gidgetlab_suite.py",), extras="[aiohttp]"),
)
ON_REQUEST: tuple[Client, ...] = (
    PythonClient("python-gitlab", "2.10.1", PYTHON_GITLAB),
    PythonClient("authlib", "1.9.6", ("authlib_suite.py",), plugins=("requests>=2.32",)),
    PythonClient("requests-oauthlib", "2.0.0", ("requests_oauthlib_suite.py",)),
    PythonClient(
        "scim2-client",
        "0.13.2",
        ("scim2_suite.py", "scim2_tester_suite.py"),
        extras="[httpx2]",
        plugins=("scim2-tester==0.5.2",),
    ),
    PythonClient("mcp", "1.30.0", ("mcp_suite.py",)),
    NodeClient("openid-client", "6.9.0", ("openid_client_suite.mjs",)),
    NodeClient("@gitbeaker/rest", "43.8.0", GITBEAKER),
    NodeClient("@gitbeaker/rest", "43.8.0", GITBEAKER, release="latest"),
)


def list_facts(clients: tuple[Client, ...], *marks: pytest.MarkDecorator) -> Iterator[object]:
    for client in clients:
        together = pytest.mark.xdist_group(str(client))
        for fact in client.facts():
            yield pytest.param(client, fact, id=f"{client}: {fact.removeprefix('test_')}", marks=[together, *marks])


@pytest.mark.parametrize(
    ("client", "fact"), [*list_facts(WITH_EVERY_RUN), *list_facts(ON_REQUEST, pytest.mark.clients)]
)
def test_a_real_client_finds_what_its_users_rely_on(
    client: Client, fact: str, report_of: Callable[[Client], Report]
) -> None:
    """Each fact in the suite of a released client holds on a running server."""
    outcome = report_of(client).outcome(fact)

    if outcome != PASSED:
        pytest.fail(outcome, pytrace=False)


@pytest.mark.parametrize("client", WITH_EVERY_RUN + ON_REQUEST, ids=str)
def test_a_suite_has_facts(client: Client) -> None:
    """The suite of each client has tests with unique names."""
    assert len(client.facts()) == len(set(client.facts())) > 0
