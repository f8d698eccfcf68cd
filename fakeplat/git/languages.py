"""Detection of programming languages by file extension."""

from collections import Counter

from fakeplat.git.objects import Objects
from fakeplat.git.records import FOLDER, SUBMODULE, SYMLINK

_EXTENSIONS = {
    "Assembly": "asm s",
    "Awk": "awk",
    "Batchfile": "bat cmd",
    "C": "c h",
    "C#": "cs",
    "C++": "cc cpp cxx hpp hxx",
    "CMake": "cmake",
    "CSS": "css",
    "Clojure": "clj cljs cljc",
    "CoffeeScript": "coffee",
    "Common Lisp": "lisp",
    "Crystal": "cr",
    "D": "d",
    "Dart": "dart",
    "Elixir": "ex exs",
    "Elm": "elm",
    "Emacs Lisp": "el",
    "Erlang": "erl hrl",
    "F#": "fs fsx",
    "Fortran": "f f90",
    "GLSL": "glsl frag vert",
    "Go": "go",
    "Groovy": "groovy gradle",
    "HCL": "tf hcl",
    "HTML": "html htm",
    "HTML+ERB": "erb",
    "Haml": "haml",
    "Haskell": "hs",
    "Java": "java",
    "JavaScript": "js jsx mjs cjs",
    "Julia": "jl",
    "Jupyter Notebook": "ipynb",
    "Kotlin": "kt kts",
    "Less": "less",
    "Lua": "lua",
    "MATLAB": "m",
    "Makefile": "mk mak",
    "Nim": "nim",
    "Nix": "nix",
    "OCaml": "ml mli",
    "Objective-C++": "mm",
    "PHP": "php",
    "PLpgSQL": "pgsql",
    "Pascal": "pas",
    "Perl": "pl pm",
    "PowerShell": "ps1 psm1",
    "Prolog": "pro",
    "Pug": "pug",
    "Python": "py pyw",
    "R": "r",
    "Racket": "rkt",
    "Ruby": "rb rake gemspec",
    "Rust": "rs",
    "SCSS": "scss",
    "Sass": "sass",
    "Scala": "scala sc",
    "Scheme": "scm",
    "Shell": "sh bash zsh fish",
    "Smarty": "tpl",
    "Stylus": "styl",
    "Svelte": "svelte",
    "Swift": "swift",
    "TSQL": "sql",
    "Tcl": "tcl",
    "TeX": "tex sty",
    "TypeScript": "ts tsx",
    "VHDL": "vhd vhdl",
    "Verilog": "v",
    "Vim script": "vim",
    "Vue": "vue",
    "XSLT": "xsl xslt",
    "Zig": "zig",
}
_NAMES = {
    "CMakeLists.txt": "CMake",
    "Dockerfile": "Dockerfile",
    "Gemfile": "Ruby",
    "Jenkinsfile": "Groovy",
    "Makefile": "Makefile",
    "Procfile": "Procfile",
    "Rakefile": "Ruby",
    "Vagrantfile": "Ruby",
}
_VENDORED = {"node_modules", "vendor", "third_party", "dist"}
_LANGUAGES = {extension: language for language, extensions in _EXTENSIONS.items() for extension in extensions.split()}


def detect_languages(objects: Objects, tree: str) -> dict[str, float]:
    """Return the share of each language in percent, largest first, with two decimals; the sum is 100 ± 0.01.

    Data, prose, symbolic links, binary files and third-party code (`vendor`, `node_modules`) are ignored.
    """
    sizes = _measure(objects, tree)
    return _round_shares({language: size for language, size in sizes.most_common() if size})


def _measure(objects: Objects, tree: str) -> Counter[str]:
    """Return the bytes of each language in and below a folder. Cached, as a commit changes few folders."""
    cache: dict[str, Counter[str]] = objects.caches.setdefault(_measure, {})
    if tree not in cache:
        sizes: Counter[str] = Counter()
        for name, entry in objects.tree(tree).items():
            if entry.mode == FOLDER:
                sizes.update({} if name in _VENDORED else _measure(objects, entry.sha))
            elif entry.mode not in {SUBMODULE, SYMLINK} and (language := _language_of(name)):
                content = objects.blob(entry.sha)
                # git, too, takes a file for binary if its first 8000 bytes contain a null byte.
                sizes[language] += 0 if b"\0" in content[:8000] else len(content)
        cache[tree] = sizes
    return cache[tree]


def _language_of(name: str) -> str | None:
    return _NAMES.get(name) or _LANGUAGES.get(name.rpartition(".")[2].lower() if "." in name else "")


def _round_shares(sizes: dict[str, int]) -> dict[str, float]:
    """Return shares rounded to 0.01 %; what rounding down loses goes to those that lost most."""
    total = sum(sizes.values())
    # Shares are counted in hundredths of a percent, of which there are 10,000.
    exact = {language: size * 10_000 / total for language, size in sizes.items()}
    rounded = {language: int(share) for language, share in exact.items()}
    by_loss = sorted(exact, key=lambda language: rounded[language] - exact[language])
    for language in by_loss[: 10_000 - sum(rounded.values()) if sizes else 0]:
        rounded[language] += 1
    return {language: share / 100 for language, share in rounded.items()}
