"""The profile of a query: steps add up, and the picture shows them."""

from __future__ import annotations

import threading
import time
from xml.etree import ElementTree

from benchmarks.query_profile.__main__ import BESIDE, Profile
from benchmarks.query_profile.flame_graph import WIDTH, Node, boxes, flame_graph


def spend(seconds: float) -> None:
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


def test_steps_lie_in_the_steps_that_call_them_also_on_two_threads() -> None:
    profile = Profile()
    words = profile.timed(lambda: spend(0.002), "words")
    meaning = profile.timed(lambda: spend(0.004), "meaning")

    def ask() -> None:
        beside = threading.Thread(target=words)
        beside.start()
        meaning()
        beside.join()

    profile.timed(ask, "search")()
    search = profile.root.inside["search"]
    assert search.inside.keys() == {"meaning"}
    assert search.seconds >= search.inside["meaning"].seconds >= 0.004
    assert profile.root.inside[BESIDE].inside.keys() == {"words"}
    assert profile.root.seconds == profile.root.inside[BESIDE].seconds >= 0.002


def test_a_step_is_as_wide_as_its_share_and_lies_under_its_own() -> None:
    inner = Node(1.0)
    root = Node(4.0, {"short": Node(0.5), "long <b>": Node(2.0, {"inner": inner})})
    drawn = {box.name: box for box in boxes("all", root, 0.0, root.seconds)}
    assert [(box.left, box.width, box.row) for box in drawn.values()] == [
        (0.0, WIDTH, 0),
        (0.0, WIDTH / 2, 1),
        (0.0, WIDTH / 4, 2),
        (WIDTH / 2, WIDTH / 8, 1),
    ]
    picture = ElementTree.fromstring(flame_graph("all", root))
    titles = [each.text for each in picture.iter("{http://www.w3.org/2000/svg}title")]
    assert titles[1:] == ["all 100%", "long <b> 50%", "inner 25%", "short 12%"]
