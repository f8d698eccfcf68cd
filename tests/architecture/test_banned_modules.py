from tests.architecture.sources import list_imports, package_modules

BANNED = {"random", "subprocess", "tempfile", "uuid"}
# Executed jobs have folders.
ALLOWED = {("fakeplat/cli/executor.py", "tempfile")}


def test_the_package_imports_no_banned_module() -> None:
    """The package imports none of random, subprocess, tempfile and uuid, but for the folders of executed jobs."""
    banned = [
        str(banned)
        for banned in list_imports(package_modules())
        if banned.imported.split(".")[0] in BANNED and (banned.importer.filename, banned.imported) not in ALLOWED
    ]

    assert [] == banned
