"""Pages of several sources."""

from __future__ import annotations

INVALID, INTERNAL = -32602, -32603
CLIENT_PAGE = """\
# HTTP client

The client retries a request when the network fails. See [limits](limits.md).

## Usage

```go
func main() {
	client := retry.New(retry.Max(3), retry.Wait(time.Second))
	response, err := client.Get("https://example.org/resources")
	if err != nil {
		log.Fatal("the call failed three times", err)
	}
	fmt.Println(response.Status, response.Header.Get("Server"))
}
```

## Errors

The error E4711 means that the certificate has expired.  \n
### Codes

```text
E4711 ```nested```
```

## Usage again

Call `client.Close()` when it is no longer needed.
"""
TREE = {
    "kb.toml": '[kb]\nname = "library"\n',
    "sources/client/source.toml": (
        'name = "Client guide"\nurl = "https://example.org/client/"\ndescription = "A client."\n'
    ),
    "sources/client/http.md": CLIENT_PAGE,
    "sources/client/python.md": (
        "# Python\n\nHow to call it.\n\n## Call\n\n```py\nimport client\n\n"
        "with client.open(retries=3, wait=1.5) as connection:\n"
        "    response = connection.get('https://example.org/resources')\n"
        "    print(response.status, response.headers['server'])\n```\n"
    ),
    "sources/client/empty-lines.md": "\n\n# Spaces\n\n  text\t\n\n\n",
    "sources/server/source.toml": 'name = "A server guide"\nurl = "https://example.org/server"\n',
    "sources/server/start.html": (
        "<main><h1>Start</h1><p>Start the server with a port.</p>"
        '<h2 id="flags">Flags of it</h2><pre><code class="language-bash">serve --port 80 --host all'
        " --workers 4 \\\n  --certificate server.pem --key server.key --log /var/log/serve.log\n"
        "curl --verbose https://localhost:80/health --retry 3 --output health.json\n"
        "</code></pre><p>Then wait for the banner.</p></main>"
    ),
    "sources/server/http.md": (
        "---\nurl: https://example.org/client/http\nauthor: Bo\ndate: 2024-01-02\n---\n"
        "# Server side of HTTP\n\nThe server answers requests of the client.\n\n"
        "A connection of one's own, without the client, is opened as the standard library does it."
        " That is worth it only for tests, where each byte counts and nothing must be retried, and"
        " where the certificate is that of the machine itself, so that no name needs to be resolved."
        "\n\n1. Dial it:\n\n   ```go\n   net.Dial(kind, place)\n   ```\n\n2. Close it.\n"
    ),
    "sources/bare/source.toml": 'name = "Nothing yet"\n',
}
