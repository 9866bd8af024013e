// Package localhttp is for HTTP servers that programs beside the match use, mostly on the same computer.
//
// Such a server has no password. Other sites can make a browser send requests to it, under names that
// resolve to this computer: [OwnHost] finds them.
package localhttp

import (
	"log"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"time"
)

// Limits of a server.
const (
	headerTimeout = 10 * time.Second
	idleTimeout   = 2 * time.Minute
	writeTimeout  = time.Minute
	maxHeader     = 16 << 10
)

// NewServer returns a server that limits the number of connections and their times. At the limit, the
// oldest connection ends, of those without a request if there are any.
func NewServer(handler http.Handler, logger *log.Logger) *http.Server {
	var open conns
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, WriteTimeout: writeTimeout, MaxHeaderBytes: maxHeader, ErrorLog: logger,
		ConnState: open.changed,
	}
	server.RegisterOnShutdown(open.end)
	return server
}

// httpPort is the port that browsers leave out.
const httpPort = 80

// OwnHost reports whether the Host of a request is the address of the listener, or localhost with
// its port. The name of another site could resolve to this computer.
func OwnHost(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if !ok {
		return false
	}
	host, port, err := net.SplitHostPort(r.Host)
	if err != nil && local.Port == httpPort {
		host, port, err = net.SplitHostPort(r.Host + ":" + strconv.Itoa(httpPort))
	}
	if err != nil || port != strconv.Itoa(local.Port) {
		return false
	}
	if host == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(host)
	own, _ := netip.AddrFromSlice(local.IP)
	return err == nil && addr.Zone() == "" && addr.Unmap() == own.Unmap()
}
