"""Metadata of the instance."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from graphql import GraphQLError

from fakeplat.api.version import get_version
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.instance import features
from fakeplat.graphql.schema_builder import QUERY, Type, mutation
from fakeplat.policy.context import ReadContext, WriteContext

_FLAGS: Final = "17.4"
_MOST_FLAGS: Final = 20


@frozen
class Kas:
    """The server of the agents, which there is not here."""

    enabled: bool = False
    version: str | None = None
    external_url: str | None = None
    external_k8s_proxy_url: str | None = None


@frozen
class Metadata:
    """Version and revision."""

    version: str
    revision: str
    enterprise: bool
    kas: Kas


METADATA = Type("Metadata", "Metadata of the instance.")
METADATA.attributes({"version: String!": "The version.", "revision: String!": "The revision from which it was built."})
METADATA.attributes({"kas: Kas!": "The server of the agents."}, since="<=14.0")
METADATA.attributes({"enterprise: Boolean!": "Whether a paid tier is available."}, since="15.6")
KAS = Type("Kas", "The server of the agents.", since="<=14.0")
KAS.attributes(
    {
        "enabled: Boolean!": "Whether there is one.",
        "version: String": "Its version.",
        "externalUrl: String": "The URL at which agents find it.",
    }
)
KAS.attributes({"externalK8sProxyUrl: String": "The URL at which tools find clusters through it."}, since="<=18.5")


@QUERY.field("metadata: Metadata")
def metadata(ctx: ReadContext) -> Metadata | None:
    """Metadata of the instance; null for anonymous callers."""
    if ctx.viewer is None:
        return None
    known = get_version(ctx)
    return Metadata(known["version"], known["revision"], ctx.instance.has("premium"), Kas())


FLAG: Final = Type("GitlabInstanceFeatureFlag", "A feature of the platform.", since=_FLAGS)
FLAG.attributes({"name: String!": "The name.", "enabled: Boolean!": "Whether it is on for the caller."})


@QUERY.field("featureFlagEnabled(name: String!): Boolean!", since="<=18.5")
def is_feature_enabled(ctx: ReadContext, name: str) -> bool:
    """Whether a known feature of the platform is on for the caller, who is signed in."""
    return ctx.viewer is not None and features.is_enabled(ctx.world, name, ctx.viewer)


@METADATA.field("featureFlags(names: [String!]!): [GitlabInstanceFeatureFlag!]!", since=_FLAGS)
def feature_flags(ctx: ReadContext, _metadata: Metadata, names: Sequence[str]) -> list[dict[str, Any]]:
    """The known ones of some features of the platform."""
    if len(names) > _MOST_FLAGS:
        raise GraphQLError(f"names is too long (maximum is {_MOST_FLAGS})")
    return [
        {"name": name, "enabled": is_feature_enabled(ctx, name)} for name in names if features.is_known(ctx.world, name)
    ]


@QUERY.field("gitpodEnabled: Boolean", since="<=14.10")
def is_gitpod_enabled(ctx: ReadContext) -> bool:
    """Whether projects open in an editor outside."""
    return ctx.world.settings.gitpod_enabled


@QUERY.field("echo(text: String!): String!")
def echo(ctx: ReadContext, text: str) -> str:
    """Return the text and the caller's username."""
    username = "nil" if ctx.viewer is None else f'"{ctx.viewer.username}"'
    return f"{username} says: {text}"


@mutation(
    "echoCreate",
    input_fields='''
"""What the payload has as its errors."""
errors: [String!]
"""What the payload repeats."""
messages: [String!]
''',
    payload_fields='"""The messages."""\nechoes: [String!]',
    since="<=14.1",
)
def echo_create(
    _ctx: WriteContext, messages: Sequence[str] | None = None, errors: Sequence[str] | None = None
) -> Mapping[str, Any]:
    """Change nothing, for tests of the access."""
    return {"echoes": messages, "errors": errors or []}
