"""Histories with all kinds of changes, created with git."""

from pathlib import Path
from random import Random

from fakeplat.git import Objects, Repository, import_repository
from tests.git.command import Git


def rich(path: Path) -> Git:
    """Merges, an octopus, renames, modes, links, binary files, a submodule, odd names, CRLF and tags."""
    git = Git(path)
    text = "".join(f"line {number}\n" for number in range(40))
    git.commit("first", {"README.md": "# Hello\n", "src/main.py": text, "src/deep/er/x.txt": "x\n", "empty": ""})
    git.commit("binary and unicode", {"logo.bin": bytes(range(256)), "grüße/ñandú.txt": "hola\n", "with space": "a\n"})
    (git.path / "link").symlink_to("src/main.py")
    git.commit("a link", {"crlf.txt": "one\r\ntwo\r\n", "no newline": "a\nb"})
    git("tag", "light")
    git("checkout", "-q", "-b", "feature")
    git.commit("change the top\n\nWith a body.\n\nAnd more.", {"src/main.py": "new top\n" + text})
    (git.path / "src/main.py").rename(git.path / "src/moved.py")
    git.commit("rename")
    git("checkout", "-q", "-b", "side", "light")
    git.commit("side", {"side.txt": "side\n", "src/deep/er/x.txt": "x\ny\n"})
    git("checkout", "-q", "-b", "other", "light")
    git.commit("other", {"other.txt": "other\n"})
    git("checkout", "-q", "master")
    git.commit("change the end", {"src/main.py": text + "the end\n", "crlf.txt": "one\r\n2\r\n"})
    git.minute += 1
    git("merge", "-q", "--no-ff", "-m", "Merge branch 'feature'", "feature")
    git.minute += 1
    git("merge", "-q", "--no-ff", "-m", "Octopus", "side", "other")
    git("update-index", "--chmod=+x", "README.md")
    git("update-index", "--add", "--cacheinfo", f"160000,{git.sha('light')},module")
    git.minute += 1
    git("commit", "-q", "-m", "mode and module")
    git("checkout", "-q", "--", "README.md")
    git("tag", "-a", "-m", "Version 1\n\nwith notes", "v1.0")
    git("tag", "-a", "-m", "of a tag", "v1.0-again", "v1.0")
    (git.path / "link").unlink()
    (git.path / "module").mkdir(exist_ok=True)
    git.commit(
        "a link becomes a file", {"link": "text\n", "logo.bin": b"\0new\n", "empty": None, "no newline": "a\nb\n"}
    )
    git.commit("revived", {"empty": "", "a/b/c/d.rb": "puts 1\n", 'quote"d\\.txt': "tab\there\n"})
    return git


def create_random_history(path: Path, seed: int, commits: int = 30) -> Git:
    """Create many small changes on a few branches, and merge some of them."""
    git, random = Git(path), Random(seed)
    words = [f"{random.choice('abcdef')}{number % 7}" for number in range(60)]
    git.commit("root", {f"f{number}": "\n".join(random.choices(words, k=40)) + "\n" for number in range(4)})
    for number in range(commits):
        branches = git.lines("for-each-ref", "--format=%(refname:short)", "refs/heads")
        git("checkout", "-q", random.choice(branches))
        if random.random() < 0.2:
            git("checkout", "-q", "-b", f"b{number}")
        if random.random() < 0.3 and len(branches) > 1:
            git.minute += 1
            if git.tried("merge", "-q", "--no-ff", "-m", f"merge {number}", random.choice(branches)).returncode:
                git("merge", "--abort")
        git.commit(f"commit {number}", {"f" + str(random.randrange(6)): change_text(git, random, words)})
    return git


def change_text(git: Git, random: Random, words: list[str]) -> str:
    """Return the text of one of the files with some lines inserted, deleted or replaced."""
    files = sorted(git.path.glob("f*"))
    lines = random.choice(files).read_text().splitlines() if files else []
    for _ in range(random.randrange(1, 6)):
        at = random.randrange(len(lines) + 1)
        lines[at : at + random.randrange(3)] = random.choices(words, k=random.randrange(4))
    return "".join(f"{line}\n" for line in lines)


def import_from_git(git: Git) -> Repository:
    """Import a repository that git created."""
    objects = Objects()
    imported = import_repository(objects, git.path)
    return Repository(objects, imported.refs, imported.head)
