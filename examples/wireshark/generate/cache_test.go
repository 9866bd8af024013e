package main

// The tests read the source of the library. With these imports, a change of the library
// invalidates their cached results.
import (
	_ "github.com/bcwire/bcwire/opcode"
	_ "github.com/bcwire/bcwire/stateupdate"
)
