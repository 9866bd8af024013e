package web

import (
	"container/list"
	"net"
	"net/http"
	"sync"
)

// maxConns is the largest number of connections. There are fewer streams, so requests have room.
const maxConns = 256

// conns are the connections of the server, the oldest first. They are limited, because a live match
// needs files for the sockets of its players.
type conns struct {
	mu    sync.Mutex
	order list.List // of *openConn
	open  map[net.Conn]*list.Element
}

type openConn struct {
	net.Conn
	active bool // has a request
}

// changed is the ConnState of an [http.Server]. At the limit it closes the oldest connection, of
// those without a request if there are any.
func (c *conns) changed(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.open[conn]
	switch state {
	case http.StateNew:
		if c.order.Len() >= maxConns {
			c.remove(c.oldest())
		}
		if c.open == nil {
			c.open = map[net.Conn]*list.Element{}
		}
		c.open[conn] = c.order.PushBack(&openConn{Conn: conn})
	case http.StateActive, http.StateIdle:
		if e != nil {
			e.Value.(*openConn).active = state == http.StateActive
		}
	default:
		if e != nil {
			c.remove(e)
		}
	}
}

func (c *conns) oldest() *list.Element {
	for e := c.order.Front(); e != nil; e = e.Next() {
		if !e.Value.(*openConn).active {
			return e
		}
	}
	return c.order.Front()
}

// remove closes a connection, which is possible more than once.
func (c *conns) remove(e *list.Element) {
	conn := c.order.Remove(e).(*openConn)
	delete(c.open, conn.Conn)
	_ = conn.Close()
}
