"""An `ssh` for git that needs no program: GIT_SSH_COMMAND="python program.py KEY KNOWN_HOSTS".

It takes what git gives to OpenSSH: `-o SendEnv=GIT_PROTOCOL -p PORT USER@HOST COMMAND`.
"""

import asyncio
import os
import sys

import asyncssh


async def main(key: str, known_hosts: str, *arguments: str) -> int:
    rest = list(arguments)
    port, sends_protocol = 22, False
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        value = rest.pop(0)
        if option == "-p":
            port = int(value)
        sends_protocol = sends_protocol or value == "SendEnv=GIT_PROTOCOL"
    username, _, host = rest.pop(0).partition("@")
    version = os.environ.get("GIT_PROTOCOL")
    env = {"GIT_PROTOCOL": version} if version and sends_protocol else {}
    async with asyncssh.connect(
        host, port, username=username, client_keys=[key], known_hosts=known_hosts, config=[], agent_path=None
    ) as connection:
        process = await connection.create_process(
            " ".join(rest) or None,
            encoding=None,
            env=env,
            stdin=sys.stdin.buffer,
            stdout=sys.stdout.buffer,
            stderr=sys.stderr.buffer,
        )
        return (await process.wait()).exit_status or 0


if __name__ == "__main__":
    try:
        sys.exit(asyncio.run(main(*sys.argv[1:])))
    except asyncssh.PermissionDenied as error:
        print(f"Permission denied (publickey): {error.reason}", file=sys.stderr)
        sys.exit(255)
