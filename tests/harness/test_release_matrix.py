"""The matrix of releases: each test with a world runs once per release."""

import json
import re
from collections.abc import Sequence

import pytest

from tests.harness.test_plugin import INI, run, run_session, session

__all__ = ["session"]

MATRIX = "--fakeplat-releases=13.5,16.11,latest"
SUITE = """
    import pytest

    def get_version(fake):
        return fake.as_user("ada").get("version").json()["version"]

    def test_without_a_world():
        pass

    def test_plain(fakeplat):
        assert get_version(fakeplat) in ("13.5", "16.11", "19.3.0")

    def test_differs(fakeplat):
        assert fakeplat.as_user("ada").get("metadata").status == 200

    class TestClass:
        @pytest.mark.parametrize("name", ["a", "b"])
        def test_parameters(self, fakeplat, name):
            if get_version(fakeplat) == "16.11" and name == "b":
                pytest.skip("not there")

    @pytest.fixture
    def site(fakeplat):
        return fakeplat.as_user("ada").get("projects/acme%2Fsite")

    async def test_asynchronous(site):
        assert site.status == 200

    @pytest.mark.fakeplat(releases=">=15.0", version="15.11")
    def test_later(fakeplat):
        assert get_version(fakeplat) in ("15.11", "16.11", "19.3.0")
"""
TABLE = [
    "*= fakeplat releases =*",
    "release        passed  failed  skipped  not meant for it",
    "13.5                4       1        0                 1",
    "16.11               5       0        1                 0",
    "latest (19.3)       6       0        0                 0",
    "tests that differ between releases:",
    "  test_*.py::TestClass::test_parameters[[]b[]]: passed in 13.5, latest; skipped in 16.11",
    "  test_*.py::test_differs: failed in 13.5; passed in 16.11, latest",
]


def list_ids(session: pytest.Pytester, *options: str) -> list[str]:
    """Return the ids of the collected tests, without the file."""
    lines = run_session(session, "--collect-only", "-q", *options).outlines
    return [line.partition("::")[2] for line in lines if "::" in line]


def test_each_test_with_a_world_runs_once_per_release(session: pytest.Pytester) -> None:
    """The summary is a table of the releases, with the tests whose results differ and where they failed."""
    result = run(session, SUITE, MATRIX, "--junitxml=report.xml")
    result.assert_outcomes(passed=16, failed=1, skipped=1, deselected=1)
    result.stdout.fnmatch_lines(TABLE, consecutive=True)
    report = (session.path / "report.xml").read_text("utf-8")
    assert 6 == report.count('<property name="fakeplat_release" value="latest"')


def test_workers_run_the_same_tests_and_the_controller_makes_the_table(session: pytest.Pytester) -> None:
    """Under pytest-xdist the table is that of one process, also with groups of tests."""
    session.makeini(INI + "fakeplat_releases = 13.5 16.11, latest\n")
    result = run(session, SUITE, "-n2", "--dist=loadgroup")
    result.assert_outcomes(passed=16, failed=1, skipped=1)
    result.stdout.fnmatch_lines(TABLE, consecutive=True)


def test_ids_end_with_the_release(session: pytest.Pytester) -> None:
    """The release as given is the last parameter of a test, so ids are stable and can be selected."""
    session.makepyfile(SUITE)
    assert [
        "test_plain[16.11]",
        "test_differs[16.11]",
        "TestClass::test_parameters[a-16.11]",
        "TestClass::test_parameters[b-16.11]",
        "test_asynchronous[16.11]",
        "test_later[16.11]",
    ] == list_ids(session, MATRIX, "-k", "16.11")
    assert "test_plain[latest]" in list_ids(session, MATRIX)
    assert "test_plain" in list_ids(session)


def test_the_last_failures_are_repeated(session: pytest.Pytester) -> None:
    """With `--lf` a test is repeated in the releases in which it failed."""
    session.makepyfile(SUITE)
    session.runpytest_subprocess(MATRIX, "-k", "differs").assert_outcomes(passed=2, failed=1)
    result = session.runpytest_subprocess(MATRIX, "--lf", "-v")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*::test_differs[[]13.5[]] FAILED*"])


