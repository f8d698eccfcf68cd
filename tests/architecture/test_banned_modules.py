from tests.architecture.sources import list_imports, package_modules

BANNED = {"random", "subprocess", "tempfile", "uuid"}


def test_the_package_imports_no_banned_module() -> None:
    """The package imports none of random, subprocess, tempfile and uuid."""
    banned = [str(banned) for banned in list_imports(package_modules()) if banned.imported.split(".")[0] in BANNED]

    assert [] == banned
