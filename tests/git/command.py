"""The git command line, with which the tests compare all results."""

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ALONE = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": "/nowhere",
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_EDITOR": "true",
}


class Git:
    """A repository on disk, used through git. Each commit is one minute after the previous one."""

    def __init__(self, path: Path, *, init: bool = True) -> None:
        self.path = path
        self.minute = 0
        if init:
            path.mkdir(parents=True, exist_ok=True)
            self("init", "-q", "-b", "master")

    def __call__(self, *arguments: str, **options: Any) -> str:
        return self.raw(*arguments, **options).decode(errors="surrogateescape")

    def raw(self, *arguments: str, **options: Any) -> bytes:
        return self.tried(*arguments, check=True, **options).stdout

    def tried(
        self, *arguments: str, check: bool = False, stdin: bytes | None = None
    ) -> "subprocess.CompletedProcess[bytes]":
        settings = ("-c", "protocol.file.allow=always", "-c", "advice.detachedHead=false", "-c", "gc.auto=0")
        result = subprocess.run(
            ["git", "-C", str(self.path), *settings, *arguments],
            input=stdin,
            capture_output=True,
            check=False,
            timeout=60,
            env={**ALONE, **self._identity()},
        )
        if check and result.returncode:
            raise AssertionError(f"git {' '.join(arguments)}: {result.stderr.decode(errors='replace')}")
        return result

    def version(self) -> tuple[int, ...]:
        return tuple(int(number) for number in re.findall(r"\d+", self("--version"))[:2])

    def write(self, files: Mapping[str, str | bytes | None]) -> None:
        for name, content in files.items():
            file = self.path / name
            if content is None:
                file.unlink()
            else:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content.encode() if isinstance(content, str) else content)

    def commit(self, message: str, files: Mapping[str, str | bytes | None] | None = None) -> str:
        self.write(files or {})
        self.minute += 1
        self("add", "-A")
        self("commit", "-q", "--allow-empty", "-m", message)
        return self.sha()

    def sha(self, revision: str = "HEAD") -> str:
        return self("rev-parse", revision).strip()

    def lines(self, *arguments: str) -> list[str]:
        return self(*arguments).splitlines()

    def _identity(self) -> dict[str, str]:
        names = ("Ada Example", "Mía Beispiel", "Dev")
        when = f"{1_600_000_000 + 60 * self.minute} +0130"
        name = names[self.minute % len(names)]
        email = f"{name.split()[0].lower()}@example.test"
        return {
            "GIT_AUTHOR_NAME": name,
            "GIT_AUTHOR_EMAIL": email,
            "GIT_AUTHOR_DATE": when,
            "GIT_COMMITTER_NAME": "Rep Example",
            "GIT_COMMITTER_EMAIL": "rep@example.test",
            "GIT_COMMITTER_DATE": when,
        }
