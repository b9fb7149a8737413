package fetch

import "golang.org/x/sys/windows"

// Errors of the system for a socket that cannot be made or connected. Package syscall has constants
// of the same names with numbers of its own, which no system call returns.
var (
	codesFull = []error{windows.WSAEMFILE, windows.WSAENOBUFS,
		windows.ERROR_TOO_MANY_OPEN_FILES, windows.ERROR_NOT_ENOUGH_MEMORY}
	codesNoAddress = []error{windows.WSAEADDRNOTAVAIL}
	codesNoRoute   = []error{windows.WSAENETUNREACH, windows.WSAEHOSTUNREACH, windows.WSAENETDOWN}
	codesRefused   = []error{windows.WSAECONNREFUSED, windows.ERROR_CONNECTION_REFUSED}
	codesReset     = []error{windows.WSAECONNRESET, windows.WSAECONNABORTED, windows.WSAESHUTDOWN,
		windows.ERROR_NETNAME_DELETED}
	codesTimeout = []error{windows.WSAETIMEDOUT}
)
