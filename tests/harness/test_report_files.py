"""The files of reports: their names, and places where they cannot be written."""

import pytest

from fakeplat.harness.report_files import name_file
from tests.harness.test_plugin import run

TESTS = """
    import pytest

    @pytest.mark.parametrize("text", ["x" * 300, "a/b", "a b"])
    def test_it(fakeplat, text):
        fakeplat.as_user("ada").get("user")
        assert False

    def test_passes(fakeplat):
        fakeplat.as_user("ada").get("user")
"""


@pytest.fixture
def session(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makeini("[pytest]\nasyncio_mode = auto\nasyncio_default_fixture_loop_scope = function\n")
    return pytester


@pytest.mark.parametrize(
    ("test", "number", "name"),
    [
        ("tests/test_a.py::test_b", 1, "tests-test_a.py-test_b.json"),
        ("tests/test_a.py::test_b[x-1]", 2, "tests-test_a.py-test_b-x-1--2.json"),
    ],
    ids=["plain", "second world"],
)
def test_files_are_named_after_tests(test: str, number: int, name: str) -> None:
    """A file has the name of its test, and the number of the world if it is not the first."""
    assert name == name_file(test, number, ".json")


def test_names_are_short_and_differ() -> None:
    """Long ids, and those that differ only in characters that file names cannot have, have names of their own."""
    tests = [f"test_a.py::test_b[{text}]" for text in ("a/b", "a b", "a-b", "x" * 300, "x" * 301, "é", "ü")]
    names = [name_file(test, 1, ".html") for test in tests]
    assert len(tests) == len(set(names))
    assert max(map(len, names)) < 200


@pytest.mark.parametrize("option", ["trace", "bundle"])
def test_each_failed_test_has_a_file(session: pytest.Pytester, option: str) -> None:
    """Tests with long or odd parameters have files, too."""
    result = run(session, TESTS, f"--fakeplat-{option}=reports")
    result.assert_outcomes(failed=3, passed=1)
    assert 3 == len([*session.path.joinpath("reports").iterdir()])


@pytest.mark.parametrize("option", ["trace", "bundle"])
def test_a_file_that_cannot_be_written_is_said(session: pytest.Pytester, option: str) -> None:
    """A place where no file can be written does not end the session: each report names the problem."""
    session.path.joinpath("reports").write_text("a file")
    result = run(session, TESTS, f"--fakeplat-{option}=reports/below")
    result.assert_outcomes(failed=3, passed=1)
    result.stdout.fnmatch_lines(["*reports*cannot be written: Not a directory"])


def test_evidence_that_cannot_be_written_is_said(session: pytest.Pytester) -> None:
    """The summary names the problem of a file of evidence."""
    session.path.joinpath("reports").write_text("a file")
    result = run(session, TESTS, "--fakeplat-evidence=reports/evidence.json")
    result.assert_outcomes(failed=3, passed=1)
    result.stdout.fnmatch_lines(["* in use; *evidence.json cannot be written: *"])
