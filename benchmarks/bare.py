"""A bare aiohttp application that responds with the bytes of a file: ``python -m benchmarks.bare FILE PORT``."""

import sys
from pathlib import Path

from aiohttp import web


def application(body: bytes) -> web.Application:
    async def answer(request: web.Request) -> web.Response:
        if request.body_exists:
            await request.read()
        return web.Response(body=body, content_type="application/json")

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    return app


def main() -> None:
    body = Path(sys.argv[1]).read_bytes() if len(sys.argv) > 1 else b"{}"
    loop = None
    try:
        import uvloop

        loop = uvloop.new_event_loop()
    except ImportError:
        pass
    web.run_app(
        application(body), host="127.0.0.1", port=int(sys.argv[2]), print=_print_ready, loop=loop, access_log=None
    )


def _print_ready(*_: object) -> None:
    print("ready", flush=True)


if __name__ == "__main__":
    main()