def test_outside_of_the_matrix_a_test_has_its_version(session: pytest.Pytester) -> None:
    """Without a matrix, `releases` changes nothing: a test runs in the default release or in that of its marker."""
    source = """
        import pytest
        @pytest.mark.fakeplat(releases=">=15.0", version="15.11")
        def test_version(fakeplat):
            assert "15.11" == fakeplat.as_user("ada").get("version").json()["version"]
        @pytest.mark.fakeplat(releases="<15.0")
        def test_default(fakeplat):
            assert "13.5.1" == fakeplat.as_user("ada").get("version").json()["version"]
    """
    result = run(session, source)
    result.assert_outcomes(passed=2)
    result.stdout.no_fnmatch_line("*fakeplat releases*")


WORLDS = """
    import pytest

    VERSIONS = []

    def get_version(fake):
        return fake.as_user("ada").get("version").json()["version"]

    @pytest.fixture(scope="session")
    def company(fakeplat_factory):
        with fakeplat_factory(tier="premium") as world:
            VERSIONS.append(get_version(world))
            yield world

    @pytest.fixture(scope="module")
    def project(company):
        return company.as_user("ada").get("projects/acme%2Fsite").json()

    class TestShared:
        def test_one(self, project, company, fakeplat):
            assert get_version(company) == get_version(fakeplat)

        def test_two(self, project):
            assert len(VERSIONS) == len(set(VERSIONS))

    def test_explicit(fakeplat_factory):
        with fakeplat_factory(version="14.1") as old, fakeplat_factory() as world:
            assert ("14.1", VERSIONS[-1]) == (get_version(old), get_version(world))
"""


@pytest.mark.parametrize("options", [(), ("-n2", "--dist=loadfile")], ids=["one process", "workers"])
def test_shared_worlds_are_made_anew_for_each_release(session: pytest.Pytester, options: Sequence[str]) -> None:
    """Fixtures of any scope that depend on a world are set up once per release; a factory's `version` counts more."""
    run(session, WORLDS, "--fakeplat-releases=16.11,13.5", *options).assert_outcomes(passed=6)


MARKED = """
    import pytest

    pytestmark = pytest.mark.fakeplat(tier="premium")

    def get_version(fake):
        return fake.as_user("ada").get("version").json()["version"]

    def test_plain(fakeplat):
        assert "13.5.1" == get_version(fakeplat)

    @pytest.mark.fakeplat(version="14.1")
    class TestVersion:
        def test_version(self, fakeplat):
            assert "14.1" == get_version(fakeplat)

        @pytest.mark.fakeplat(releases=["16.0", "latest"])
        def test_listed(self, fakeplat):
            assert get_version(fakeplat) in ("16.0", "19.3.0")

    @pytest.mark.fakeplat(releases=("13.5", "16.0"))
    def test_factory(fakeplat_factory):
        with fakeplat_factory() as world:
            assert get_version(world) in ("13.5", "16.0")

    PARAMETERS = [
        "a",
        pytest.param("b", marks=pytest.mark.fakeplat(version="17.1")),
        pytest.param("c", marks=pytest.mark.fakeplat(releases=["17.2"])),
    ]

    @pytest.mark.parametrize("name", PARAMETERS)
    def test_parameters(fakeplat, name):
        assert {"a": "13.5.1", "b": "17.1", "c": "17.2"}[name] == get_version(fakeplat)
"""


@pytest.mark.parametrize("options", [(), ("-n2",)], ids=["one process", "workers"])
def test_a_marker_lists_the_releases_of_its_tests(session: pytest.Pytester, options: Sequence[str]) -> None:
    """A list in the marker is a matrix for its tests only, and overrides a version further away."""
    result = run(session, MARKED, *options, "-Werror")
    result.assert_outcomes(passed=9)
    result.stdout.fnmatch_lines(["release        passed*", "13.5                1*", "16.0                2*", "17.2*"])


