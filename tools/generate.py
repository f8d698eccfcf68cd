"""Write the generated files again, or with --check say which are stale."""

import csv
import io
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson

from fakeplat import api, scenario
from fakeplat.graphql import schema as graphql
from fakeplat.scenario.parsing import parse
from fakeplat.tape.formats import tape
from fakeplat.workbench import coverage

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tools.evidence import coverage_page, merged, roles_page  # noqa: E402  # a script finds its own folder only
from tools.verified import with_tapes  # noqa: E402

Generated = Iterator[tuple[Path, bytes]]


def as_json(data: Any) -> bytes:
    return orjson.dumps(data, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def lazy_routes() -> Generated:
    """Which module of the API declares what, so that each is imported when it is first asked for."""
    table = io.StringIO()
    csv.writer(table, lineterminator="\n").writerows([api.COLUMNS, *api.lazy_route_rows()])
    yield ROOT / "fakeplat/api/lazy_routes.csv", table.getvalue().encode()


def scenario_schema() -> Generated:
    """The JSON Schema of scenarios, beside the code that declares it."""
    yield ROOT / "fakeplat/scenario/schema.json", as_json(scenario.schema())


def tape_schema() -> Generated:
    """The JSON Schema of a tape's lines, beside the code that declares it."""
    yield ROOT / "fakeplat/tape/schema.json", as_json(tape.schema())


def graphql_schema() -> Generated:
    """The GraphQL schema in its definition language."""
    yield ROOT / "docs/schema.graphql", graphql.schema_text().encode()


def builtin_scenarios() -> Generated:
    """Each built-in scenario as JSON, so that start-up parses no YAML."""
    for file in sorted((ROOT / "scenarios").glob("*.yaml")):
        yield file.with_suffix(".json"), as_json(parse(file.read_bytes(), file.suffix))


def evidence() -> Generated:
    """What the tests observed, where both suites ran whole; and the tables that are made from it."""
    found = with_tapes(merged(ROOT / ".cache/evidence") or coverage.evidence(), ROOT / "tests/tapes")
    yield ROOT / "fakeplat/workbench/evidence.json", as_json(found)
    coverage.evidence.cache_clear()
    rows = coverage.table(found)
    yield ROOT / "docs/coverage.md", coverage_page(rows).encode()
    yield ROOT / "docs/roles.md", roles_page(found).encode()


GENERATORS: list[Callable[[], Generated]] = [
    lazy_routes,
    scenario_schema,
    tape_schema,
    graphql_schema,
    builtin_scenarios,
    evidence,
]


def stale() -> Iterator[tuple[Path, bytes]]:
    """The files whose content is not what would be generated now."""
    for generator in GENERATORS:
        for file, content in generator():
            if not file.is_file() or file.read_bytes() != content:
                yield file, content


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--check"]):
        print("usage: generate.py [--check]", file=sys.stderr)
        return 2
    found = list(stale())
    for file, content in found:
        print(f"{'stale' if arguments else 'written'}: {file.relative_to(ROOT)}")
        if not arguments:
            file.write_bytes(content)
    return 1 if arguments and found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
