package api

import (
	"fmt"

	shelf "example.org/shelf/store"
)

func Serve() {
	opened := shelf.Open("books") // Open -> store/store.go:5
	fmt.Println(opened.Find("x"))  // Find -> ?
	var all *shelf.Store // Store -> store/store.go:3
	_ = all
}

func Find() {}

func load() { Find() } // Find -> api/api.go:16
