"""Record the checked-in tapes below tests/tapes: sessions of real clients with a fakeplat of the scenario starter."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.clients.server import serving  # noqa: E402  # the root is not on a script's path
from tests.tape.python_gitlab_session import drive  # noqa: E402

FOLDER = ROOT / "tests/tapes"


def main() -> int:
    with TemporaryDirectory() as temporary:
        tape = FOLDER / "python-gitlab.tape"
        with serving(Path(temporary), "--clock", "virtual", "--record", str(tape)) as ready:
            drive(ready["url"])
    print(f"written: {tape.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
