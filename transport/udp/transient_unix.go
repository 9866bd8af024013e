//go:build !windows && !plan9

package udp

import "syscall"

// transient holds the errors of reads and writes that concern one datagram only.
var transient = [...]error{
	syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.ECONNABORTED,
	syscall.EHOSTUNREACH, syscall.ENETUNREACH, syscall.ENETDOWN,
	syscall.EMSGSIZE, syscall.ENOBUFS, syscall.ENOMEM, syscall.EINTR, syscall.EAGAIN,
	syscall.EPERM, syscall.EACCES, // a firewall
}

// portClosed is the error with which the system reports a closed port.
const portClosed = syscall.ECONNREFUSED
