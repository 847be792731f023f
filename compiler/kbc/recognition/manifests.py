"""Files that say how a project with code is built."""

from __future__ import annotations

from collections.abc import Sequence

MANIFESTS = frozenset(
    {
        "BUILD.bazel",
        "Build.PL",
        "CMakeLists.txt",
        "Cargo.toml",
        "Cask",
        "Eask",
        "Gemfile",
        "Makefile.PL",
        "NAMESPACE",
        "Package.swift",
        "build.gradle",
        "build.gradle.kts",
        "build.sbt",
        "build.zig",
        "cabal.project",
        "composer.json",
        "configure.ac",
        "cpanfile",
        "deps.edn",
        "dist.ini",
        "dub.json",
        "dune-project",
        "elm.json",
        "gleam.toml",
        "go.mod",
        "meson.build",
        "mix.exs",
        "package.json",
        "pom.xml",
        "project.clj",
        "pubspec.yaml",
        "pyproject.toml",
        "rebar.config",
        "setup.cfg",
        "setup.py",
        "shard.yml",
        "stack.yaml",
    }
)
"""Files that say how a project is built: beside them is its code."""

_MANIFEST_ENDINGS = (
    *(".cabal", ".csproj", ".fsproj", ".gemspec", ".nimble", ".opam", ".rockspec", ".sln", ".slnx"),
    *(".xcodeproj", "-pkg.el"),
)


def is_repository(names: Sequence[str]) -> bool:
    """Whether a folder with these entries is a project with code."""
    if "Project.toml" in names and "make.jl" not in names:  # Julia's; Documenter's are beside pages
        return True
    return any(name in MANIFESTS or name.endswith(_MANIFEST_ENDINGS) for name in names)
