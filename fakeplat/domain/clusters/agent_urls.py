"""Where the platform itself reaches agents for clusters. Source: docs/platform/cluster-agents.md."""

import re
from base64 import b64encode
from typing import Final, Required, TypedDict, Unpack

from fakeplat.core.operations.errors import BadRequest, NotFound
from fakeplat.domain.clusters.agents import refuse
from fakeplat.domain.pages_domains.certificates import is_private_key, parse_certificate
from fakeplat.domain.validation import ValidationErrors
from fakeplat.model.clusters import AgentUrlConfiguration, ClusterAgent
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

_URL: Final = re.compile(r"grpcs?://[^\s/?#]+\S*")
_TAKEN: Final = "400 Bad request - URL configuration already exists for this agent"


def find_configuration(world: World, agent: ClusterAgent) -> AgentUrlConfiguration | None:
    """Return the configuration of an agent, which has one at most."""
    return next(iter(world.agent_url_configurations.where("agent", agent.id)), None)


def get_configuration(world: World, agent: ClusterAgent, id_: int) -> AgentUrlConfiguration:
    """Return the configuration of an agent if it has an id, or refuse with 404."""
    found = find_configuration(world, agent)
    if found is None or found.id != id_:
        raise NotFound(reason=f"the agent {agent.name} has no configuration {id_} of its URL")
    return found


class NewConfiguration(TypedDict, total=False):
    """The fields of a new configuration."""

    url: Required[str]
    client_cert: str | None
    client_key: str | None
    ca_cert: str | None
    tls_host: str | None
    creator_id: int | None


def create(ctx: WriteContext, agent: ClusterAgent, **fields: Unpack[NewConfiguration]) -> AgentUrlConfiguration:
    """Create the configuration of an agent, or refuse with 400; without a client's key it gets one of its own."""
    if find_configuration(ctx.world, agent) is not None:
        raise BadRequest(_TAKEN)
    table, public_key = ctx.world.agent_url_configurations, None
    if not fields.get("client_key"):
        fields = {**fields, "client_key": None, "client_cert": None}
        public_key = b64encode(bytes.fromhex(ctx.random_hex("agent_url_configuration", 32))).decode()
    refuse(_validate(fields).full_messages())
    return table.add(AgentUrlConfiguration(table.next_id(), agent.id, public_key=public_key, **fields))


def _validate(fields: NewConfiguration) -> ValidationErrors:
    errors = ValidationErrors()
    errors.when(_URL.fullmatch(fields["url"]) is None, "url", "is not a valid URL")
    ca_cert, key = fields.get("ca_cert"), fields.get("client_key")
    invalid = "must be a valid PEM certificate"
    errors.when(ca_cert and parse_certificate(ca_cert) is None, "ca_cert", invalid)
    errors.when(key and parse_certificate(fields.get("client_cert") or "") is None, "client_cert", invalid)
    errors.when(key and not is_private_key(key), "client_key", "must be a valid PEM private key")
    return errors
