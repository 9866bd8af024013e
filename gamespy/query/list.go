package query

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"time"

	"github.com/bcwire/bcwire/gamespy"
)

const (
	// ListTimeout is how long [List] takes at most. Masters wait for some seconds before
	// they begin.
	ListTimeout = 20 * time.Second

	// closeWait is how long a master has to close after what looks like a whole list.
	closeWait = 500 * time.Millisecond
)

// List fetches the list of servers from a master, by TCP, usually on
// [gamespy.MasterListPort]. It does not close the connection. With an error, which is that
// of the context, of the connection or of [gamespy.ListClient], it returns the servers that
// came before it.
func List(ctx context.Context, conn net.Conn) ([]netip.AddrPort, error) {
	ctx, cancel := context.WithTimeout(ctx, ListTimeout)
	defer cancel()
	defer interrupt(ctx, conn)()
	var client gamespy.ListClient
	err := converse(ctx, conn, &client)
	servers, listErr := client.Servers()
	return servers, cmp.Or(err, listErr)
}

// converse passes bytes between the two until the master closes.
func converse(ctx context.Context, conn net.Conn, client *gamespy.ListClient) error {
	buf := make([]byte, 16<<10)
	for {
		var deadline time.Time
		if client.Whole() {
			deadline = time.Now().Add(closeWait)
		}
		if err := readUntil(ctx, conn, deadline); err != nil {
			return fmt.Errorf("query: list: %w", err)
		}
		n, err := conn.Read(buf)
		send, clientErr := client.Receive(buf[:n])
		switch {
		case clientErr != nil:
			return clientErr
		case errors.Is(err, io.EOF), isTimeout(err) && ctx.Err() == nil && client.Whole():
			return nil
		case err != nil:
			return fmt.Errorf("query: list: %w", cmp.Or(ctx.Err(), err))
		}
		if len(send) == 0 {
			continue
		}
		if _, err := conn.Write(send); err != nil {
			return fmt.Errorf("query: list: %w", cmp.Or(ctx.Err(), err))
		}
	}
}
