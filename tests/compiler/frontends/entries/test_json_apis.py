"""API entries of descriptions in JSON."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from tests.compiler.frontends.entries.derived import entries_of

from kbc.frontends.entries.json_apis import entries_of_json
from kbc.records import CodeRecord


def function(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "description": f"Does {name} to a tank.", "params": [], **more}


def functions(count: int = 10) -> list[dict[str, Any]]:
    return [function(f"fill{at}") for at in range(count)]


def test_lists_of_described_functions_and_types_are_entries(tmp_path: Path) -> None:
    parameters = [{"type": "Tank", "name": "tank"}, {"type": "float", "name": "rate"}]
    api = {
        "defines": [{"name": "MAX", "value": 9, "description": "The most."}],
        "structs": [
            {"name": "Tank", "description": "A tank.", "fields": [{"name": "l", "type": "int"}]}
        ],
        "functions": [*functions(), function("drain", params=parameters, returnType="int")],
    }
    text = json.dumps(api, indent=2) + "\n"
    found = entries_of(tmp_path, {"docs/tank_api.json": text})
    assert len(found) == 12
    drain, tank = found["drain"], found["Tank"]
    assert drain.signature == "drain(tank: Tank, rate: float): int"
    assert drain.description == "Does drain to a tank."
    assert (drain.categories, tank.categories) == (("functions", "function"), ("structs", "struct"))
    lines = text.split("\n")
    for each in found.values():
        assert f'"name": "{each.name}"' in each.text
        assert each.text.split("\n")[0] == lines[each.line - 1] == "    {"
    assert json.loads(drain.text) == api["functions"][-1]


def test_a_map_names_its_entries_by_key(tmp_path: Path) -> None:
    api = {f"fill{at}": {"summary": "Fills.", "args": {"tank": "Tank"}} for at in range(10)}
    found = entries_of(tmp_path, {"api.json": json.dumps({"tank": api}, indent=1)})
    assert found["fill3"].signature == "fill3(tank)"
    assert found["fill3"].text.startswith('  "fill3": {')


def test_a_minified_description_has_entries_with_their_own_text(tmp_path: Path) -> None:
    text = json.dumps(functions(20), separators=(",", ":"))
    found = entries_of(tmp_path, {"api.json": text})
    assert json.loads(found["fill7"].text) == function("fill7")
    assert found["fill7"].line == 1


def test_braces_in_texts_are_no_objects(tmp_path: Path) -> None:
    told = [
        {"description": "Fills {it", "params": [{"type": "{"}], "name": f"fill{at}"}
        for at in range(12)
    ]
    found = entries_of(tmp_path, {"api.json": json.dumps(told, separators=(",", ":"))})
    assert [json.loads(each.text) for each in found.values()] == told


def test_a_folder_with_a_file_for_each_function(tmp_path: Path) -> None:
    files = {
        f"ref/en/fill{at}_.json": json.dumps(
            {
                "name": f"fill{at}()", "brief": "Fills.", "description": "Fills a <b>tank</b>.",
                "syntax": ["fill(t)"], "category": "Filling", "type": "method",
            }
        )
        for at in range(10)
    }  # fmt: skip
    files |= {
        name.replace("/en/", "/es/").replace(".json", ".es.json"): text
        for name, text in files.items()
    }
    found = entries_of(tmp_path, files)
    assert len(found) == 10
    entry = found["fill4"]
    assert (entry.path, entry.signature, entry.aliases) == (
        "ref/en/fill4_.json",
        "fill(t)",
        ("fill4()",),
    )
    assert entry.categories == ("filling", "method")


def test_methods_of_one_name_are_told_apart_by_their_files(tmp_path: Path) -> None:
    names = ("add", "get", *(f"fill{at}" for at in range(8)))
    files = {
        f"ref/{owner}_{name}.json": json.dumps(function(name))
        for owner in ("Tank", "Lake")
        for name in names
    }
    assert {"Tank_add/add", "Lake_get/get"} <= {*entries_of(tmp_path, files)}


def test_of_lists_in_several_languages_the_english_one_is_read(tmp_path: Path) -> None:
    text = json.dumps(functions())
    files = {
        f"{folder}/{name}.json": text for folder in ("api", "io") for name in ("de", "en", "zh-CN")
    }
    found = entries_of(tmp_path, {**files, "db/en.json": text})
    assert {each.path for each in found.values()} == {"api/en.json", "io/en.json", "db/en.json"}


def test_parameters_in_json_schema(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    tools = [{**each, "params": schema} for each in functions()]
    found = entries_of(tmp_path, {"api.json": json.dumps(tools)})
    assert found["fill3"].signature == "fill3(city: string)"
    assert found["fill3"].categories == ("api", "function")


def test_files_at_the_top_have_no_category_without_a_name(tmp_path: Path) -> None:
    files = {f"fill{at}.json": json.dumps(function(f"fill{at}")) for at in range(10)}
    assert entries_of(tmp_path, files)["fill3"].categories == ("function",)


def test_values_and_fields_of_what_is_no_type_are_data(tmp_path: Path) -> None:
    told = [{"name": f"tank{at}", "description": "Of a tank.", "values": ["a"]} for at in range(12)]
    assert entries_of(tmp_path / "a", {"settings.json": json.dumps(told)}) == {}
    assert len(entries_of(tmp_path / "b", {"api.json": json.dumps({"enums": told})})) == 12


def test_a_list_says_in_the_plural_what_its_entries_are(tmp_path: Path) -> None:
    for listed, kind in (("classes", "class"), ("properties", "property"), ("structs", "struct")):
        data = json.dumps({listed: functions()})
        assert kind in entries_of(tmp_path / listed, {"api.json": data})["fill3"].categories


def test_half_of_a_pair_of_surrogates_is_no_text(tmp_path: Path) -> None:
    told = [{**each, "description": "Fills \ud83d it."} for each in functions()]
    assert entries_of(tmp_path / "a", {"api.json": json.dumps(told)}) == {}
    told = [{**each, "description": "Fills \U0001f600 it."} for each in functions()]
    found = entries_of(tmp_path / "b", {"api.json": json.dumps(told)})
    assert found["fill3"].description == "Fills \U0001f600 it."


def test_long_lines_are_read_in_linear_time() -> None:
    text = json.dumps(functions(40_000))
    record = CodeRecord(
        id="a", collection="code", title="a", path="a.json", text=text, workspace="", sha256=""
    )
    started = time.process_time()
    assert len(list(entries_of_json([record]))) == 40_000
    assert time.process_time() - started < 8


def test_what_has_names_and_descriptions_only_is_data(tmp_path: Path) -> None:
    people = [{"name": f"p{at}", "description": "Somebody.", "age": at} for at in range(20)]
    schema = {"openapi": "3.0.0", "functions": functions(20)}
    mixed = [*functions(10), *people]
    broken = json.dumps(functions(20))[:-1]
    for at, value in enumerate((people, schema, mixed, functions(9))):
        assert entries_of(tmp_path / str(at), {"data.json": json.dumps(value)}) == {}
    assert entries_of(tmp_path / "broken", {"data.json": broken}) == {}
    assert entries_of(tmp_path / "deep", {"data.json": '{"params":' + "[" * 9000}) == {}
    for place in ("tests", "examples", "vendor"):
        files = {f"{place}/api.json": json.dumps(functions(20))}
        assert entries_of(tmp_path / place, files) == {}
