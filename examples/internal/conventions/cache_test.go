package conventions

// The tests read the source of the library. The go command takes a result from its cache
// unless a package changes that the test imports.
import (
	_ "github.com/bcwire/bcwire/checksum"
	_ "github.com/bcwire/bcwire/cipher"
	_ "github.com/bcwire/bcwire/gamespy/query"
	_ "github.com/bcwire/bcwire/stateupdate"
	_ "github.com/bcwire/bcwire/transport"
	_ "github.com/bcwire/bcwire/transport/recording"
)
