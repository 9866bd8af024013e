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
	// ListTimeout is the maximum duration of [List]. Masters wait some seconds before they send.
	ListTimeout = 20 * time.Second

	// closeWait is the time that a master has to close after a list that looks complete.
	closeWait = 500 * time.Millisecond
)

// List fetches the list of servers from a master over TCP, usually on [gamespy.MasterListPort]. It
// does not close the connection. On error it returns the servers received so far. The error comes
// from the context, the connection or [gamespy.ListClient].
func List(ctx context.Context, conn net.Conn) ([]netip.AddrPort, error) {
	ctx, cancel := context.WithTimeout(ctx, ListTimeout)
	defer cancel()
	defer interrupt(ctx, conn)()
	var client gamespy.ListClient
	err := converse(ctx, conn, &client)
	servers, listErr := client.Servers()
	return servers, cmp.Or(err, listErr)
}

// converse passes bytes between the master and the client until the master closes.
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
