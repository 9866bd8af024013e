package gamespy

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net/netip"
	"strings"
)

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
