"""MCP clients on this machine: where each keeps its servers, adding one there, finding what is wrong.

`table` says what is known of every client, `json_text` and `toml_text` edit a configuration without
touching a byte outside the entry, `config_file` replaces files safely, `installation` puts these
together, `probe` starts a server as a client would, `doctor` explains, `commands` is the command line.
"""
