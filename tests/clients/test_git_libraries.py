"""JGit and libgit2, git in Java and in C, unchanged, over HTTP."""

import json
import subprocess
from pathlib import Path

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.clients import programs
from tests.clients.environments import PythonClient
from tests.clients.programs import MissingProgram, get_program
from tests.git.command import Git
from tests.git_http.remote import Remote

JGIT = "6.10.1.202505221210-r"
PYGIT2 = PythonClient("pygit2", "1.18.2")
REPOSITORY = Path.home() / ".m2" / "repository"
JARS = (
    f"org/eclipse/jgit/org.eclipse.jgit/{JGIT}/*.jar",
    "com/googlecode/javaewah/JavaEWAH/1.2.3/*.jar",
    "org/slf4j/slf4j-api/1.7.*/*.jar",
    "commons-codec/commons-codec/1.1*/*.jar",
)
JAVA = """
import java.io.File;
import java.nio.file.Files;
import org.eclipse.jgit.api.Git;
import org.eclipse.jgit.transport.*;

public class Client {
    public static void main(String[] words) throws Exception {
        var credentials = new UsernamePasswordCredentialsProvider("oauth2", words[2]);
        var refs = Git.lsRemoteRepository().setRemote(words[0]).setCredentialsProvider(credentials).callAsMap();
        var folder = new File(words[1]);
        try (var git = Git.cloneRepository().setURI(words[0]).setDirectory(folder).setDepth(1)
                .setCredentialsProvider(credentials).call()) {
            Files.writeString(folder.toPath().resolve("new.txt"), "new");
            git.add().addFilepattern("new.txt").call();
            var commit = git.commit().setMessage("From Java").setAuthor("A Example", "a@example.test").setSign(false)
                .call();
            for (var result : git.push().setCredentialsProvider(credentials)
                    .setRefSpecs(new RefSpec("HEAD:refs/heads/java")).call()) {
                System.out.println(refs.get("HEAD").getObjectId().name() + " " + commit.name() + " "
                    + result.getRemoteUpdate("refs/heads/java").getStatus());
            }
        }
    }
}
"""
PYTHON = """
import json, sys
import pygit2

url, folder, token = sys.argv[1:]
callbacks = pygit2.RemoteCallbacks(pygit2.UserPass("oauth2", token))
clone = pygit2.clone_repository(url, folder, callbacks=callbacks, depth=1)
head = str(clone.head.target)
author = pygit2.Signature("A Example", "a@example.test")
tree = clone.index
tree.add(pygit2.IndexEntry("new.txt", clone.create_blob(b"new"), pygit2.enums.FileMode.BLOB))
oid = clone.create_commit("refs/heads/c", author, author, "From C", tree.write_tree(), [clone.head.target])
clone.remotes["origin"].push(["refs/heads/c:refs/heads/c"], callbacks=callbacks)
print(json.dumps({"head": head, "oid": str(oid)}))
"""
pytestmark = pytest.mark.clients


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=300, check=False)
    assert 0 == done.returncode, done.stdout + done.stderr
    return done.stdout


def fill(fake: Fakeplat, folder: Path) -> tuple[Remote, str]:
    """Push two commits to a new project; return it, and the second commit."""
    remote = Remote.make(fake, "work")
    work = Git(folder)
    work.commit("first", {"a": "a"})
    head = work.commit("second", {"b": "b"})
    work("push", "-q", remote.url("ada"), "master")
    return remote, head


def get_class_path() -> str:
    """Return the class path of JGit and what it needs, from the local repository of Maven."""
    programs.used.add(f"jgit-{JGIT}")
    found = [max(REPOSITORY.glob(pattern), default=None) for pattern in JARS]
    if None in found:
        raise MissingProgram(f"JGit is missing: mvn dependency:get -Dartifact=org.eclipse.jgit:org.eclipse.jgit:{JGIT}")
    return ":".join([*map(str, found), "."])


def test_jgit_lists_clones_and_pushes(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """JGit lists the refs, makes a shallow clone and pushes to a new branch."""
    classes = get_class_path()
    remote, head = fill(fakeplat, tmp_path / "work")
    (tmp_path / "Client.java").write_text(JAVA)
    run(get_program("javac"), "-cp", classes, "Client.java", cwd=tmp_path)
    words = (remote.url(), str(tmp_path / "clone"), fakeplat.token("ada"))
    seen, commit, status = run(get_program("java"), "-cp", classes, "Client", *words, cwd=tmp_path).split()
    assert (head, "OK") == (seen, status)
    assert commit == remote.branches["java"]


def test_libgit2_clones_and_pushes(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """libgit2 makes a shallow clone and pushes to a new branch."""
    PYGIT2.make()
    remote, head = fill(fakeplat, tmp_path / "work")
    script = tmp_path / "client.py"
    script.write_text(PYTHON)
    words = (remote.url(), str(tmp_path / "clone"), fakeplat.token("ada"))
    answer = json.loads(run(PYGIT2.program("python"), script, *words, cwd=tmp_path))
    assert head == answer["head"]
    assert answer["oid"] == remote.branches["c"]