def test_a_version_of_a_marker_keeps_a_test_out_of_the_matrix(session: pytest.Pytester) -> None:
    """A test that chooses its release runs once; lists and versions of parameters count, too."""
    session.makepyfile(MARKED)
    ids = list_ids(session, "--fakeplat-releases=15.0,16.11")
    assert {
        *("test_plain[15.0]", "test_plain[16.11]"),
        *("TestVersion::test_version", "TestVersion::test_listed[16.0]", "TestVersion::test_listed[latest]"),
        *("test_factory[13.5]", "test_factory[16.0]"),
        *("test_parameters[a-15.0]", "test_parameters[a-16.11]", "test_parameters[b]", "test_parameters[c-17.2]"),
    } == {*ids}
    assert len(ids) == len({*ids})


@pytest.mark.parametrize(
    ("condition", "releases"),
    [
        (">=15.0", "15.11 16.11 latest"),
        (">15.11", "16.11 latest"),
        ("<16", "13.5 15.11"),
        ("<=16", "13.5 15.11 16.11"),
        (">15", "16.11 latest"),
        ("==15", "15.11"),
        ("== 16.11.3", "16.11"),
        (">=14.0, <17.0", "15.11 16.11"),
        ("<13.5", ""),
    ],
)
def test_a_condition_says_for_which_releases_a_test_is_meant(
    session: pytest.Pytester, condition: str, releases: str
) -> None:
    """A condition compares releases by number; a major version stands for all of its releases."""
    session.makepyfile(f"""
        import pytest
        @pytest.mark.fakeplat(releases={condition!r})
        def test_it(fakeplat):
            pass
    """)
    expected = [f"test_it[{release}]" for release in releases.split()]
    assert expected == list_ids(session, "--fakeplat-releases=13.5,15.11,16.11,latest")


@pytest.mark.parametrize(
    ("release", "message"),
    [
        ("16.12", "version must be a release from 13.5 to 19.3*, not '16.12'"),
        ("99.1", "version must be *, not '99.1'; 'beyond: true' serves *"),
    ],
)
def test_another_release_of_the_option_is_refused(session: pytest.Pytester, release: str, message: str) -> None:
    """A release of the option that cannot be served is refused in one line before any test runs."""
    result = run(session, "def test_it(fakeplat): pass", f"--fakeplat-releases=13.5,{release}")
    assert pytest.ExitCode.USAGE_ERROR == result.ret
    result.stderr.fnmatch_lines([f"ERROR: fakeplat_releases: {message}"])


def test_a_tape_has_no_matrix(session: pytest.Pytester) -> None:
    """The option `replay` serves one tape, so it cannot be combined with releases."""
    result = run(session, "def test_it(fakeplat): pass", MATRIX, "--fakeplat-replay=session.tape")
    assert pytest.ExitCode.USAGE_ERROR == result.ret
    result.stderr.fnmatch_lines(["ERROR: fakeplat_releases cannot be combined with fakeplat_replay: *"])


WRONG = [
    ([16.11], "version must be *, not 16.11: write it as text"),
    (16.11, "must be a list of releases or a text such as '>=15.0', not 16.11"),
    ("16.11", "'16.11' is not a condition such as '>=15.0', '<16' or '>=14.0,<17.0'"),
    (">=15,", "'' is not a condition such as *"),
]


@pytest.mark.parametrize("options", [(), (MATRIX,)], ids=["marker", "matrix"])
def test_wrong_releases_of_a_marker_are_refused(session: pytest.Pytester, options: Sequence[str]) -> None:
    """A marker with a wrong release or condition is an error of its module, in one line that names the test."""
    for number, (releases, _) in enumerate(WRONG):
        text = f"import pytest\n@pytest.mark.fakeplat(releases={releases!r})\ndef test_it(fakeplat): pass\n"
        session.path.joinpath(f"test_{number}.py").write_text(text, "utf-8")
    result = run_session(session, *options)
    result.assert_outcomes(errors=len(WRONG))
    result.stdout.fnmatch_lines(
        [f"test_{number}.py::test_it: releases: {text}" for number, (_, text) in enumerate(WRONG)]
    )
    result.stdout.no_fnmatch_line("*Traceback*")


