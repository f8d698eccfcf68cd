"""Requests per second with 10 % writes, over plain sockets."""

import asyncio
import time

SECONDS = 2.0


async def mixed_per_second(port: int, read: str, write: str) -> float:
    """Send batches of nine reads and a write, or of ten reads if ``write`` is empty; return requests per second."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = f"HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nPRIVATE-TOKEN: root-token\r\n"
    get = f"GET {read} {head}\r\n".encode()
    count, start = 0, time.perf_counter()
    while time.perf_counter() - start < SECONDS:
        title = f'{{"title": "Title {count}"}}'.encode()
        update = (
            f"PUT {write} {head}Content-Type: application/json\r\nContent-Length: {len(title)}\r\n\r\n".encode() + title
        )
        writer.write(get * 9 + (update if write else get))
        for _ in range(10):
            await _read_response(reader)
        count += 10
    writer.close()
    return count / (time.perf_counter() - start)


async def _read_response(reader: asyncio.StreamReader) -> None:
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    if b" 200 " not in head.split(b"\r\n", 1)[0]:
        raise RuntimeError(head.decode())
    size = int(next(line.split(b":")[1] for line in head.split(b"\r\n") if line.startswith(b"content-length")))
    await reader.readexactly(size)
