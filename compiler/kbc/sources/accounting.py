"""Accounts for every file that a build found: read, included by another, left out, or not readable."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from kbc.project.kinds import KINDS
from kbc.sources.listing import entries_of

READ = "read"
INCLUDED = "included"
LEFT_OUT = "left out"
UNREADABLE = "not readable"
OUTCOMES = (READ, INCLUDED, LEFT_OUT, UNREADABLE)
"""In the order of precedence: a file that one collection reads is read, whatever another one does."""

HIDDEN = "hidden"
LINKED = "a link to what is read"
NO_COLLECTION = "in no collection"
_NOT_READ = "format not read: "
_PAGES = (*KINDS["docs"].suffixes, *KINDS["pages"].suffixes)
_UNREAD = (
    *(".doc", ".odt", ".ppt", ".rtf", ".tex"),
    *(".apt", ".dj", ".djot", ".page", ".pod6", ".qdoc", ".rakudoc", ".scrbl", ".smd"),
    *(".textile", ".tid", ".typ"),
)
"""Formats of documentation that no front end reads."""

NOT_SEARCHED_FOLDERS = frozenset({"node_modules", "__pycache__", "site-packages"})
"""Folders of dependencies, which are never entered to list what is in no collection."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of the file at `path` (below the root, forward slashes; a folder that was left out as
    a whole ends in a slash). `reason` is a rule, or who includes it; "" for a file that was read."""

    path: str
    outcome: str
    reason: str = ""

    @property
    def is_folder(self) -> bool:
        return self.path.endswith("/")


class Accounting:
    """Collects outcomes; iterates over them by path."""

    def __init__(self) -> None:
        self._found: dict[str, Outcome] = {}
        self._entered: set[str] = set()  # folders that hold a file, each with a slash

    def read(self, path: str) -> None:
        self._add(Outcome(path, READ))

    def included(self, path: str, by: Iterable[str]) -> None:
        """`by` are the files that include it."""
        self._add(Outcome(path, INCLUDED, ", ".join(by)))

    def left_out(self, path: str, reason: str) -> None:
        """The path of a folder ends in a slash: nothing in it was looked at."""
        self._add(Outcome(path, LEFT_OUT, reason))

    def unreadable(self, path: str, reason: str) -> None:
        self._add(Outcome(path, UNREADABLE, reason))

    def not_a_page(self, path: str, reason: str, *, is_defect: bool) -> None:
        """Takes back that a file was read: its front end made no record of it."""
        self._found[path] = Outcome(path, UNREADABLE if is_defect else LEFT_OUT, reason)

    def _add(self, new: Outcome) -> None:
        old = self._found.get(new.path)
        if (
            old is None
            or OUTCOMES.index(new.outcome) < OUTCOMES.index(old.outcome)
            or (new.outcome == LEFT_OUT and _says_little(old))
        ):
            self._found[new.path] = new
        if not new.is_folder:
            folder = new.path
            while (cut := folder.rfind("/", 0, -1)) >= 0 and (folder := folder[: cut + 1]):
                if folder in self._entered:
                    break
                self._entered.add(folder)

    def __iter__(self) -> Iterator[Outcome]:
        """A folder that one collection leaves out, while another one reads files in it, is none that
        was left out."""
        return iter(
            each for _, each in sorted(self._found.items()) if each.path not in self._entered
        )

    def __len__(self) -> int:
        """The number of files, without folders that were left out as a whole."""
        return sum(not found.is_folder for found in self._found.values())

    def __contains__(self, path: str) -> bool:
        return path in self._found

    def counts(self) -> dict[str, int]:
        """Files by outcome; the sum is `len`."""
        found = Counter(each.outcome for each in self._found.values() if not each.is_folder)
        return {outcome: found[outcome] for outcome in OUTCOMES}

    def reasons(self, outcome: str) -> dict[str, int]:
        """Why files had this outcome, most frequent first."""
        found = Counter(
            each.reason
            for each in self._found.values()
            if each.outcome == outcome and not each.is_folder
        )
        return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))

    def unread_documents(self) -> list[str]:
        """The files in formats of documentation that no front end reads, but for those that have the name of
        a page that was read, which they were made of."""
        read = {_stem(each.path) for each in self._found.values() if each.outcome == READ}
        return sorted(
            each.path
            for each in self._found.values()
            if each.outcome == LEFT_OUT
            and each.reason == ending_reason(each.path)
            and each.path.lower().endswith(_UNREAD)
            and _stem(each.path) not in read
        )

    @property
    def folders(self) -> dict[str, str]:
        """The folders that were left out as a whole, with the reasons."""
        return {each.path: each.reason for each in self if each.is_folder}

    def complete(self, root: Path, rules: Mapping[str, str] | None = None) -> None:
        """Adds the files below `root` that no collection names, so that none is missing. `rules` say of
        folders, with a slash at their ends, why none does."""
        self._complete(root, "", NO_COLLECTION, rules or {})

    def _complete(self, folder: Path, place: str, reason: str, rules: Mapping[str, str]) -> None:
        """`reason` is why files of the folder are left out that nothing else is known of."""
        reason = rules.get(place, reason)
        # The walk of a collection reports a folder that cannot be listed.
        for entry in entries_of(folder):
            path = place + entry.name
            is_folder = entry.is_dir(follow_symlinks=False)
            inside = f"{path}/"
            if path in self or (inside in self and inside not in self._entered):
                continue
            if is_folder and inside in self._entered:
                why = self._found[inside].reason if inside in self else reason
                self._complete(Path(entry.path), inside, why, rules)
            elif entry.name.startswith("."):
                self.left_out(f"{path}/" if is_folder else path, HIDDEN)
            elif not is_folder:
                is_format = reason != NO_COLLECTION or entry.name.lower().endswith(_PAGES)
                self.left_out(path, reason if is_format else ending_reason(entry.name))
            elif entry.name.lower() in NOT_SEARCHED_FOLDERS:
                self.left_out(f"{path}/", "dependencies and build output")
            else:
                self._complete(Path(entry.path), inside, reason, rules)

    def as_dict(self) -> dict[str, object]:
        """Counts by outcome and by reason, for `--json`."""
        left: Mapping[str, object] = {each: self.reasons(each) for each in (LEFT_OUT, UNREADABLE)}
        return {
            "found": len(self),
            **{name.replace(" ", "_"): count for name, count in self.counts().items()},
            "reasons": {name.replace(" ", "_"): found for name, found in left.items()},
            "folders": self.folders,
        }


def _says_little(found: Outcome) -> bool:
    """Whether a file was left out for its ending alone: another collection may know what it is."""
    is_document = found.path.lower().endswith(_UNREAD)
    return found.reason.startswith(_NOT_READ) and not is_document


def _stem(path: str) -> str:
    return path.rpartition(".")[0]


def ending_reason(name: str) -> str:
    """Why a file is left out whose ending no front end of its collection reads: by the ending."""
    stem, dot, ending = name.lower().rpartition(".")
    return f"{_NOT_READ}.{ending}" if dot and stem else f"{_NOT_READ}no ending"
