from tests.architecture.sources import list_imports, package_modules

BANNED = {"random", "subprocess", "tempfile", "uuid"}


def test_the_package_imports_no_banned_module() -> None:
    """Chance comes from the seed, everything lives in memory, and no process is started through subprocess."""
    banned = [str(banned) for banned in list_imports(package_modules()) if banned.imported.split(".")[0] in BANNED]

    assert [] == banned
