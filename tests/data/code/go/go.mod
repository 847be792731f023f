module example.org/shelf
