"""Requests of Bruno."""

from __future__ import annotations

import pytest
from tests.runtime.records.test_exports import only

from kb_runtime.records.case_files import parse
from kb_runtime.records.cases import Step
from kb_runtime.records.credentials import has_credentials, without_credentials

REQUEST = """meta {
  name: Start the pump
  type: http
  seq: 2
  tags: [
    smoke
    motor
  ]
}

post {
  url: {{host}}/pumps/:id/start
  body: json
  auth: bearer
}

headers {
  x-key: secret
}

auth:bearer {
  token: secret
}

body:json {
  {
    "speed": 2
  }
}

assert {
  res.status: eq 200
  res.status: isNumber
  ~res.body.hum: isDefined
}

script:pre-request {
  test("of a script", () => {});
}

tests {
  test("it hums", function() {
    expect(res.body.hum).to.equal(true);
  });
  test('the lamp is lit', () => {});
}

docs {
  Starts it, unless it *runs*.
}
"""


def test_a_request_is_a_test_with_what_is_expected_of_it() -> None:
    case = only("api/pump/start.bru", REQUEST)
    assert (case.uid, case.title) == ("api/pump/Start the pump", "Start the pump")
    assert (case.folder, case.test_type, case.tags) == ("api/pump", "API", ("smoke", "motor"))
    assert case.description == "Starts it, unless it *runs*."
    expected = ("res.status: eq 200", "res.status: isNumber", "it hums", "the lamp is lit")
    data = '{\n  "speed": 2\n}'
    assert case.steps == (Step(1, "POST {{host}}/pumps/:id/start", data, expected),)
    assert case.test_path == "api/pump/start.bru"
    assert "secret" not in repr(case)


def test_a_request_may_state_little() -> None:
    case = only("stop.bru", "meta {\n  tags: [a, b]\n}\nhttp {\n  method: purge\n  url: /x\n}\n")
    assert (case.uid, case.tags) == ("stop", ("a", "b"))
    assert case.steps == (Step(1, "PURGE /x"),)


def test_a_call_of_grpc_keeps_its_name() -> None:
    case = only("say.bru", "grpc {\n  url: grpc://x\n  method: /birds.Heron/Say\n}\n")
    assert case.steps == (Step(1, "GRPC grpc://x /birds.Heron/Say"),)


def test_credentials_in_urls_and_bodies_are_masked() -> None:
    source = (
        "post {\n  url: https://me:hunter2@x.example/a?api_key=hunter2&page=2\n}\n\n"
        'body:json {\n  {\n    "user": "me", "password": "hunter2 {or} 3", "token": "{{token}}"\n  }\n}\n\n'
        "body:form-urlencoded {\n  authorization: Bearer hunter2\n  scope: all\n}\n"
    )
    case = only("a.bru", source)
    data = '{\n  "user": "me", "password": "***", "token": "{{token}}"\n}\nauthorization: ***\nscope: all'
    assert case.steps == (Step(1, "POST https://***@x.example/a?api_key=***&page=2", data),)
    assert "hunter2" not in repr(case)


@pytest.mark.parametrize(
    ("sent", "masked"),
    [
        ("https://x.example/?pwd=hunter2#top", "https://x.example/?pwd=***#top"),
        (f"https://x.example/?key={'k3' * 8}&a=1", "https://x.example/?key=***&a=1"),
        (
            f"https://x.example/?X-Amz-Signature={'f0' * 32}",
            "https://x.example/?X-Amz-Signature=***",
        ),
        (f"https://{'t0ken' * 4}@x.example/a", "https://***@x.example/a"),
        ("<Password>hunter2</Password>", "<Password>***</Password>"),
        ('<w:apiKey type="a">hunter 2</w:apiKey>', '<w:apiKey type="a">***</w:apiKey>'),
        *(
            (kept, kept)
            for kept in (
                "https://x.example/?key=colour&sig={{sig}}&pwd={{pwd}}",
                "https://git@x.example/a",
                "<token>{{token}}</token><password/><user>me</user>",
            )
        ),
    ],
)
def test_credentials_are_known_by_where_they_stand(sent: str, masked: str) -> None:
    assert without_credentials(sent) == masked
    assert has_credentials(sent) == (sent != masked)


@pytest.mark.parametrize(
    "text", ["", "vars {\n  host: x\n}\n", "meta {\n  name: folder\n}\n", "get {", "  get {\n}\n"]
)
def test_settings_and_variables_are_no_requests(text: str) -> None:
    tests = parse("a.bru", text.encode())["tests"]
    assert [test["steps"][0]["action"] for test in tests] == (["GET"] if text == "get {" else [])
