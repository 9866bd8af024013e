package localhttp

import (
	"net"
	"net/http"
	"slices"
	"sync"
)

// MaxConns is the largest number of connections of a server.
const MaxConns = 256

// conns are the connections of a server. They are limited, because a program needs files for the sockets of
// its players.
type conns struct {
	mu   sync.Mutex
	open []conn // the oldest first
}

type conn struct {
	net.Conn
	active bool // has a request
}

// changed is the ConnState of an [http.Server]. At the limit it closes the oldest connection, of
// those without a request if there are any.
func (c *conns) changed(changed net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if state == http.StateNew {
		if len(c.open) >= MaxConns {
			c.remove(max(0, slices.IndexFunc(c.open, func(x conn) bool { return !x.active })))
		}
		c.open = append(c.open, conn{Conn: changed})
		return
	}
	i := slices.IndexFunc(c.open, func(x conn) bool { return x.Conn == changed })
	switch {
	case i < 0:
	case state == http.StateActive || state == http.StateIdle:
		c.open[i].active = state == http.StateActive
	default:
		c.remove(i)
	}
}

// end closes the connections without a request. The shutdown of a server would wait for those that are new.
func (c *conns) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, x := range c.open {
		if !x.active {
			_ = x.Close()
		}
	}
}

// remove closes a connection, which is possible more than once.
func (c *conns) remove(i int) {
	_ = c.open[i].Close()
	c.open = slices.Delete(c.open, i, i+1)
}
