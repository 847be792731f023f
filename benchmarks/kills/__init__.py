"""`kill -9` of compilers, watchers and servers, and what it leaves behind."""