def test_a_release_beyond_the_latest_can_be_in_the_matrix(session: pytest.Pytester) -> None:
    """With the option `beyond`, the matrix has releases after the latest."""
    source = "def test_it(fakeplat): assert '19.9' == fakeplat.as_user('ada').get('version').json()['version']"
    run(session, source, "--fakeplat-releases=19.9", "--fakeplat-beyond=true").assert_outcomes(passed=1)


def test_evidence_names_the_releases(session: pytest.Pytester) -> None:
    """The evidence counts the calls of an operation by the version of the world."""
    source = """
        from urllib.error import HTTPError
        from urllib.request import urlopen
        def test_it(fakeplat):
            try:
                urlopen(f"{fakeplat.api_url}/projects").close()
                urlopen(f"{fakeplat.api_url}/user").close()
            except HTTPError as error:
                error.close()
    """
    run(session, source, "--fakeplat-evidence=evidence.json", MATRIX, "-n2").assert_outcomes(passed=3)
    rows = json.loads((session.path / "evidence.json").read_text("utf-8"))
    assert {"13.5": 1, "16.11": 1, "19.3.0": 1} == rows["list_projects"]["releases"]
    assert ["13.5", "16.11", "19.3.0"] == [refusal["release"] for refusal in rows["get_current_user"]["refusals"]]


def test_a_sweep_repeats_a_test_in_each_release(session: pytest.Pytester) -> None:
    """A sweep injects faults in each release of the matrix."""
    source = """
        import pytest
        from urllib.request import urlopen
        @pytest.mark.fakeplat_sweep
        def test_it(fakeplat):
            for _ in range(9):
                try:
                    urlopen(f"{fakeplat.api_url}/projects", timeout=1).close()
                    break
                except OSError:
                    continue
    """
    result = run(session, source, "--fakeplat-sweep", "--fakeplat-releases=13.5,latest")
    result.assert_outcomes(passed=2)
    assert 2 == sum(bool(re.fullmatch(r"  survived \d of 5 faults", line)) for line in result.outlines)
    result.stdout.fnmatch_lines(
        ["13.5                1*", "latest (19.3)       1*", "no test differs between releases"]
    )


def test_without_releases_the_matrix_is_not_loaded(session: pytest.Pytester) -> None:
    """A suite that names no releases imports nothing for the matrix, and its tests use no fixture of it."""
    source = """
        import sys
        import pytest
        @pytest.mark.fakeplat(tier="premium")
        def test_it(fakeplat, request):
            assert "fakeplat.harness.release_matrix" not in sys.modules
            assert "fakeplat_release" not in request.fixturenames
    """
    run(session, source).assert_outcomes(passed=1)


@pytest.mark.skipif(pytest.version_tuple < (9,), reason="pytest 8 loses the parameters of what an override requests")
def test_a_suite_overrides_the_fixtures(session: pytest.Pytester) -> None:
    """Fixtures of the plugin that a suite overrides, parametrises or only names depend on the release, too."""
    session.makeconftest("""
        import pytest
        def pytest_generate_tests(metafunc):
            if "number" in metafunc.fixturenames:
                metafunc.parametrize("number", [1, 2])
        @pytest.fixture
        def fakeplat(fakeplat):
            fakeplat.version = fakeplat.as_user("ada").get("version").json()["version"]
            return fakeplat
        @pytest.fixture(params=["free", "premium"])
        def fakeplat_config(request):
            return {"tier": request.param, "version": "14.0"}
    """)
    session.makepyfile("""
        import pytest
        def test_number(fakeplat, number):
            assert fakeplat.version in ("13.5", "16.11")
        @pytest.mark.usefixtures("fakeplat")
        def test_used():
            pass
    """)
    assert [
        *("test_number[free-1-13.5]", "test_number[free-2-13.5]"),
        *("test_number[premium-1-13.5]", "test_number[premium-2-13.5]"),
        *("test_used[free-13.5]", "test_used[premium-13.5]"),
    ] == sorted(id_ for id_ in list_ids(session, "--fakeplat-releases=13.5,16.11") if "13.5" in id_)
    run_session(session, "--fakeplat-releases=13.5,16.11").assert_outcomes(passed=12)
