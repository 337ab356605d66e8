// Command minicode is a coding agent for the terminal. This package turns
// flags into options and the outcome into an exit code; everything else is
// done by the packages that it calls.
package main
