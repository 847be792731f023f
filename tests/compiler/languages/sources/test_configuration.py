"""Definitions of languages that describe infrastructure, interfaces, policies and data."""

from __future__ import annotations

import pytest

from kbc.languages.definitions.symbol import walk
from kbc.languages.syntax import symbols

BICEP = """@description('Where.')
param place string = 'here'
var litres = 40
func half(x int) int => x / 2
// A tank.
resource tank 'Sea.Tanks/tanks@2026-01-01' = {
  name: 'tank'
}
module pump './pump.bicep' = { name: 'pump' }
output id string = tank.id
"""
JSONNET = """local other = import 'other.libsonnet';
local half(x) = x / 2;
{
  // Litres.
  litres: 40,
  fill(by):: self.litres + by,
  tank: { level: 1, drain(by):: by },
}
"""
REGO = """package tanks.levels
litres := 40
# Whether it is full.
full if {
	input.level > litres
}
half(x) := y if {
	y := x / 2
}
"""
PRISMA = """datasource db {
  provider = "sea"
}
/// A tank.
model Tank {
  id Int @id
}
enum Side {
  LEFT
}
"""
SMITHY = """$version: "2"
namespace tanks.levels
/// Fills.
@readonly
operation Fill {
    input: FillInput
}
structure FillInput { @required id: String }
list Tanks { member: Tank }
string Id
service Taps {
    operations: [Fill]
}
"""
GRAPHQL = '''"""A tank."""
type Tank {
  id: ID!
}
union Thing = Tank | Lid
scalar Date
extend type Query { tank: Tank }
query GetTank($id: ID!) { tank(id: $id) { id } }
fragment Parts on Tank { id }
'''
D = """module tanks.levels;
enum litres = 40;
alias Callback = int function(int);
class Tank {
    this(int level) { }
    int fill(int by) { return by; }
}
union Part { int a; }
"""
WGSL = """@group(0) @binding(0) var<uniform> view: mat4x4<f32>;
fn fill(by: f32) -> f32 {
  var level: f32 = by;
  return level;
}
"""
GDSCRIPT = """class_name Tank
signal dry(level)
const LITRES = 40
func _init():
	pass
"""
R = """LITRES <- 40
level = 3
fill <- function(by) {
  inner <- by
  by
}
if (level == 3) {
  level <- 4
}
"""


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        (
            "bicep",
            BICEP,
            "variable place 1-2, constant litres 3-3, function half 4-4, block tank 5-8, "
            "block pump 9-9, variable id 10-10",
        ),
        (
            "jsonnet",
            JSONNET,
            "function half 2-2, constant litres 4-5, function fill 6-6, constant tank 7-7",
        ),
        (
            "rego",
            REGO,
            "module tanks.levels 1-9, constant litres 2-2, function full 3-6, function half 7-9",
        ),
        ("prisma", PRISMA, "block db 1-3, struct Tank 4-7, enum Side 8-10"),
        (
            "smithy",
            SMITHY,
            "function Fill 3-7, struct FillInput 8-8, type Tanks 9-9, type Id 10-10, "
            "interface Taps 11-13",
        ),
        (
            "graphql",
            GRAPHQL,
            "struct Tank 1-4, type Thing 5-5, type Date 6-6, implementation Query 7-7, "
            "function GetTank 8-8, function Parts 9-9",
        ),
        (
            "d",
            D,
            "module tanks.levels 1-1, constant litres 2-2, type Callback 3-3, class Tank 4-7, "
            "method this 5-5, method fill 6-6, struct Part 8-8",
        ),
        ("wgsl", WGSL, "variable view 1-1, function fill 2-5"),
        (
            "gdscript",
            GDSCRIPT,
            "class Tank 1-1, variable dry 2-2, constant LITRES 3-3, method _init 4-5",
        ),
        ("r", R, "constant LITRES 1-1, variable level 2-2, function fill 3-6"),
        (
            "scss",
            "// A\n@mixin fill($by: 1) {\n x: 1;\n}\n@function half($x) { @return 1; }\n%lid { a: b }\n",
            "macro fill 1-4, function half 5-5",
        ),
        ("powershell", "enum Side {\n Left\n}\n", "enum Side 1-3"),
        (
            "pony",
            "primitive Litres\n  fun apply(): U32 => 40\nactor Main\n  new create(by: U32) =>\n    by\n"
            "  be drain() => None\n",
            "class Litres 1-2, method apply 2-2, class Main 3-6, method create 4-5, method drain 6-6",
        ),
        (
            "puppet",
            "# A\nclass tanks::level {\n}\ndefine tanks::tap {\n}\n",
            "class tanks::level 1-3, type tanks::tap 4-5",
        ),
        ("gleam", "pub const litres = 40\n", "constant litres 1-1"),
        ("vim", "func s:fill(by)\nendfunc\n", "function s:fill 1-2"),
        (
            "matlab",
            "classdef Tank\n enumeration\n Left\n end\n methods\n function fill(t)\n end\n end\nend\n",
            "class Tank 1-9, method fill 6-7",
        ),
    ],
)
def test_definitions_have_their_names_kinds_and_lines(
    language: str, text: str, expected: str
) -> None:
    found = walk(symbols(text, language=language))
    listed = [f"{each.kind} {each.name} {each.line}-{each.end_line}" for each in found]
    assert ", ".join(listed) == expected


def test_the_description_above_a_type_is_no_part_of_its_signature() -> None:
    assert symbols(GRAPHQL, language="graphql")[0].signature == "type Tank"
