"""Git repositories in memory: real objects, hashes, diffs, merges and packs, without a process or a file.

An **object store** (`Objects`) holds all objects of a world and only grows. A **repository** (`Repository`) is a
read-only view of an object store, a mapping of refs to hashes and the ref that HEAD points to. **Writing** creates
objects and returns their hashes; the caller moves the refs. The **protocol** consists of functions on bytes.

| module | contents |
|---|---|
| `objects` | `Objects`: the object store, and `over()`, a quarantine on top of it |
| `records` | `Commit`, `Tag`, `Entry`, `Person`, `Kind`, modes; parsing and serialization |
| `repository` | `Repository`: all queries, answered by the modules below |
| `name_checks` | validation of ref names and paths |
| `revisions` | resolution of revisions, and visibility of objects in a repository |
| `history` | ancestors as bit sets: counts, ranges, merge bases |
| `walk` | log orders; history of paths |
| `trees`, `diffs`, `blame`, `grep`, `contributors`, `languages`, `archive` | queries on one or two trees |
| `diffstat`, `format_patch` | diff statistics and patches as mails |
| `tree_editing` | changes to a tree, at the cost of the folders along their paths |
| `merge` | three-way merges with renames, by libgit2 |
| `writing` | commits, tags, merges, squashes, cherry-picks, reverts, rebases |
| `history_builder`, `import_repository` | histories from a declaration; repositories and bundles from the disk |
| `reachability` | objects that commits require; completeness of received objects |
| `packs`, `bundles` | packs, read under limits and written from cached entries; bundles |
| `pktline`, `ref_advertisement`, `upload_pack`, `shallow`, `receive_pack` | smart HTTP |
| `libgit` | libgit2 on an object store, independent of the machine's configuration |
| `errors` | exceptions |

pygit2 is imported on first use. All hashes are 40 hexadecimal digits, all paths are text without a
leading slash (bytes that are not UTF-8 as lone surrogates), all times are seconds since 1970.
"""

from fakeplat.git.diffs import FileDiff, Stats
from fakeplat.git.history_builder import Change, File, build_history
from fakeplat.git.import_repository import ImportedRepository, import_repository
from fakeplat.git.objects import Objects
from fakeplat.git.packs import Limits
from fakeplat.git.receive_pack import PushResult, RefUpdate, receive_pack
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
    "PushResult",
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
