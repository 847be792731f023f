from __future__ import annotations

from kbc.languages.definitions.symbol import Symbol, walk
from kbc.languages.syntax import symbols

GROOVY = """package sea

/** A tank. */
@CompileStatic
class Tank<T> extends Base implements Lid {

    private static final int MOST = 4

    Tank(int level) {
        this.level = level
    }

    /** Fills. */
    @Override
    protected Map<String, T> fill(String by,
                                  int times = 2) throws IOException {
        if (by) { return [a: 1] }
        println drip(by) { it }
        by.each(3) { it }
    }

    def drain() { return 1 }
}
interface Tap {
    void open(int turns)
}
pipeline {
    agent any
    stages {
        stage('Fill') { sh 'fill' }
    }
}
task copyAll(type: Copy) {
    from 'sea'
}
task stay {
}
def half(x) {
    x / 2
}
enum Side { LEFT }
"""


def found() -> list[Symbol]:
    return list(walk(symbols(GROOVY, language="groovy")))


def test_classes_functions_and_tasks_are_definitions_and_calls_are_not() -> None:
    assert ", ".join(f"{each.kind} {each.name}" for each in found()) == (
        "class Tank, method Tank, method fill, method drain, interface Tap, method open, "
        "block copyAll, block stay, function half, enum Side"
    )


def test_annotations_and_comments_belong_to_what_is_below_them() -> None:
    lines = {each.name: (each.line, each.own_line, each.end_line) for each in found()[1:4]}
    assert lines == {"Tank": (9, 9, 11), "fill": (13, 15, 20), "drain": (22, 22, 22)}
    assert (found()[0].line, found()[0].own_line) == (3, 5)


def test_a_signature_is_the_whole_head() -> None:
    signatures = {each.name: each.signature for each in found()[2:]}
    assert signatures["fill"] == (
        "protected Map<String, T> fill(String by, int times = 2) throws IOException"
    )
    assert signatures["copyAll"] == "task copyAll(type: Copy)"
    assert found()[0].signature == "class Tank<T> extends Base implements Lid"
