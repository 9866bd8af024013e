package udp

import "syscall"

// Errors of Winsock. Package syscall has few of them.
const (
	wsaEINTR        syscall.Errno = 10004
	wsaEACCES       syscall.Errno = 10013 // a firewall
	wsaEWOULDBLOCK  syscall.Errno = 10035
	wsaEMSGSIZE     syscall.Errno = 10040
	wsaENETDOWN     syscall.Errno = 10050
	wsaENETUNREACH  syscall.Errno = 10051
	wsaENETRESET    syscall.Errno = 10052
	wsaECONNABORTED syscall.Errno = 10053
	wsaECONNRESET   syscall.Errno = 10054
	wsaENOBUFS      syscall.Errno = 10055
	wsaECONNREFUSED syscall.Errno = 10061
	wsaEHOSTDOWN    syscall.Errno = 10064
	wsaEHOSTUNREACH syscall.Errno = 10065
)

// transient holds the errors of reads and writes that concern one datagram only.
var transient = [...]error{
	wsaEINTR, wsaEACCES, wsaEWOULDBLOCK, wsaEMSGSIZE, wsaENETDOWN, wsaENETUNREACH, wsaENETRESET,
	wsaECONNABORTED, wsaECONNRESET, wsaENOBUFS, wsaECONNREFUSED, wsaEHOSTDOWN, wsaEHOSTUNREACH,
}

// portClosed is the error with which the system reports a closed port.
const portClosed = wsaECONNRESET
