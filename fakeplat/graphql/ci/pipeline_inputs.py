"""The inputs that configurations declare. Source: docs/platform/graphql.md, docs/platform/pipelines-jobs.md."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from graphql import GraphQLError

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.ci import linting
from fakeplat.domain.repository import repositories
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Enumeration, Type
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext

_SINCE: Final = "17.10"
_NOT_PERMITTED: Final = "Insufficient permissions to read inputs"
_NO_REF: Final = "The branch or tag does not exist"
Enumeration(
    "CiInputsType",
    "The type of an input.",
    {name.upper(): (name, f"The type {name}.") for name in ("array", "boolean", "number", "string")},
    since=_SINCE,
)
SPEC: Final = Type("CiInputsSpec", "An input that a configuration declares.", since=_SINCE)


@frozen
class DeclaredInput:
    """An input, and what the header of the configuration says of it."""

    name: str
    spec: Mapping[str, Any]


SPEC.attributes({"name: String!": "The name."})


@SPEC.field("type: CiInputsType!")
def type_of(_ctx: ReadContext, declared: DeclaredInput) -> str:
    """The type of its values."""
    return str(declared.spec.get("type") or "string")


@SPEC.field("required: Boolean!")
def is_required(_ctx: ReadContext, declared: DeclaredInput) -> bool:
    """Whether it has no default."""
    return "default" not in declared.spec


def _declare(signature: str, description: str) -> None:
    key = signature.partition(":")[0]

    def value(_ctx: ReadContext, declared: DeclaredInput) -> Any:
        return declared.spec.get(key)

    SPEC.field(signature, description=description)(value)


_declare("description: String", "What users are told about it.")
_declare("default: CiInputsValue", "The value that it has by default.")
_declare("options: CiInputsValue", "The values that it may have.")
_declare("regex: String", "The expression that its values match.")


@PROJECT.field("ciPipelineCreationInputs(ref: String!): [CiInputsSpec!]", since=_SINCE)
def inputs_of(ctx: ReadContext, project: Project, ref: str) -> Sequence[DeclaredInput] | None:
    """The inputs of the configuration of a branch or tag, for those who may create pipelines."""
    if not can(ctx, Ability.CREATE_PIPELINE, project):
        return None
    if not can(ctx, Ability.DOWNLOAD_CODE, project):
        raise GraphQLError(_NOT_PERMITTED)
    git = repositories.open_repository(ctx.world, project)
    if git.find_branch(ref) is None and git.find_tag(ref) is None:
        raise GraphQLError(_NO_REF)
    return [DeclaredInput(name, spec) for name, spec in linting.list_inputs(ctx, project, ref)]
