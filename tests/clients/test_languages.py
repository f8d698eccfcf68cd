"""The examples of the pages about other languages, run as they are shown with the compilers of the machine."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.clients.programs import get_program
from tests.clients.server import INSTALLED
from tests.docs.pages import list_blocks

pytestmark = pytest.mark.clients

JARS = Path("/usr/share/java")
LIBRARIES = ("junit-jupiter*", "junit-platform-*", "opentest4j", "apiguardian-api", "picocli")


def write_examples(language: str, folder: Path) -> None:
    """Write the files that the page of a language shows."""
    for block in list_blocks(f"docs/languages/{language}.md"):
        if block.title:
            path = folder / block.title
            path.parent.mkdir(exist_ok=True)
            path.write_text(block.code, "utf-8")


def run(*command: str | Path, folder: Path) -> str:
    """Run a command that starts servers; return what it prints."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "FAKEPLAT": str(INSTALLED), "LANG": "C.UTF-8"}
    result = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    if result.returncode:
        pytest.fail(f"{' '.join(map(str, command))}: status {result.returncode}\n{result.stdout}{result.stderr}", False)
    return result.stdout


def test_the_script_has_a_world_for_each_part(tmp_path: Path) -> None:
    """A script of the shell starts a server, creates worlds, and stops the server at its end."""
    write_examples("shell", tmp_path)
    assert "passed\n" == run("sh", "test-star.sh", folder=tmp_path)


def test_minitest_has_a_world_for_each_test(tmp_path: Path) -> None:
    """Each test of minitest gets a world of its own."""
    write_examples("ruby", tmp_path)
    assert "2 runs, 2 assertions, 0 failures, 0 errors" in run(get_program("ruby"), "star_test.rb", folder=tmp_path)


def test_go_has_a_world_for_each_test(tmp_path: Path) -> None:
    """Parallel tests in Go get worlds of their own."""
    write_examples("go", tmp_path)
    printed = run(get_program("go"), "test", "-v", "./...", folder=tmp_path)
    assert ["TestStar", "TestStarAfterAFailure"] == sorted(re.findall(r"--- PASS: (\w+)", printed))


def test_junit_has_a_world_for_each_test(tmp_path: Path) -> None:
    """Each test of JUnit 5 gets a world of its own."""
    write_examples("java", tmp_path)
    jars = sorted({get_program("junit5").parent / path.name for name in LIBRARIES for path in JARS.glob(f"{name}.jar")})
    classpath = os.pathsep.join(map(str, [*jars, tmp_path]))
    run(get_program("javac"), "-classpath", classpath, "FakeplatWorld.java", "StarTest.java", folder=tmp_path)
    console = ("org.junit.platform.console.ConsoleLauncher", "--select-class", "StarTest")
    assert "2 tests successful" in run(get_program("java"), "-classpath", classpath, *console, folder=tmp_path)
