import fakeplat
from tests.architecture.sources import package_modules, suite_modules

SHAPELESS = {"common", "helper", "helpers", "misc", "util", "utils"}


def test_no_module_is_named_for_having_no_subject() -> None:
    """A module is named for what is in it, never helpers or utils."""
    assert [] == [module.filename for module in package_modules() + suite_modules() if module.path.stem in SHAPELESS]


def test_exports_are_sorted_and_named_once() -> None:
    """`fakeplat.__all__` reads like an index."""
    assert sorted(set(fakeplat.__all__)) == list(fakeplat.__all__)


def test_every_export_exists() -> None:
    """What `fakeplat.__all__` promises can be had from `fakeplat`."""
    assert [] == [name for name in fakeplat.__all__ if not hasattr(fakeplat, name)]
