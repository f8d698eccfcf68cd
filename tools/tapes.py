"""Record the tapes that are kept under tests/tapes: real clients with a fakeplat that holds the starter."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.clients.server import serving  # noqa: E402  # a script finds its own folder only
from tests.tape.python_gitlab_session import drive  # noqa: E402

KEPT = ROOT / "tests/tapes"


def main() -> int:
    with TemporaryDirectory() as folder:
        tape = KEPT / "python-gitlab.tape"
        with serving(Path(folder), "--clock", "virtual", "--record", str(tape)) as ready:
            drive(ready["url"])
    print(f"written: {tape.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
