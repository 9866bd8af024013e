package gamespy

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"io"
	"net/netip"
	"strings"

	"github.com/bcwire/bcwire/stream"
)

const (
	// maxLogin limits the bytes that each side sends before the list.
	maxLogin = 1024

	usualChallenge = 6 // bytes
	entrySize      = 6 // bytes of a server in a compact list

	errorText = `\error\` // begins an error in place of a list
)

// A ListClient requests the list of servers on one TCP connection. The zero value is ready to use:
//
//	master  \basic\\secure\LRPOPQ
//	client  \gamename\bcommander\gamever\1.6\location\0\validate\hMwdTNWS\final\\queryid\1.1\
//	client  \list\cmp\gamename\bcommander\final\
//	master  the list, then closes the connection
//
// It requests the compact form cmp, as the game does:
//
//	offset  size  field
//	0       4     IPv4 address, big-endian
//	4       2     port, big-endian; and so on for each server
//	6n      7     \final\
//
// A text in place of the list, such as \error\No such game\final\, is an error.
//
// Evidence: observed.
type ListClient struct {
	received []byte
	asked    bool
}

// Receive takes bytes from the master and returns the bytes to send, or nil. It returns
// an error wrapping [stream.ErrInvalid], [ErrChallenge], or [stream.ErrLimit] for more than 1 KiB before the
// list or a list of more than 64 KiB.
func (c *ListClient) Receive(b []byte) (send []byte, err error) {
	limit := maxLogin
	if c.asked {
		limit = maxText
	}
	if c.received, err = collect(c.received, b, "master's answer", limit); err != nil || c.asked || len(c.received) == 0 {
		return nil, err
	}
	m, err := Parse(c.received)
	if err != nil || !challengeComplete(&m) {
		return nil, err
	}
	c.asked, c.received = true, nil
	return login(m.Pairs)
}

// collect appends received bytes.
func collect(received, b []byte, what string, limit int) ([]byte, error) {
	if size := len(received) + len(b); size > limit {
		return received, alone(what, limit, tooMany(size, "bytes", limit))
	}
	return append(received, b...), nil
}

// challengeComplete reports whether a complete challenge has arrived. A challenge at the
// end of the text has no end mark.
func challengeComplete(m *Message) bool {
	i := m.Pairs.index("secure")
	return i >= 0 && (len(m.Pairs[i].Value) >= usualChallenge || i < len(m.Pairs)-1 || m.Ending == Trailing)
}

// login returns the login and the list request.
func login(greeting Pairs) ([]byte, error) {
	if err := greeting.enctype(); err != nil {
		return nil, err
	}
	challenge, _ := greeting.Get("secure")
	answer, err := Validate(SecretKey, wire(challenge))
	if err != nil {
		return nil, err
	}
	return []byte(`\gamename\` + gameName + `\gamever\1.6\location\0\validate\` + answer + `\final\\queryid\1.1\` +
		`\list\cmp\gamename\` + gameName + finalText), nil
}

// Whole reports whether the received bytes look like a complete list. The addresses of a compact
// list can contain \final\, so prefer to wait until the master closes the connection.
func (c *ListClient) Whole() bool {
	entries, ok := bytes.CutSuffix(c.received, []byte(finalText))
	return c.asked && ok && (len(entries)%entrySize == 0 || isTextReply(entries))
}

// Servers returns the list after the master has closed the connection. If the list is truncated, it
// returns the complete entries and an error wrapping [io.ErrUnexpectedEOF]. It returns such an
// error, too, if the master has sent no challenge or no list, or a text in place of the list. If the text
// is an error, the error wraps [ErrRefused].
func (c *ListClient) Servers() ([]netip.AddrPort, error) {
	list := c.received
	entries, whole := bytes.CutSuffix(list, []byte(finalText)) // an address may contain a backslash
	text := isTextReply(entries)
	message, refused := bytes.CutPrefix(entries, []byte(errorText))
	switch {
	case refused:
		return nil, fmt.Errorf("%w: %.200q", ErrRefused, message)
	case !c.asked:
		return nil, alone("challenge", len(list), io.ErrUnexpectedEOF)
	case len(list) == 0:
		return nil, alone("list", 0, io.ErrUnexpectedEOF) // the master refused the login
	}
	servers := make([]netip.AddrPort, 0, len(entries)/entrySize)
	for ; len(entries) >= entrySize; entries = entries[entrySize:] {
		addr := netip.AddrFrom4([4]byte(entries))
		servers = append(servers, netip.AddrPortFrom(addr, binary.BigEndian.Uint16(entries[4:])))
	}
	n := len(servers)
	if text {
		servers = nil
	}
	switch {
	case len(entries) > 0 || text:
		return servers, &locatedError{"entry", n, n * entrySize, io.ErrUnexpectedEOF}
	case !whole:
		return servers, alone("end of list", len(list), io.ErrUnexpectedEOF)
	}
	return servers, nil
}

// isTextReply reports whether a master has sent a text before \final\ in place of a list: \key\value. A list with such
// an address, 92.105.112.92 for \ip\, is hardly ever such a text, which has letters up to the
// second backslash and is longer than an entry.
func isTextReply(text []byte) bool {
	if !isText(text) || len(text) <= 2*entrySize {
		return bytes.HasPrefix(text, []byte(errorText))
	}
	key, _, ok := bytes.Cut(text[1:], []byte(`\`))
	return ok && len(key) > 1 && string(key) != "final" && !bytes.ContainsFunc(key, func(r rune) bool { return r < 'a' || r > 'z' })
}

// A ListServer is the master's side of a list connection. Send Greeting, pass received
// bytes to Receive until it returns the list, send the list and close.
type ListServer struct {
	Challenge string // 1 to 128 bytes; the default is random

	received []byte
}

// Greeting returns the bytes to send after accepting the connection.
func (s *ListServer) Greeting() []byte {
	if s.Challenge == "" {
		var random [4]byte
		rand.Read(random[:]) // never fails
		s.Challenge = newChallenge(binary.BigEndian.Uint32(random[:]))
	}
	return []byte(`\basic\\secure\` + s.Challenge)
}

// Receive takes bytes from the client. When the login and the request are complete, it returns the
// list of servers in the requested form: compact if it is cmp, otherwise text. Before, it returns
// nil, nil. Evidence: the text form is documented:
//
//	\ip\a.b.c.d:port\ip\a.b.c.d:port...\final\
//
// The error wraps [ErrChallenge], or [stream.ErrLimit] if the client sends more than 1 KiB or the list has more
// than 64 KiB. It wraps [stream.ErrInvalid] if the client does not send text, or if an address does not fit the form: a
// compact list has only IPv4.
func (s *ListServer) Receive(b []byte, servers []netip.AddrPort) (list []byte, err error) {
	if s.received, err = collect(s.received, b, "client's request", maxLogin); err != nil || len(s.received) == 0 {
		return nil, err
	}
	if !isText(s.received) {
		return nil, errNotText
	}
	pairs := parseStream(string(s.received[1:]))
	end := pairs.index("final")
	if end < 0 {
		return nil, nil
	}
	if err := pairs[:end].verify(s.Challenge); err != nil {
		return nil, err
	}
	request := pairs[end+1:]
	if request.index("final") < 0 {
		return nil, nil
	}
	form, _ := request[:request.index("final")].Get("list")
	return encodeList(servers, strings.EqualFold(form, "cmp"))
}

// parseStream returns the pairs of consecutive messages, up to the last complete key. A
// message may end with a backslash, which looks like an empty key.
func parseStream(rest string) (pairs Pairs) {
	for {
		key, after, ok := strings.Cut(rest, `\`)
		if !ok {
			return pairs
		}
		rest = after
		if key != "" {
			value, after, _ := strings.Cut(rest, `\`)
			pairs = append(pairs, Pair{key, value})
			rest = after
		}
	}
}

// encodeList returns a list in the compact or the text form.
func encodeList(servers []netip.AddrPort, compact bool) (list []byte, err error) {
	for i, s := range servers {
		a := s.Addr()
		switch {
		case compact && a.Unmap().Is4():
			ip := a.As4()
			list = binary.BigEndian.AppendUint16(append(list, ip[:]...), s.Port())
		case !compact && s.IsValid() && a.Zone() == "":
			list = s.AppendTo(append(list, `\ip\`...))
		case compact:
			return nil, &locatedError{"entry", i, -1, fmt.Errorf("%w: %v is not IPv4", stream.ErrInvalid, s)}
		default:
			return nil, &locatedError{"entry", i, -1, fmt.Errorf("%w: address %v", stream.ErrInvalid, s)}
		}
	}
	list = append(list, finalText...)
	if len(list) > maxText {
		return nil, alone("list", -1, tooMany(len(list), "bytes", maxText))
	}
	return list, nil
}
