package gamespy

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strings"
)

const (
	// maxLogin limits the bytes that each side sends before the list.
	maxLogin = 1024

	usualChallenge = 6 // bytes

	formCompact = "cmp"
	loginVer    = "1.6" // gamever in a login, different from gameVer
)

// A ListClient requests the list of servers on one TCP connection. The zero value is ready to use:
//
//	master  \basic\\secure\LRPOPQ
//	client  \gamename\bcommander\gamever\1.6\location\0\validate\hMwdTNWS\final\\queryid\1.1\
//	client  \list\cmp\gamename\bcommander\final\
//	master  the list, then closes the connection
type ListClient struct {
	Key  string // key of the challenge; "" means SecretKey
	Text bool   // requests the text form in place of the compact form

	received []byte
	asked    bool
}

// Receive takes bytes from the master and returns the bytes to send, or nil. It returns
// [ErrNotText], or an error wrapping [ErrEnctype], [ErrChallenge] or [ErrLimit].
func (c *ListClient) Receive(b []byte) (send []byte, err error) {
	limit := maxLogin
	if c.asked {
		limit = MaxText
	}
	if size := len(c.received) + len(b); size > limit {
		return nil, alone("master's answer", limit, tooMany(ErrLimit, size, "bytes", limit))
	}
	c.received = append(c.received, b...)
	if c.asked || len(c.received) == 0 {
		return nil, nil
	}
	m, err := Parse(c.received)
	if err != nil {
		return nil, err
	}
	if !challengeComplete(&m) {
		return nil, nil
	}
	c.asked, c.received = true, nil
	return c.login(m.Pairs)
}

// challengeComplete reports whether a complete challenge has arrived. A challenge at the
// end of the text has no end mark.
func challengeComplete(m *Message) bool {
	for i, p := range m.Pairs {
		if p.Key.is("secure") {
			return len(p.Value) >= usualChallenge || i < len(m.Pairs)-1 || m.Ending == Trailing
		}
	}
	return false
}

