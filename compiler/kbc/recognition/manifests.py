"""Build manifests (`pyproject.toml`, `pom.xml` ...), by which a project with code is recognised."""

from __future__ import annotations

from collections.abc import Sequence

MANIFESTS = frozenset([
    "BUILD.bazel", "Build.PL", "CMakeLists.txt", "Cargo.toml", "Cartfile", "Cask", "Eask", "Eldev",
    "Gemfile", "lakefile.lean", "lakefile.toml", "xmake.lua",
    "MODULE.bazel", "Makefile.PL", "Makefile.am", "NAMESPACE", "Package.swift", "Podfile",
    "SConstruct", "WORKSPACE", "build.gradle", "build.gradle.kts", "build.mill", "build.sbt",
    "build.sc", "build.zig", "cabal.project", "composer.json", "configure", "configure.ac",
    "cpanfile", "deno.json", "deno.jsonc", "deps.edn", "dist.ini", "dub.json", "dub.sdl",
    "dune-project", "elm.json", "foundry.toml", "fpm.toml", "gleam.toml", "go.mod", "go.work",
    "meson.build", "mix.exs", "package.json", "package.yaml", "pom.xml", "project.clj",
    "pubspec.yaml", "pyproject.toml", "rebar.config", "settings.gradle", "settings.gradle.kts",
    "setup.cfg", "setup.py", "shard.yml", "stack.yaml", "typst.toml", "Anchor.toml", "Chart.yaml",
    "Move.toml", "Scarb.toml", "alire.toml", "ansible.cfg", "buf.yaml", "conanfile.py",
    "galaxy.yml", "haxelib.json", "info.rkt", "vcpkg.json",
])  # fmt: skip
"""Files that say how a project is built: beside them is its code."""

_MANIFEST_ENDINGS = (
    *("-pkg.el", ".cabal", ".csproj", ".fsproj", ".gemspec", ".nimble", ".opam", ".podspec"),
    *(".control", ".rockspec", ".sln", ".slnx", ".tf", ".vbproj", ".vcxproj", ".xcodeproj"),
    *(".xcworkspace",),
)
"""The same, of those that are called after the project."""

_ROLE = frozenset({"meta", "tasks"})
"""Folders of every role of Ansible; without `meta` it is a part of a playbook."""


def is_repository(names: Sequence[str]) -> bool:
    """Whether a folder with these entries is a project with code."""
    if "Project.toml" in names and "make.jl" not in names:  # Julia's; Documenter's are beside pages
        return True
    if _ROLE.issubset(names) and not {"defaults", "handlers", "vars"}.isdisjoint(names):
        return True
    return any(name in MANIFESTS or name.endswith(_MANIFEST_ENDINGS) for name in names)
