"""What a client uses of the platform, from a tape or from the evidence of a test suite."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from graphql import GraphQLError, parse

from fakeplat.ci_config.documents import FormatError, YamlValue
from fakeplat.ci_config.documents import parse as parse_yaml
from fakeplat.core.operations.operation import OPERATIONS
from fakeplat.core.operations.router import Router
from fakeplat.core.store.frozen import frozen
from fakeplat.graphql.used_names import UsedNames
from fakeplat.releases.inventory import Item, key_of, list_items
from fakeplat.tape.formats.tape import Tape
from fakeplat.tape.records.recorded_requests import json_or_none, parse_parameters

_GRAPHQL: Final = "/api/graphql"
CI_FILE: Final = ".gitlab-ci.yml"


@frozen
class Usage:
    """What a client uses: operations, the parameters that it sends to each, GraphQL names, keywords of CI files."""

    parameters: Mapping[str, frozenset[str]]
    graphql: frozenset[str] = frozenset()
    keywords: frozenset[str] = frozenset()
    events: frozenset[str] = frozenset()

    def touches(self, item: Item) -> bool:
        """Return whether a change of something may be noticed by the client."""
        used = self.parameters.keys() & set(item.operations)
        match item.kind:
            case "parameter" | "value":
                name = item.name.rpartition(" ")[2].partition("=")[0].partition(".")[0]
                return any(name in self.parameters[operation] for operation in used)
            case "graphql":
                return item.name in self.graphql
            case "keyword":
                return item.name.rpartition(".")[2] in self.keywords
            case "event":
                return item.name.partition(" ")[0] in self.events
            case "behaviour" | "variable":
                return True
            case _:
                return bool(used)


def usage_of_evidence(evidence: Mapping[str, Any]) -> Usage:
    """Return what the tests of a suite used, from the file of ``--fakeplat-evidence``."""
    keys = {operation.name: key_of(operation) for operation in OPERATIONS}
    return Usage({keys[name]: frozenset(row["parameters"]) for name, row in evidence.items() if name in keys})


def usage_of_tape(tape: Tape) -> Usage:
    """Return what a client used while a tape was recorded."""
    router = Router([_Route(item.name) for item in list_items() if item.kind == "operation"])
    parameters: dict[str, set[str]] = {}
    keywords: set[str] = set()
    documents: list[str] = []
    for request in (exchange.request for exchange in tape.exchanges):
        if request.path == _GRAPHQL:
            documents += _documents_of(json_or_none(request.body))
            continue
        route = router.match(request.method, request.path).route
        if route is not None:
            parameters.setdefault(route.key, set()).update(parse_parameters(request))
            keywords.update(_keywords_of(parse_parameters(request)))
    return Usage(
        {key: frozenset(names) for key, names in parameters.items()},
        frozenset(name for document in documents for name in list_names(document)),
        frozenset(keywords),
        frozenset(delivery.trigger for delivery in tape.deliveries),
    )


@frozen
class _Route:
    """The route of an operation, implemented here or not."""

    key: str

    @property
    def method(self) -> str:
        return self.key.partition(" ")[0]

    @property
    def path(self) -> str:
        return self.key.partition(" ")[2]


def _documents_of(body: Any) -> Iterator[str]:
    """Yield the documents of a request to GraphQL, which may be several in a list."""
    for query in body if isinstance(body, list) else [body]:
        if isinstance(query, Mapping) and isinstance(query.get("query"), str):
            yield query["query"]


def list_names(document: str) -> set[str]:
    """Return the names in a document: ``Type.field``, ``Type.field(argument)``, ``Input.field``, ``ENUM.VALUE``."""
    try:
        used = UsedNames(parse(document), {})
    except GraphQLError:
        return set()
    return {*used.names, *used.types}


def _keywords_of(parameters: Mapping[str, Any]) -> Iterator[str]:
    """Yield the keys of the CI files in a request: those that it commits, and those that it lints."""
    for text in _ci_files_of(parameters):
        try:
            yield from _keys_of(parse_yaml(text))
        except FormatError:
            continue


def _ci_files_of(parameters: Mapping[str, Any]) -> Iterator[str]:
    actions = parameters.get("actions")
    for sent in [parameters, *(actions if isinstance(actions, list) else [])]:
        # What is linted has no path.
        if isinstance(sent, Mapping) and str(sent.get("file_path", CI_FILE)).endswith(CI_FILE):
            content = sent.get("content")
            if isinstance(content, str):
                yield content


def _keys_of(value: YamlValue) -> Iterator[str]:
    if isinstance(value, dict):
        yield from map(str, value)
    for child in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _keys_of(child)
