"""A group that an identity provider manages, and scim2-client with its token."""

from contextlib import contextmanager

import httpx2
from scim2_client.engines.httpx2 import SyncSCIMClient

SCENARIO = {
    "extends": "starter",
    "instance": {"hosted": True, "tier": "premium", "version": "latest"},
    "groups": [{"full_path": "acme", "scim": {"token": "scim-secret"}}],
}


@contextmanager
def opened_client(create_world):
    url = f"{create_world(scenario=SCENARIO).url.rstrip('/')}/api/scim/v2/groups/acme"
    with httpx2.Client(base_url=url, headers={"Authorization": "Bearer scim-secret"}) as http:
        yield SyncSCIMClient(http)
