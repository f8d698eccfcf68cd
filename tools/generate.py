"""Write the generated files, or list the stale ones with --check. tools/evidence.py writes what tests observe."""

import csv
import io
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson

from fakeplat import api, scenario
from fakeplat.graphql import schema
from fakeplat.pipeline import routing
from fakeplat.scenario import lazy_sections as sections
from fakeplat.scenario.parsing import parse
from fakeplat.tape.formats import tape

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tools import record_reference, setting_effects, typescript  # noqa: E402  # the root is not on a script's path
from tools.release_reference import with_profiles  # noqa: E402

Generated = Iterator[tuple[Path, bytes]]


def as_json(data: Any) -> bytes:
    return orjson.dumps(data, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def lazy_routes() -> Generated:
    """The table of the modules that declare each route, for lazy imports."""
    table = io.StringIO()
    unbuilt = (api.build_row("", route) for route in routing.find_taken_routes())
    csv.writer(table, lineterminator="\n").writerows([api.COLUMNS, *api.build_lazy_route_rows(), *unbuilt])
    yield ROOT / "fakeplat/api/lazy_routes.csv", table.getvalue().encode()


def lazy_sections() -> Generated:
    """The table of the modules that declare each section of scenarios, for lazy imports."""
    table = io.StringIO()
    csv.writer(table, lineterminator="\n").writerows([sections.COLUMNS, *sections.build_rows()])
    yield ROOT / "fakeplat/scenario/lazy_sections.csv", table.getvalue().encode()


def scenario_schema() -> Generated:
    """The JSON Schema of scenarios, beside the code that declares it."""
    yield ROOT / "fakeplat/scenario/schema.json", as_json(scenario.schema())


def tape_schema() -> Generated:
    """The JSON Schema of a tape's lines, beside the code that declares it."""
    yield ROOT / "fakeplat/tape/schema.json", as_json(tape.schema())


def graphql_schema() -> Generated:
    """The GraphQL schema in its definition language."""
    yield ROOT / "docs/schema.graphql", schema.schema_text().encode()


def record_types() -> Generated:
    """The types of the records in a view of a world, beside the views."""
    yield ROOT / "fakeplat/workbench/record_types.pyi", record_reference.record_types().encode()


def control_types() -> Generated:
    """The types of the control routes in the npm package."""
    yield ROOT / "javascript/src/control.ts", typescript.control_types().encode()


def release_profiles() -> Generated:
    """The table of the tested releases."""
    page = ROOT / "docs/releases.md"
    yield page, with_profiles(page.read_text("utf-8")).encode()


def builtin_scenarios() -> Generated:
    """Each built-in scenario as JSON, so that start-up parses no YAML."""
    for file in sorted((ROOT / "scenarios").glob("*.yaml")):
        yield file.with_suffix(".json"), as_json(parse(file.read_bytes(), file.suffix))


def effects_of_settings() -> Generated:
    """The table of the settings that nothing reads."""
    yield setting_effects.PAGE, setting_effects.build_page().encode()


GENERATORS: list[Callable[[], Generated]] = [
    lazy_routes,
    lazy_sections,
    scenario_schema,
    tape_schema,
    graphql_schema,
    record_types,
    control_types,
    builtin_scenarios,
    release_profiles,
    effects_of_settings,
]


def find_stale() -> Iterator[tuple[Path, bytes]]:
    """Yield the files whose content differs from what would be generated, with the new content."""
    for generator in GENERATORS:
        for file, content in generator():
            if not file.is_file() or file.read_bytes() != content:
                yield file, content


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--check"]):
        print("usage: generate.py [--check]", file=sys.stderr)
        return 2
    is_stale = False
    for file, content in find_stale():
        is_stale = True
        print(f"{'stale' if arguments else 'written'}: {file.relative_to(ROOT)}", flush=True)
        # Written at once: the later files depend on the tables of lazy imports.
        if not arguments:
            file.write_bytes(content)
    return 1 if arguments and is_stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
