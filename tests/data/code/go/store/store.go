package store

type Store struct{ books []string }

func Open(path string) *Store { // Store -> store/store.go:3
	return &Store{books: load(path)} // Store -> store/store.go:3 // load -> store/load.go:3
}

func (s *Store) Find(name string) string { // Store -> store/store.go:3
	load := name
	return load
}
