//go:build !unix

package skill

// nonblock is of no use here: such systems have no pipes among their files.
const nonblock = 0
