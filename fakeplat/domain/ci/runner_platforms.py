"""Where runners can be installed, and the commands that install and register them. Source: docs/platform/graphql.md."""

from typing import Final

from fakeplat.core.store.frozen import frozen

_PROGRAM: Final = "gitlab-runner"
_DOWNLOADS: Final = f"https://{_PROGRAM}-downloads.s3.amazonaws.com/latest/binaries/{_PROGRAM}"
_MANUAL: Final = "https://docs.gitlab.com/runner/install"
_UNIX_SCRIPT: Final = f"""\
# Get the program
sudo curl -L --output /usr/local/bin/{_PROGRAM} {{location}}

# Make it executable
sudo chmod +x /usr/local/bin/{_PROGRAM}
"""
_SCRIPTS: Final = {
    "linux": _UNIX_SCRIPT
    + f"""
# Add a user for it
sudo useradd --create-home --shell /bin/bash {_PROGRAM}

# Install and start the service
sudo {_PROGRAM} install --user={_PROGRAM} --working-directory=/home/{_PROGRAM}
sudo {_PROGRAM} start
""",
    "osx": _UNIX_SCRIPT
    + f"""
# Install and start the service
cd ~
{_PROGRAM} install
{_PROGRAM} start
""",
    "windows": f"""\
# Get the program into a folder of its own
New-Item -Path 'C:\\GitLab-Runner' -ItemType Directory
cd 'C:\\GitLab-Runner'
Invoke-WebRequest -Uri "{{location}}" -OutFile "{_PROGRAM}.exe"

# Install and start the service
.\\{_PROGRAM}.exe install
.\\{_PROGRAM}.exe start
""",
}
_EXECUTABLES: Final = {"linux": f"sudo {_PROGRAM}", "osx": _PROGRAM, "windows": f"./{_PROGRAM}.exe"}


@frozen
class Architecture:
    """A kind of machines, and the address of the program for it."""

    name: str
    download_location: str

    @property
    def id(self) -> str:
        """The name."""
        return self.name


@frozen
class Platform:
    """An operating system, or containers, which have no kinds of machines but perhaps a page of a manual."""

    name: str
    human_readable_name: str
    architectures: tuple[Architecture, ...] = ()
    manual: str | None = None

    @property
    def id(self) -> str:
        """The name."""
        return self.name


def _build(name: str, title: str, file_name: str, architectures: tuple[str, ...], ending: str = "") -> Platform:
    locations = (Architecture(each, f"{_DOWNLOADS}-{file_name}-{each}{ending}") for each in architectures)
    return Platform(name, title, tuple(locations))


PLATFORMS: Final = (
    _build("linux", "Linux", "linux", ("amd64", "386", "arm", "arm64")),
    _build("osx", "macOS", "darwin", ("amd64", "arm64")),
    _build("windows", "Windows", "windows", ("amd64", "386"), ".exe"),
    Platform("docker", "Docker", manual=f"{_MANUAL}/docker.html"),
    Platform("kubernetes", "Kubernetes", manual=f"{_MANUAL}/kubernetes.html"),
    Platform("aws", "AWS"),
)


def find_platform(name: str) -> Platform | None:
    """Return the platform with a name."""
    return next((platform for platform in PLATFORMS if platform.name == name), None)


def find_installation(platform: Platform, architecture: str) -> str | None:
    """Return the commands that install a runner, or the page that tells how; None for unknown machines."""
    if not platform.architectures:
        return platform.manual
    found = next((each for each in platform.architectures if each.name == architecture), None)
    return None if found is None else _SCRIPTS[platform.name].format(location=found.download_location)


def find_registration(platform: Platform, origin: str) -> str | None:
    """Return the command that registers a runner; None for containers."""
    executable = _EXECUTABLES.get(platform.name)
    return executable and f"{executable} register --url {origin}/ --registration-token $REGISTRATION_TOKEN"
