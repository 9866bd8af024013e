package udp

import "syscall"

// transient is empty: Plan 9 has no numbers for errors.
var transient [0]error

// portClosed is the error by which the system reports that no program has a port.
const portClosed = syscall.ErrorString("connection refused")
