package query_test

import (
	"context"
	"fmt"
	"net"
	"time"

	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/gamespy/query"
)

// A browser finds a server through a master. All three run on the loopback interface.
func Example_master() {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	heartbeats, list, err := runMaster(ctx)
	if err == nil {
		err = runServer(ctx, heartbeats)
	}
	for err == nil && ctx.Err() == nil {
		var found []query.Result
		if found, err = browse(ctx, list); len(found) > 0 {
			info := found[0].Pairs.ServerInfo()
			fmt.Printf("%q %d of %d players\n", info.HostName, info.NumPlayers, info.MaxPlayers)
			return
		}
		time.Sleep(10 * time.Millisecond) // the master does not list the server yet
	}
	fmt.Println(err)
	// Output: "Friday Night" 0 of 8 players
}

// browse returns the servers that a master lists and that answer.
func browse(ctx context.Context, list net.Addr) ([]query.Result, error) {
	master, err := new(net.Dialer).DialContext(ctx, "tcp", list.String())
	if err != nil {
		return nil, err
	}
	defer master.Close()
	servers, err := query.List(ctx, master)
	if err != nil {
		return nil, err
	}
	conn, err := net.ListenPacket("udp4", ":0")
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	return new(query.Scanner).Scan(ctx, conn, servers)
}

// runServer runs a server without players until the context ends.
func runServer(ctx context.Context, master net.Addr) error {
	conn, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		return err
	}
	info := gamespy.NewServerInfo("Friday Night")
	beacon := gamespy.Beacon{Port: conn.LocalAddr().(*net.UDPAddr).AddrPort().Port()}
	go func() {
		for ctx.Err() == nil {
			if heartbeat := beacon.Due(time.Now(), &info); heartbeat != nil {
				conn.WriteTo(heartbeat, master)
			}
			time.Sleep(time.Second)
		}
	}()
	go func() {
		defer conn.Close()
		// The answer to the challenge of the master is the answer to a query.
		query.Serve(ctx, conn, new(gamespy.Responder), func() *gamespy.ServerInfo { return &info })
	}()
	return nil
}

// runMaster runs a master until the context ends. It returns the addresses for heartbeats and for lists.
func runMaster(ctx context.Context) (heartbeats, list net.Addr, err error) {
	conn, err := net.ListenPacket("udp4", "127.0.0.1:0") // a master on the Internet has gamespy.MasterPort
	if err != nil {
		return nil, nil, err
	}
	l, err := net.Listen("tcp4", "127.0.0.1:0") // and gamespy.MasterListPort
	if err != nil {
		conn.Close()
		return nil, nil, err
	}
	go func() {
		defer conn.Close()
		query.ServeMaster(ctx, conn, l, new(gamespy.Master))
	}()
	return conn.LocalAddr(), l.Addr(), nil
}
