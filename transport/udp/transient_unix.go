//go:build !windows && !plan9

package udp

import "syscall"

// transient is the errors of a read or write that concern one datagram only.
var transient = [...]error{
	syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.ECONNABORTED,
	syscall.EHOSTUNREACH, syscall.ENETUNREACH, syscall.ENETDOWN,
	syscall.EMSGSIZE, syscall.ENOBUFS, syscall.ENOMEM, syscall.EINTR, syscall.EAGAIN,
	syscall.EPERM, syscall.EACCES, // a firewall
}

// portClosed is the error by which the system reports that no program has a port.
const portClosed = syscall.ECONNREFUSED
