package process

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// FindsAll says that members finds processes which left the group.
const FindsAll = true

// proc is one line of the process table.
type proc struct {
	pid, parent, group, session int
	dead                        bool // a zombie, which nothing can end
	started                     string
}

// Alive tells whether the group still has a living process.
func (p *Process) Alive() bool {
	if !p.grouped() {
		return false
	}
	for _, q := range processes() {
		if !q.dead && q.group == p.PID {
			return true
		}
	}
	return false
}

// members is the living processes of the command: its session, those that
// left it and carry the marker, and the descendants of them all.
func (p *Process) members() []int {
	all := processes()
	in := map[int]bool{}
	for _, q := range all {
		if q.session == p.PID || q.group == p.PID || marked(q.pid, p.marker+"\x00") {
			in[q.pid] = true
		}
	}
	return living(all, in)
}

// marked tells whether the environment that the process began with has a
// marker with that beginning. One that we may not look at has none.
func marked(pid int, marker string) bool {
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		return false
	}
	entry := []byte(MarkerName + "=" + marker)
	return bytes.HasPrefix(env, entry) || bytes.Contains(env, append([]byte{0}, entry...))
}

// living adds to in the descendants of those in it, and lists who lives.
func living(all []proc, in map[int]bool) []int {
	for grown := true; grown; {
		grown = false
		for _, q := range all {
			if !in[q.pid] && in[q.parent] {
				in[q.pid], grown = true, true
			}
		}
	}
	delete(in, os.Getpid())
	var pids []int
	for _, q := range all {
		if in[q.pid] && !q.dead {
			pids = append(pids, q.pid)
		}
	}
	return pids
}

// processes is the process table as far as /proc shows it.
func processes() []proc {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	all := make([]proc, 0, len(names))
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			if q, ok := procStatus(pid); ok {
				all = append(all, q)
			}
		}
	}
	return all
}

// procStatus reads /proc/PID/stat, whose second field is a name in parentheses
// that may hold anything.
func procStatus(pid int) (proc, bool) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return proc{}, false
	}
	_, rest, _ := strings.Cut(string(b[max(0, bytes.LastIndexByte(b, ')')):]), " ")
	f := strings.Fields(rest)
	if len(f) < 20 {
		return proc{}, false
	}
	q := proc{pid: pid, dead: f[0] == "Z" || f[0] == "X", started: f[19]}
	q.parent, _ = strconv.Atoi(f[1])
	q.group, _ = strconv.Atoi(f[2])
	q.session, _ = strconv.Atoi(f[3])
	return q, true
}

// Owner is the beginning of all markers of this process. The start time is in
// it because process numbers come again.
func Owner() string {
	self, _ := procStatus(os.Getpid())
	return fmt.Sprintf("%d-%s-", os.Getpid(), self.started)
}

// Living is the living processes that carry a marker with that beginning, and
// their descendants.
func Living(prefix string) []int {
	all := processes()
	in := map[int]bool{}
	for _, q := range all {
		if marked(q.pid, prefix) {
			in[q.pid] = true
		}
	}
	return living(all, in)
}

// Lives tells whether there is a process with that number that is not a zombie.
func Lives(pid int) bool {
	q, ok := procStatus(pid)
	return ok && !q.dead
}

// EndMarked ends by force whatever carries a marker with that beginning, and
// tells how many it found.
func EndMarked(prefix string) (found int) {
	in := map[int]bool{}
	WaitFor(killTime, nil, func() bool {
		pids := Living(prefix)
		for _, pid := range pids {
			in[pid] = true
			_ = unix.Kill(pid, unix.SIGKILL)
		}
		return len(pids) == 0
	})
	return len(in)
}

// EndOrphans ends by force what was left by a MiniCode that was itself
// killed: all that carries the marker of an owner that lives no more. It tells
// how many processes it found; on systems other than Linux it finds none.
// Processes of other process namespaces are left alone, since their owners'
// numbers mean nothing here.
func EndOrphans() (found int) {
	own, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return 0
	}
	owners := map[string]bool{}
	for _, q := range processes() {
		env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", q.pid))
		if err != nil {
			continue
		}
		ns, _ := os.Readlink(fmt.Sprintf("/proc/%d/ns/pid", q.pid))
		for kv := range bytes.SplitSeq(env, []byte{0}) {
			marker, ok := bytes.CutPrefix(kv, []byte(MarkerName+"="))
			f := strings.Split(string(marker), "-")
			if !ok || ns != own || len(f) != 4 {
				continue
			}
			pid, err := strconv.Atoi(f[0])
			if at, lives := procStatus(pid); err == nil && (!lives || at.started != f[1]) {
				owners[f[0]+"-"+f[1]+"-"] = true
			}
		}
	}
	for o := range owners {
		found += EndMarked(o)
	}
	return found
}
