"""Reads an API description and writes its operations and schemas as documents of their own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from kbc.formats import commonmark
from kbc.formats.document import Converted, DocumentProblem, FormatError, Read, decode
from kbc.formats.loading import parse
from kbc.formats.openapi.references import References, string
from kbc.formats.openapi.schemas import Schemas, json_block, plain, type_name
from kbc.languages.includes.fenced import closed, shifted_headings
from kbc.project.well_formed import mapping, sequence

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
FORMAT = "openapi"
_BASE_PATH = re.compile(r"(?:/[\w.~-]+)+")

Fields = Mapping[str, Any]


def convert(path: str, data: bytes, read: Read) -> list[Converted]:
    """The API, then its operations in the order of the file, then its schemas.

    Raises `FormatError` for what is no API description.
    """
    api = parse(decode(data), path, words_are_text=True)
    if not isinstance(api, dict) or not (api.get("openapi") or api.get("swagger")):
        raise FormatError("the file has no key `openapi`: it describes no API")
    references = References(api, path, read)
    writer = _Writer(api, references)
    operations = _titled_apart(list(writer.operations()))
    schemas = list(writer.schemas())
    whole = writer.overview(operations)
    documents = _named_apart([*operations, *schemas])
    code, hint = "openapi-unresolved-reference", "Add the target, or correct the reference."
    said = (f"the reference {each!r} has no target" for each in sorted(references.unresolved)[:1])
    problems = tuple(DocumentProblem(code=code, message=each, hint=hint) for each in said)
    api_page = Converted(
        text=whole, format=FORMAT, title=writer.title, summary=writer.summary, problems=problems
    )
    return [api_page, *documents]


def _titled_apart(operations: list[Converted]) -> list[Converted]:
    """The operations, of which those with one title (`Get by id` of every resource) have their method and
    path in it."""
    counts = Counter(operation.title.casefold() for operation in operations)
    found = []
    for operation in operations:
        title, call = operation.title, operation.summary.partition(": ")[0]
        if counts[title.casefold()] > 1 and title != call:
            title = f"{title} ({call})"
            (heading,) = commonmark.heading(1, commonmark.escaped(title))
            rest = operation.text.partition("\n")[2]
            operation = replace(operation, title=title, text=f"{heading}\n{rest}")
        found.append(operation)
    return found


def _named_apart(documents: list[Converted]) -> list[Converted]:
    """The documents with a number behind names that come again."""
    seen: Counter[str] = Counter()
    found = []
    for document in documents:
        name = document.name
        seen[name] += 1
        found.append(replace(document, name=f"{name}-{seen[name]}" if seen[name] > 1 else name))
    return found


class _Writer:
    def __init__(self, api: Fields, references: References) -> None:
        self._api = api
        self._references = references
        self._schemas = Schemas(references)
        self._base = self._base_path()
        info = mapping(api.get("info"))
        self.title = " ".join(string(info.get("title")).split()) or "API"
        description = references.text(info.get("description"))
        self.summary = string(info.get("summary")) or description.strip().split("\n\n", 1)[0]

    def overview(self, operations: list[Converted]) -> str:
        info = mapping(self._api.get("info"))
        version = string(info.get("version"))
        parts = [commonmark.heading(1, commonmark.escaped(self.title))]
        if version:
            parts.append([f"Version {commonmark.escaped(version)}"])
        parts.append(_demoted(self._references.text(info.get("description"))))
        if servers := self._servers():
            parts.append(["Servers:"])
            parts.append([f"- {commonmark.code_span(url)}" for url in servers])
        if schemes := list(self._security_schemes()):
            parts += [commonmark.heading(2, "Authentication"), *schemes]
        if tags := list(self._tags()):
            parts += [commonmark.heading(2, "Tags"), *tags]
        if operations:
            parts.append(commonmark.heading(2, "Operations"))
            names = (each.summary or each.title for each in operations)
            parts.append([f"- {commonmark.escaped(name)}" for name in names])
        return commonmark.document(commonmark.blocks(parts))

    def _servers(self) -> list[str]:
        """The addresses of the API, with the defaults of what is variable in them."""
        found = []
        for each in map(mapping, sequence(self._api.get("servers"))):
            url = string(each.get("url"))
            for name, variable in mapping(each.get("variables")).items():
                if default := string(mapping(variable).get("default")):
                    url = url.replace(f"{{{name}}}", default)
            found.append(url)
        if not found and self._api.get("host"):
            found = [f"https://{self._api['host']}{string(self._api.get('basePath'))}"]
        return [url for url in found if url]

    def _base_path(self) -> str:
        """What of the first address is before the paths of the operations; "" without such a path."""
        first = next(iter(self._servers()), string(self._api.get("basePath")))
        path = re.sub(r"\A[^/?#]*//[^/?#]*", "", first).rstrip("/")
        return path if _BASE_PATH.fullmatch(path) else ""

    def _components(self, name: str, former: str) -> Fields:
        """Components by name; `former` is what Swagger 2 calls them. Their map may be a
        reference to a file."""
        components = self._references.resolve(self._api.get("components"))
        return self._references.resolve(components.get(name, self._api.get(former)))

    def _security_schemes(self) -> Iterator[list[str]]:
        """A line for each scheme; one that is described in more than a paragraph has a section."""
        lines = []
        sections = []
        for name, value in self._components("securitySchemes", "securityDefinitions").items():
            scheme = self._references.resolve(value)
            words = [string(scheme.get(key)) for key in ("type", "scheme", "in", "name")]
            text = self._references.text(scheme.get("description")).strip()
            label = f"{commonmark.code_span(str(name))} ({', '.join(filter(None, words))})"
            if "\n\n" in text:
                sections += [commonmark.heading(3, label), _demoted(text, 3)]
            else:
                lines.append(f"- {label}{': ' * bool(text)}{' '.join(text.split())}")
        yield from [lines, *sections] if lines else sections

    def _tags(self) -> Iterator[list[str]]:
        """What groups of operations are for, and the chapters that tools show in the same way."""
        for each in map(mapping, sequence(self._api.get("tags"))):
            text = self._references.text(each.get("description"))
            name = string(each.get("x-displayName")) or string(each.get("name"))
            if name and text.strip():
                yield commonmark.heading(3, commonmark.escaped(" ".join(name.split())))
                yield _demoted(text, 3)

    def operations(self) -> Iterator[Converted]:
        groups = [("", self._api.get("paths")), ("webhook ", self._api.get("webhooks"))]
        for prefix, paths in groups:
            for path, value in self._references.resolve(paths).items():
                item = self._references.resolve(value)
                for method, stated in item.items():
                    if str(method).lower() not in METHODS or not isinstance(stated, dict):
                        continue
                    operation = self._references.resolve(stated)
                    yield self._operation(f"{prefix}{path}", str(method).upper(), item, operation)

    def _operation(self, path: str, method: str, item: Fields, operation: Fields) -> Converted:
        id = string(operation.get("operationId"))
        stated = string(operation.get("summary")) or string(item.get("summary"))
        summary = " ".join(stated.split())
        title = summary or id or f"{method} {path}"
        call = commonmark.code_span(f"{method} {path}")
        parts = [commonmark.heading(1, commonmark.escaped(title))]
        about = [f"operation {commonmark.code_span(id)}"] if id else []
        if self._base and path.startswith("/"):
            about.append(f"in full {commonmark.code_span(self._base + path)}")
        parts.append([call + (f" ({'; '.join(about)})" if about else "")])
        if operation.get("deprecated") is True:
            parts.append(["**Deprecated.**"])
        description = self._references.text(operation.get("description"))
        description = description or self._references.text(item.get("description"))
        parts.append(_demoted(description))
        tags = [commonmark.escaped(str(tag)) for tag in sequence(operation.get("tags"))]
        if tags:
            parts.append([f"Tags: {', '.join(tags)}"])
        parts += [*self._security(operation), *self._parameters(item, operation)]
        parts += [*self._body(operation), *self._responses(operation), *self._samples(operation)]
        text = commonmark.document(commonmark.blocks(parts))
        first = " ".join(description.split("\n\n", 1)[0].split())
        paths = dict.fromkeys([path, self._base + path] if path.startswith("/") else [path])
        calls = (f"{method} {each}" for each in paths)
        return Converted(
            text=text,
            format=FORMAT,
            title=title,
            name=id or f"{method} {path}",
            summary=f"{method} {path}" + (f": {summary or first}" if summary or first else ""),
            index_names=(*filter(None, [id]), *calls),
        )

    def _samples(self, operation: Fields) -> Iterator[list[str]]:
        """Calls in several languages, in an extension that documentation tools share."""
        stated = operation.get("x-codeSamples", operation.get("x-code-samples"))
        samples = [self._references.resolve(each) for each in sequence(stated)]
        samples = [each for each in samples if string(each.get("source")).strip()]
        if samples:
            yield commonmark.heading(2, "Code samples")
        for sample in samples:
            language = string(sample.get("lang"))
            yield [commonmark.escaped(string(sample.get("label")) or language)]
            code = self._references.text(sample["source"]).rstrip("\n")
            yield commonmark.fence(code, language.lower().replace(" ", ""))

    def _security(self, operation: Fields) -> Iterator[list[str]]:
        demands = operation.get("security", self._api.get("security"))
        shown = []
        for demand in sequence(demands):
            names = []
            for name, scopes in mapping(demand).items():
                listed = ", ".join(str(scope) for scope in sequence(scopes))
                names.append(commonmark.code_span(str(name)) + (f" ({listed})" if listed else ""))
            shown.append(" and ".join(names) or "none")
        if shown:
            yield [f"Authentication: {' or '.join(shown)}"]

    def _parameters(self, item: Fields, operation: Fields) -> Iterator[list[str]]:
        found: dict[tuple[str, str], Fields] = {}
        for value in [*sequence(item.get("parameters")), *sequence(operation.get("parameters"))]:
            parameter = self._references.resolve(value)
            if parameter.get("in") != "body":
                found[string(parameter.get("name")), string(parameter.get("in"))] = parameter
        if not found:
            return
        rows = [self._parameter(name, place, value) for (name, place), value in found.items()]
        yield commonmark.heading(2, "Parameters")
        yield commonmark.table(["Name", "In", "Type", "Required", "Description"], rows)

    def _parameter(self, name: str, place: str, parameter: Fields) -> list[str]:
        schema = parameter.get("schema")
        if schema is None:
            media = next(iter(mapping(parameter.get("content")).values()), None)
            schema = mapping(media).get("schema", parameter)
        required = "yes" if parameter.get("required") is True else "no"
        note = " ".join(string(parameter.get("description")).split())
        details = self._schemas.details(self._references.resolve(schema))
        if "example" in parameter:
            details = f"{details} Example: {commonmark.code_span(plain(parameter['example']))}"
        kind, text = type_name(schema, self._references), f"{note} {details}".strip()
        return [commonmark.code_span(name), place, kind, required, text]

    def _body(self, operation: Fields) -> Iterator[list[str]]:
        body = self._references.resolve(operation.get("requestBody"))
        content = mapping(body.get("content"))
        if not body:  # version 2.0
            for value in sequence(operation.get("parameters")):
                parameter = self._references.resolve(value)
                if parameter.get("in") == "body":
                    body = parameter
                    content = {"application/json": {"schema": parameter.get("schema")}}
        if not body:
            return
        yield commonmark.heading(2, "Request body")
        if body.get("required") is True:
            yield ["Required."]
        yield _demoted(string(body.get("description")))
        yield from self._content(content)

    def _responses(self, operation: Fields) -> Iterator[list[str]]:
        responses = mapping(operation.get("responses"))
        if responses:
            yield commonmark.heading(2, "Responses")
        for status, value in responses.items():
            response = self._references.resolve(value)
            note = " ".join(string(response.get("description")).split())
            yield commonmark.heading(3, f"{status}" + (f" {note}" if len(note) <= 80 else ""))
            if len(note) > 80:
                yield _demoted(string(response.get("description")))
            headers = []
            for name, header in mapping(response.get("headers")).items():
                text = " ".join(string(self._references.resolve(header).get("description")).split())
                headers.append(f"- Header {commonmark.code_span(str(name))}: {text}")
            yield headers
            content = mapping(response.get("content"))
            if not content and "schema" in response:
                content = {"": {"schema": response["schema"], "examples": response.get("examples")}}
            yield from self._content(content)

    def _content(self, content: Fields) -> Iterator[list[str]]:
        for kind, value in content.items():
            media = self._references.resolve(value)
            schema = media.get("schema")
            named = f"{commonmark.code_span(str(kind))}: " if kind else ""
            if schema is not None:
                yield [f"{named}{type_name(schema, self._references)}"]
                yield self._schemas.properties(schema)
            elif named:
                yield [named.removesuffix(": ")]
            yield from self._examples(media)

    def _examples(self, media: Fields) -> Iterator[list[str]]:
        examples = [("", media["example"])] if "example" in media else []
        for name, value in mapping(media.get("examples")).items():
            example = self._references.resolve(value)
            if "value" in example:
                examples.append((string(example.get("summary")) or str(name), example["value"]))
        if not examples:
            schema = self._references.resolve(media.get("schema"))
            examples = [("", schema["example"])] if "example" in schema else []
        for name, value in examples:
            yield [f"Example: {commonmark.escaped(name)}" if name else "Example:"]
            yield json_block(value)

    def schemas(self) -> Iterator[Converted]:
        for name, value in self._components("schemas", "definitions").items():
            schema = self._references.resolve(value)
            title = " ".join(string(schema.get("title")).split()) or str(name)
            parts = [commonmark.heading(1, commonmark.escaped(str(name)))]
            if title != str(name):
                parts.append([commonmark.escaped(title)])
            parts.append([f"Schema, {type_name(schema, self._references)}"])
            description = string(schema.get("description"))
            parts += [_demoted(description), self._schemas.properties(schema)]
            if details := self._schemas.details(schema):
                parts.append([details])
            examples = [schema["example"]] if "example" in schema else []
            for example in [*examples, *sequence(schema.get("examples"))]:
                parts += [["Example:"], json_block(example)]
            yield Converted(
                text=commonmark.document(commonmark.blocks(parts)),
                format=FORMAT,
                title=str(name),
                name=str(name),
                index_names=(str(name),),
                summary=" ".join(description.split("\n\n", 1)[0].split()),
            )


def _demoted(markdown: str, levels: int = 2) -> list[str]:
    """A description, which is Markdown, with its headings `levels` below those of the document."""
    shown = closed(shifted_headings(markdown.strip(), levels))
    return shown.split("\n") if shown else []
