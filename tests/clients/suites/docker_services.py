"""A pytest plugin in the place of pytest-docker: the service of a suite's composition is the server at FAKEPLAT_URL.

Whoever sleeps to wait for the server moves its virtual clock instead. As a program, the module is `docker`: in the
container of the server it creates a token of the administrator, in that of the runner it registers one.
"""

import json
import os
import sys
import time
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest

SERVER = urlsplit(os.environ["FAKEPLAT_URL"])


class Services:
    def port_for(self, service, container_port):
        return SERVER.port

    def wait_until_responsive(self, check, timeout, pause):
        """Return at once: the server is ready."""


@pytest.fixture(scope="session")
def docker_ip():
    return SERVER.hostname


@pytest.fixture(scope="session")
def docker_services():
    return Services()


def control(method, path, body):
    request = Request(f"{SERVER.geturl()}{path}", json.dumps(body).encode(), method=method)
    request.add_header("Content-Type", "application/json")
    with urlopen(request):
        pass


def advance_clock(seconds):
    control("POST", "/_fakeplat/clock", {"advance": f"{round(seconds * 1000)}ms"})


@pytest.fixture(scope="session", autouse=True)
def moved_clock():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time, "sleep", advance_clock)
        yield


if __name__ == "__main__":
    if "gitlab-runner" in sys.argv:
        # From now on somebody takes the jobs.
        control("PUT", "/_fakeplat/pipelines", [{"artifacts": {"artifact.txt": "test\n"}}])
    else:
        print("root-token")
