package main

// The tests read the source of the library. With these imports, a change of the library
// invalidates their cached results.
import (
	_ "github.com/bcwire/bcwire/checksum"
	_ "github.com/bcwire/bcwire/cipher"
	_ "github.com/bcwire/bcwire/gamespy/query"
	_ "github.com/bcwire/bcwire/stateupdate"
	_ "github.com/bcwire/bcwire/transport"
	_ "github.com/bcwire/bcwire/transport/recording"
	_ "github.com/bcwire/bcwire/transport/udp"
)
