"""The facts that paths and detection depend on: the platform, the home folder, the environment."""

from __future__ import annotations

import ntpath
import os
import posixpath
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Platform = Literal["linux", "macos", "windows"]


@dataclass(frozen=True, slots=True)
class Machine:
    """A value, so that the paths of every platform can be worked out on any."""

    platform: Platform
    home: str
    environment: Mapping[str, str]

    @classmethod
    def this(cls) -> Machine:
        names: dict[str, Platform] = {"win32": "windows", "darwin": "macos"}
        return cls(names.get(sys.platform, "linux"), os.path.expanduser("~"), dict(os.environ))

    def join(self, *parts: str) -> str:
        """Parts may hold slashes."""
        if self.platform == "windows":
            return ntpath.normpath(ntpath.join(*parts))
        return posixpath.normpath(posixpath.join(*parts))

    def in_home_folder(self, path: str) -> str:
        return self.join(self.home, path)

    def in_folder_of(self, variable: str, default: str, path: str) -> str:
        """`path` in the folder that a variable names, or in `default` below the home folder. A folder
        that is not absolute is ignored, as the XDG specification asks."""
        named = self.environment.get(variable, "")
        absolute = ntpath.isabs if self.platform == "windows" else posixpath.isabs
        return self.join(named if absolute(named) else self.in_home_folder(default), path)

    def xdg_config(self, path: str) -> str:
        """For programs that use ~/.config on every platform."""
        return self.in_folder_of("XDG_CONFIG_HOME", ".config", path)

    def application_data(self, path: str) -> str:
        """For programs that use the platform's own folder, as Electron's do."""
        if self.platform == "windows":
            return self.in_folder_of("APPDATA", "AppData/Roaming", path)
        if self.platform == "macos":
            return self.in_home_folder(f"Library/Application Support/{path}")
        return self.xdg_config(path)

    def has_program(self, name: str) -> bool:
        """Whether a program is on the PATH of the environment."""
        ends: tuple[str, ...] = ("",)
        if self.platform == "windows":
            ends = tuple(self.environment.get("PATHEXT", ".EXE;.CMD;.BAT").lower().split(";"))
        separator = ";" if self.platform == "windows" else ":"
        return any(
            os.access(path, os.X_OK) and os.path.isfile(path)
            for folder in self.environment.get("PATH", "").split(separator)
            if folder
            for path in (self.join(folder, name + end) for end in ends)
        )

    def bare_environment(self) -> dict[str, str]:
        """What a client that was not started from a shell gives to a server."""
        kept = _KEPT_ON_WINDOWS if self.platform == "windows" else _KEPT
        given = {name: self.environment[name] for name in kept if name in self.environment}
        if self.platform == "windows":
            system = self.environment.get("SYSTEMROOT", "C:\\Windows")
            return {**given, "PATH": self.join(system, "System32")}
        return {**given, "HOME": self.home, "PATH": "/usr/bin:/bin:/usr/sbin:/sbin"}


_KEPT = ("LOGNAME", "SHELL", "TERM", "USER")
_KEPT_ON_WINDOWS = (
    *("APPDATA", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATHEXT", "PROCESSOR_ARCHITECTURE"),
    *("SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "USERNAME", "USERPROFILE"),
)
"""The variables that the official SDKs pass on to a server process."""