// login returns the login and the list request.
func (c *ListClient) login(greeting Pairs) ([]byte, error) {
	if err := greeting.enctype(); err != nil {
		return nil, err
	}
	challenge, _ := greeting.Get("secure")
	answer, err := Validate(orKey(c.Key), string(challenge))
	if err != nil {
		return nil, err
	}
	b := []byte(`\gamename\` + GameName + `\gamever\` + loginVer + `\location\0\validate\`)
	b = append(b, answer...)
	b = append(b, `\final\\queryid\1.1\\list\`...)
	if !c.Text {
		b = append(b, formCompact...)
	}
	return append(b, `\gamename\`+GameName+finalText...), nil
}

// Whole reports whether the received bytes look like a complete list. The addresses of a compact
// list can contain \final\, so prefer to wait until the master closes the connection.
func (c *ListClient) Whole() bool {
	entries, ok := bytes.CutSuffix(c.received, []byte(finalText))
	return c.asked && ok && (c.Text || len(entries)%entrySize == 0)
}

// Servers returns the list after the master has closed the connection. It returns the errors
// of [ParseCompactList] or [ParseTextList], or an error wrapping [io.ErrUnexpectedEOF] if
// the master has sent no challenge or no list.
func (c *ListClient) Servers() ([]netip.AddrPort, error) {
	switch {
	case !c.asked:
		return nil, alone("challenge", len(c.received), io.ErrUnexpectedEOF)
	case len(c.received) == 0:
		return nil, alone("list", 0, io.ErrUnexpectedEOF) // the master refused the login
	case c.Text:
		return ParseTextList(c.received)
	}
	return ParseCompactList(c.received)
}

func orKey(key string) string {
	if key == "" {
		return SecretKey
	}
	return key
}

// A ListServer is the master's side of a list connection. Send Greeting, pass received
// bytes to Receive until it returns a request, send the list and close.
type ListServer struct {
	Key       string // key of the challenge; "" means SecretKey
	Challenge string // required, 1 to MaxChallenge bytes; see NewChallenge

	received []byte
}

// ListRequest is a client's request for a list.
type ListRequest struct {
	Login    Pairs // pairs of the login, including validate
	GameName Text  // game of the servers
	Form     Text  // "cmp" for the compact form, any other for the text form
}

// Greeting returns the bytes to send after accepting the connection.
func (s *ListServer) Greeting() []byte {
	return []byte(`\basic\\secure\` + s.Challenge)
}

// Receive takes bytes from the client. It returns nil, nil until the login and the request are
// complete. The error is [ErrNotText] or an error of [Pairs.Verify], or wraps [ErrLimit].
func (s *ListServer) Receive(b []byte) (*ListRequest, error) {
	if size := len(s.received) + len(b); size > maxLogin {
		return nil, alone("client's request", maxLogin, tooMany(ErrLimit, size, "bytes", maxLogin))
	}
	s.received = append(s.received, b...)
	switch {
	case len(s.received) == 0:
		return nil, nil
	case !IsGameSpy(s.received):
		return nil, ErrNotText
	}
	login, rest, ok := cutFinal(parseStream(string(s.received[1:])))
	if !ok {
		return nil, nil
	}
	if err := login.Verify(orKey(s.Key), s.Challenge); err != nil {
		return nil, err
	}
	list, _, ok := cutFinal(rest)
	if !ok {
		return nil, nil
	}
	r := &ListRequest{Login: login}
	r.GameName, _ = list.Get("gamename")
	r.Form, _ = list.Get("list")
	return r, nil
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
			pairs = append(pairs, Pair{Text(key), Text(value)})
			rest = after
		}
	}
}

// cutFinal returns the pairs before and after the first final.
func cutFinal(pairs Pairs) (before, after Pairs, ok bool) {
	i := slices.IndexFunc(pairs, func(p Pair) bool { return p.Key.is("final") })
	if i < 0 {
		return pairs, nil, false
	}
	return pairs[:i:i], pairs[i+1:], true
}

// AppendList appends the list to dst in the requested form. It returns the errors of
// [AppendCompactList] or [AppendTextList].
func (r *ListRequest) AppendList(dst []byte, servers []netip.AddrPort) ([]byte, error) {
	if r.Form.is(formCompact) {
		return AppendCompactList(dst, servers)
	}
	return AppendTextList(dst, servers)
}

// entrySize is the size of a compact list entry in bytes.
const entrySize = 6

// ParseCompactList parses a master's list in the compact form, which the game requests as cmp:
//
//	offset  size  field
//	0       4     IPv4 address, big-endian
//	4       2     port, big-endian; and so on for each server
//	6n      7     \final\
//
// It returns the complete entries of a truncated list and an error wrapping [io.ErrUnexpectedEOF].
// The error wraps [ErrLimit] for more than [MaxText] bytes. Evidence: observed.
func ParseCompactList(list []byte) ([]netip.AddrPort, error) {
	if len(list) > MaxText {
		return nil, alone("list", MaxText, tooMany(ErrLimit, len(list), "bytes", MaxText))
	}
	entries, whole := bytes.CutSuffix(list, []byte(finalText)) // an address may contain a backslash
	servers := make([]netip.AddrPort, 0, len(entries)/entrySize)
	for ; len(entries) >= entrySize; entries = entries[entrySize:] {
		addr := netip.AddrFrom4([4]byte(entries))
		servers = append(servers, netip.AddrPortFrom(addr, binary.BigEndian.Uint16(entries[4:])))
	}
	n := len(servers)
	switch {
	case len(entries) > 0:
		return servers, &Error{"entry", n, n * entrySize, io.ErrUnexpectedEOF}
	case !whole:
		return servers, alone("end of list", len(list), io.ErrUnexpectedEOF)
	}
	return servers, nil
}

// AppendCompactList appends a compact list to dst. On error it returns dst unchanged. The error
// wraps [ErrAddress] if an address is not IPv4, or [ErrLimit] for more than 10,921 servers.
func AppendCompactList(dst []byte, servers []netip.AddrPort) ([]byte, error) {
	n := len(dst)
	for i, s := range servers {
		addr := s.Addr().Unmap()
		if !addr.Is4() {
			return dst[:n], &Error{"entry", i, -1, fmt.Errorf("%w: %v is not IPv4", ErrAddress, s)}
		}
		a := addr.As4()
		dst = append(dst, a[:]...)
		dst = binary.BigEndian.AppendUint16(dst, s.Port())
	}
	return endList(dst, n)
}

// ParseTextList parses a master's list in the text form and ignores other keys:
//
//	\ip\a.b.c.d:port\ip\a.b.c.d:port...\final\
//
// At an invalid address or a missing end, it returns the entries before and an error wrapping
// [ErrAddress] or [io.ErrUnexpectedEOF]. Other errors are [ErrNotText] and [ErrLimit]. Evidence:
// documented.
func ParseTextList(list []byte) ([]netip.AddrPort, error) {
	switch {
	case !IsGameSpy(list):
		return nil, ErrNotText
	case len(list) > MaxText:
		return nil, alone("list", MaxText, tooMany(ErrLimit, len(list), "bytes", MaxText))
	}
	text, whole := strings.CutSuffix(string(list), finalText)
	var servers []netip.AddrPort
	for rest, more := strings.CutPrefix(text, `\`); more; {
		var key, value string
		offset := len(text) - len(rest)
		key, rest, _ = strings.Cut(rest, `\`)
		value, rest, more = strings.Cut(rest, `\`)
		if !Text(key).is("ip") {
			continue
		}
		s, err := netip.ParseAddrPort(value)
		if err != nil || s.Addr().Zone() != "" {
			return servers, &Error{"entry", len(servers), offset, fmt.Errorf("%w: %.40q", ErrAddress, value)}
		}
		servers = append(servers, s)
	}
	if !whole {
		return servers, alone("end of list", len(list), io.ErrUnexpectedEOF)
	}
	return servers, nil
}

// AppendTextList appends a list in the text form to dst. On error it returns dst unchanged.
// The error wraps [ErrAddress], or [ErrLimit] for more than [MaxText] bytes.
func AppendTextList(dst []byte, servers []netip.AddrPort) ([]byte, error) {
	n := len(dst)
	for i, s := range servers {
		if !s.IsValid() || s.Addr().Zone() != "" {
			return dst[:n], &Error{"entry", i, -1, fmt.Errorf("%w: %v", ErrAddress, s)}
		}
		dst = append(dst, `\ip\`...)
		dst = s.AppendTo(dst)
	}
	return endList(dst, n)
}

func endList(dst []byte, n int) ([]byte, error) {
	dst = append(dst, finalText...)
	if size := len(dst) - n; size > MaxText {
		return dst[:n], alone("list", -1, tooMany(ErrLimit, size, "bytes", MaxText))
	}
	return dst, nil
}
