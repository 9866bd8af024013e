// Package udp runs the sessions of package transport on UDP sockets: Serve runs a Hub for a
// server, Dial connects a client.
//
//	conn, err := udp.Dial(ctx, "127.0.0.1:22101", udp.Options{Name: "Ann"})
//	if err != nil {
//		log.Fatal(err)
//	}
//	defer conn.Close()
//	for m, err := range conn.Messages(ctx) {
//		...
//	}
//
// The package deciphers and enciphers the datagrams. Programs with an event loop of their
// own use package transport directly.
//
// # Servers
//
// [Serve] reads datagrams, calls the functions of a [Handler], and sends. It runs on the
// goroutine of its caller, and so do all functions of the Handler: they may use the Hub and
// its sessions without locks. Other goroutines, such as those of a console or a web page,
// reach the Hub through a [Loop].
//
// A function of the Handler that blocks stops the whole server: clients are disconnected
// after 45 seconds without an answer. A panic in a function of the Handler leaves Serve. The
// clients are not told, and the socket stays open.
//
// When its context ends, Serve accepts no more clients. It sends the last messages of
// [Handler].Close, disconnects all clients, and waits for them at most for CloseTimeout.
//
// # Clients
//
// [Dial] returns a [Conn] as soon as the host has accepted the client. A goroutine reads the
// socket until [Conn.Close] or the end of the session. Receive, Events and Messages return the
// payloads and system messages in their order. All methods are safe for concurrent use.
//
// A Conn retains the events that the program has not received, up to [Options].MaxUnread and
// MaxUnreadBytes. Beyond these it ends with [ErrUnread], rather than lose messages silently.
//
// # Errors
//
// A host that refuses a client makes Dial return [ErrFull], [ErrPassword], [ErrBanned] or
// [ErrRefused], each wrapped in an [*EndError] with the details. The same errors end a Conn,
// and also [ErrKicked], [ErrLeft], [ErrTimeout] and [ErrProtocol].
//
// Some systems report the fate of an earlier datagram as an error of the next read, for
// example ECONNREFUSED on Linux and WSAECONNRESET on Windows. [Transient] recognises such
// errors; a server continues after them.
//
// # Limits
//
// Serve retains no datagrams, and allocates nothing for a datagram in the steady state. Each
// Serve and each Conn has a buffer of 64 KiB for the longest datagram. The limits of sessions
// are in [transport.HubOptions] and [transport.Options].
package udp
