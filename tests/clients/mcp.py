"""A server of the Model Context Protocol, driven over its standard streams as an assistant drives it."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.clients.environments import Client

PROTOCOL = "2024-11-05"


class ToolError(Exception):
    """A tool answered with an error."""


class McpServer:
    """A running server and its tools."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self._requests = 0
        hello = {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": {"name": "tests", "version": "1"}}
        self._request("initialize", hello)
        self._send({"method": "notifications/initialized"})

    def list_tools(self) -> set[str]:
        return {tool["name"] for tool in self._request("tools/list", {})["tools"]}

    def call(self, tool: str, **arguments: Any) -> Any:
        """Return the content of a tool's answer: the value of its JSON, or its text. Raise ToolError if it failed."""
        result = self._request("tools/call", {"name": tool, "arguments": arguments})
        text = "\n".join(part.get("text", "") for part in result["content"])
        if result.get("isError"):
            raise ToolError(f"{tool}: {text}")
        try:
            return json.loads(text)
        except ValueError:
            return text

    def _request(self, method: str, params: dict[str, Any]) -> Any:
        self._requests += 1
        self._send({"id": self._requests, "method": method, "params": params})
        reply = self._receive()
        while reply.get("id") != self._requests:
            reply = self._receive()
        if "error" in reply:
            raise ToolError(f"{params.get('name', method)}: {reply['error']['message']}")
        return reply["result"]

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self._process.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise ToolError(f"the server ended with status {self._process.wait()}")
        message: dict[str, Any] = json.loads(line)
        return message


@contextmanager
def running(client: Client, name: str, folder: Path, **variables: str) -> Iterator[McpServer]:
    """Run the server that a program of a client is, in a folder."""
    client.make()
    environment = {"PATH": client.search_path, "HOME": str(folder), **variables}
    with (
        folder.joinpath("server.log").open("w") as log,
        subprocess.Popen(
            [client.program(name)],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        ) as process,
    ):
        try:
            yield McpServer(process)
        finally:
            process.terminate()
