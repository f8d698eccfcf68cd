"""Send seeded traffic to all operations of some releases, and report wrong answers and the throughput.

A wrong answer is a server error, a status or a body that the OpenAPI document does not describe, or one that takes
longer than a second. Each is printed with its request, as it goes into tests/fuzz/requests.jsonl. The exit status is 1
if there are any.
"""

import logging
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from time import perf_counter

import orjson

from tests.fuzz.session import Fault, Session, save_request

EACH = 10_000
PATIENCE = 1.0


def main() -> int:
    parser = ArgumentParser(prog="make fuzz", description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=100_000, metavar="N", help="requests to each release")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--releases", default="13.5,16.11,latest", help="the releases, with commas between")
    options = parser.parse_args()
    # Each bug is logged with its traceback; the report has one of each kind.
    logging.disable(logging.CRITICAL)
    return max(run(version, options.requests, options.seed) for version in options.releases.split(","))


def run(version: str, requests: int, seed: int) -> int:
    """Send requests to a release; return the exit status."""
    session, seen, started = Session(version, seed, PATIENCE), set[tuple[str, str]](), perf_counter()
    while session.count < requests:
        for fault in session.run(min(EACH, requests - session.count)):
            if (fault.operation, fault.kind) not in seen:
                seen.add((fault.operation, fault.kind))
                report(fault)
        rate = session.count / (perf_counter() - started)
        print(f"{version}: {session.count:,} requests, {rate:,.0f}/s", file=sys.stderr, flush=True)
    succeeded = sum(count for status, count in session.statuses.items() if status < 400)
    print(
        f"{version}: {session.count:,} requests with seed {seed}, {succeeded:,} of them successful;"
        f" {len(session.reached):,} of {len(session.traffic.operations):,} operations succeeded;"
        f" the slowest answer took {session.slowest:.2f} s; {len(seen)} kinds of wrong answers"
    )
    return 1 if seen else 0


def report(fault: Fault) -> None:
    """Print a wrong answer, and its request as a line of the corpus."""
    saved = {"name": f"{fault.operation}: {fault.kind}", **save_request(fault.version, fault.request)}
    print(f"{fault.operation}: {fault.what}\n{orjson.dumps(saved).decode()}\n")


if __name__ == "__main__":
    sys.exit(main())
