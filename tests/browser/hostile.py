"""A knowledge base of 100 records that try to run scripts, reach other servers, or break the page."""

from __future__ import annotations

import json
from pathlib import Path

FIRED = "window.fired = (window.fired || 0) + 1"
_PAYLOADS = (
    f"<script>{FIRED}</script>",
    f'<img src=x onerror="{FIRED}">',
    f'<svg onload="{FIRED}"><script>{FIRED}</script></svg>',
    f'<svg><animate onbegin="{FIRED}" attributeName=x dur=1s></svg>',
    f'<a href="javascript:{FIRED}">link</a>',
    f"[link](javascript:{FIRED.replace(' ', '')})",
    f"[link](<java\tscript:{FIRED}>)",
    f"[link](data:text/html,<script>{FIRED}</script>)",
    f"<javascript:{FIRED.replace(' ', '')}>",
    f'<iframe srcdoc="<script>parent.{FIRED}</script>"></iframe>',
    f'<body onload="{FIRED}"><input autofocus onfocus="{FIRED}">',
    f'<details open ontoggle="{FIRED}"><summary>x</summary></details>',
    f'<math><mtext><table><mglyph><style><img src=x onerror="{FIRED}">',
    f'<form action="https://example.invalid/"><button formaction="javascript:{FIRED}">x</button></form>',
    '<link rel=stylesheet href="https://example.invalid/x.css"><meta http-equiv=refresh content="0;url=https://example.invalid/">',
    '<base href="https://example.invalid/"><object data="https://example.invalid/"></object>',
    '![picture](https://example.invalid/pixel.png) <video src="https://example.invalid/v.mp4" autoplay>',
    f"</code></pre></main></body></html><script>{FIRED}</script>",
    f"{{{{ ''.__class__ }}}} {{% raw %}} ${{{FIRED}}}",
    f'"><script>{FIRED}</script><a title="',
    f'<noscript><p title="</noscript><img src=x onerror={FIRED.replace(" ", "")}>">',
    f'<div style="background:url(https://example.invalid/)" onclick="{FIRED}">x</div>',
    f"```html\n</code></pre><script>{FIRED}</script>\n```",
    f"<!--><script>{FIRED}</script>--> <![CDATA[<script>{FIRED}</script>]]>",
)


def write_hostile(folder: Path) -> None:
    """Payloads in titles, front matter, headings, texts, names of files and code."""
    docs, code, tests = folder / "docs", folder / "code", folder / "tests"
    for each in (docs, code, tests):
        each.mkdir(parents=True)
    (folder / "kb.toml").write_text(
        '[kb]\nname = "hostile"\nversion = "1.0"\n'
        f"title = \"</title><script>{FIRED}</script>\"\ndescription = '<script>{FIRED}</script>'\n"
    )
    for at, payload in enumerate(_PAYLOADS):
        flat = payload.replace("\n", " ")
        quoted = flat.replace('"', "'")
        (docs / f"text-{at}.md").write_text(f"# Plain {at}\n\nharm {payload}\n")
        (docs / f"title-{at}.md").write_text(f"# {flat}\n\n## {flat}\n\nharm in the title {at}\n")
        tag = quoted.replace("\t", " ")
        (docs / f"front-{at}.md").write_text(
            f'---\ntitle: >-\n  {quoted}\ntags: ["{tag}"]\n---\n\nharm in front matter {at}\n'
        )
        (code / f"code_{at}.py").write_text(
            f"# harm {flat}\ndef run_{at}():\n    return {flat!r}\n"
        )
    (docs / "<img src=x onerror=alert(1)>.md").write_text("# Name\n\nharm in the name of a file\n")
    (docs / "line.md").write_text("# One line\n\nharm " + "<b onclick=x>" * 75_000 + "\n")
    (docs / "control.md").write_text(
        "# Controls\n\nharm \x1b[31m \x07 \u202egnp.exe\u202c \ufffe\n"
    )
    (docs / "deep.md").write_text("# Deep\n\nharm " + "> " * 3_000 + "x\n\n" + "[" * 5_000 + "\n")
    cases = [
        {
            "uid": f"case-{at}",
            "title": f"harm \ud800 {payload}",
            "steps": [{"action": payload, "data": "\udfff", "expected": [payload]}],
        }
        for at, payload in enumerate(_PAYLOADS)
    ]
    (tests / "cases.json").write_text(json.dumps(cases))  # lone surrogates: no UTF-8 can hold them
    (code / "bytes.py").write_bytes(b"# harm \xff\xfe caf\xe9 \xed\xa0\x80\n")
