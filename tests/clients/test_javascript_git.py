"""isomorphic-git, git in JavaScript, unchanged, over HTTP: in both versions of the protocol."""

import json
import subprocess
from pathlib import Path

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.clients.environments import NodeClient
from tests.clients.programs import get_program
from tests.git.command import Git
from tests.git_http.remote import Remote

CLIENT = NodeClient("isomorphic-git", "1.44.11")
SCRIPT = """
import fs from "node:fs";
import git from "isomorphic-git";
import http from "isomorphic-git/http/node";

const [url, dir, token] = process.argv.slice(2);
const common = { fs, http, dir, url, onAuth: () => ({ username: "oauth2", password: token }) };
const refs = await git.listServerRefs({ ...common, protocolVersion: 2, symrefs: true });
await git.clone({ ...common, depth: 1, singleBranch: true });
fs.writeFileSync(`${dir}/new.txt`, "new");
await git.add({ fs, dir, filepath: "new.txt" });
const author = { name: "A Example", email: "a@example.test" };
const oid = await git.commit({ fs, dir, message: "From JavaScript", author });
await git.push({ ...common, ref: "master", remoteRef: "refs/heads/javascript" });
console.log(JSON.stringify({ head: refs.find((ref) => ref.ref === "HEAD"), oid }));
"""
pytestmark = pytest.mark.clients


def test_isomorphic_git_lists_clones_and_pushes(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """isomorphic-git lists the refs in version 2, makes a shallow clone and pushes to a new branch."""
    remote = Remote.make(fakeplat, "work")
    work = Git(tmp_path / "work")
    work.commit("first", {"a": "a"})
    head = work.commit("second", {"b": "b"})
    work("push", "-q", remote.url("ada"), "master")
    CLIENT.make()
    script = CLIENT.folder / "git_client.mjs"
    script.write_text(SCRIPT)
    command: list[str | Path] = [get_program("node"), script, remote.url(), tmp_path / "clone", fakeplat.token("ada")]
    done = subprocess.run(command, cwd=CLIENT.folder, capture_output=True, text=True, timeout=120, check=False)
    assert 0 == done.returncode, done.stderr
    answer = json.loads(done.stdout)
    assert {"ref": "HEAD", "oid": head, "target": "refs/heads/master"} == answer["head"]
    assert answer["oid"] == remote.branches["javascript"]
