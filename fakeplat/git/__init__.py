"""Git repositories in memory: real objects, hashes, diffs, merges and packs, without a process or a file.

A **store** (`Objects`) holds every object of a world and only grows. A **repository** (`Repository`) is a store, a
mapping of refs to hashes and the ref that HEAD stands for; it answers questions and changes nothing. **Writing** makes
new objects and gives their hash; the caller moves the refs. The **protocol** is functions of bytes.

| module | what is in it |
|---|---|
| `objects` | `Objects`: the store, and `over()`, a quarantine upon it |
| `records` | `Commit`, `Tag`, `HandledRequest`, `Person`, `Kind`, modes; their bytes read and written |
| `repository` | `Repository`: everything one may ask; the modules below answer |
| `names` | which names of refs and which paths git takes |
| `revisions` | which object a name means, and which objects a repository shows |
| `history` | ancestors as numbers with a bit per commit: counts, ranges, merge bases |
| `walk` | the orders of a log; history of paths |
| `trees`, `diffs`, `blame`, `grep`, `list_contributors`, `languages`, `archive` | what a tree or two say |
| `editing` | changing a tree by actions, at the cost of the folders on the way |
| `merging` | three-way merges with renames, by libgit2 |
| `writing` | commits, tags, merges, squashes, picks, reverts, rebases |
| `building`, `taking_over` | a history from a declaration; a repository or a bundle from the disk |
| `closure` | which objects commits need; whether what came is whole |
| `packs` | packs read under limits and written from kept entries |
| `pktline`, `advertising`, `fetching`, `shallow`, `receiving` | smart HTTP |
| `libgit` | libgit2 over a store, deaf to the machine's configuration |
| `errors` | what can go wrong |

pygit2 and dulwich are imported when they are first needed. All hashes are 40 hexadecimal digits, all paths are text
without a leading slash (bytes that are no UTF-8 as lone surrogates), all moments seconds since 1970.
"""

from fakeplat.git.diffs import FileDiff, Stats
from fakeplat.git.history_builder import Change, File, build_history
from fakeplat.git.import_repository import ImportedRepository, import_repository
from fakeplat.git.objects import Objects
from fakeplat.git.packs import Limits
from fakeplat.git.receive_pack import Received, RefUpdate, receive_pack
from fakeplat.git.records import Commit, Entry, Kind, Person, Tag
from fakeplat.git.ref_advertisement import Service, advertise_refs
from fakeplat.git.repository import Archive, Order, Repository
from fakeplat.git.tree_editing import Chmod, Create, Delete, Move, Update
from fakeplat.git.upload_pack import upload_pack

__all__ = [
    "Archive",
    "Change",
    "Chmod",
    "Commit",
    "Create",
    "Delete",
    "Entry",
    "File",
    "FileDiff",
    "ImportedRepository",
    "Kind",
    "Limits",
    "Move",
    "Objects",
    "Order",
    "Person",
    "Received",
    "RefUpdate",
    "Repository",
    "Service",
    "Stats",
    "Tag",
    "Update",
    "advertise_refs",
    "build_history",
    "import_repository",
    "receive_pack",
    "upload_pack",
]
