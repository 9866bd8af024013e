package udp

import "syscall"

// transient is empty: Plan 9 has no error numbers.
var transient [0]error

// portClosed is the error with which the system reports a closed port.
const portClosed = syscall.ErrorString("connection refused")
