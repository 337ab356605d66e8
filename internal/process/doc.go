// Package process runs programs with all that they start: in a session of
// their own, without a terminal, found again and ended whole.
//
// The invariant: once [Process.End] has returned 0, nothing that the command
// started is left, whether it left its process group or not (on Linux; what the
// other systems can is said by [FindsAll]).
//
//	p, err := process.Start(process.Command{Argv: argv, Dir: dir, Env: env, Marker: process.Owner() + "1"}, &out)
//	...
//	select {
//	case <-p.Exited():
//	case <-ctx.Done():
//		p.End(process.StopGrace, nil)
//	}
//	p.Close()
//
// It judges nothing and bounds no output: who calls it does.
package process
