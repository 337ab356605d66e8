package process

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// FindsAll says that members finds processes which left the group: nothing
// leaves a job.
const FindsAll = true

// group is a job object. It ends all its processes when its last handle is
// closed, so that they go with us however we end.
type group struct{ job windows.Handle }

func newGroup(first *os.Process) group {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return group{}
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, _ = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	h, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(first.Pid))
	if err == nil {
		_ = windows.AssignProcessToJobObject(job, h)
		_ = windows.CloseHandle(h)
	}
	return group{job}
}

func (g group) close() {
	if g.job != 0 {
		_ = windows.CloseHandle(g.job)
	}
}

// Apart gives a process a group of its own and no console.
func Apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW, HideWindow: true}
}

// request has no counterpart for programs without a console: they are ended
// when the grace is over.
func (p *Process) request() {}

func (p *Process) force() { _ = windows.TerminateJobObject(p.group.job, 1) }

// accounting is JOBOBJECT_BASIC_ACCOUNTING_INFORMATION.
type accounting struct {
	userTime, kernelTime, periodUserTime, periodKernelTime int64
	faults, total, active, terminated                      uint32
}

func (p *Process) Alive() bool { return len(p.members()) > 0 }

// members has as many entries as the job has processes; what is in them does
// not matter.
func (p *Process) members() []int {
	var a accounting
	err := windows.QueryInformationJobObject(p.group.job, windows.JobObjectBasicAccountingInformation,
		uintptr(unsafe.Pointer(&a)), uint32(unsafe.Sizeof(a)), nil)
	if err != nil {
		return nil
	}
	return make([]int, a.active)
}

func exitCode(s *os.ProcessState) int {
	if s == nil {
		return -1
	}
	return s.ExitCode()
}

// findShell finds the bash of Git for Windows. The one in System32 starts
// Linux in a virtual machine, which has other paths: it is passed over.
func findShell(env []string) string {
	var places []string
	if git := Look("git", env, `C:\`); git != "" {
		places = append(places, filepath.Join(filepath.Dir(filepath.Dir(git)), "bin", "bash.exe"))
	}
	for _, root := range []string{"ProgramFiles", "ProgramFiles(x86)", "LocalAppData"} {
		if dir := Value(env, root); dir != "" {
			places = append(places, filepath.Join(dir, "Git", "bin", "bash.exe"), filepath.Join(dir, "Programs", "Git", "bin", "bash.exe"))
		}
	}
	if bash := Look("bash", env, `C:\`); bash != "" && !strings.Contains(strings.ToLower(bash), "system32") {
		places = append(places, bash)
	}
	for _, p := range places {
		if executable(p) != "" {
			return p
		}
	}
	return ""
}

func executable(path string) string {
	for _, ext := range []string{"", ".exe", ".cmd", ".bat", ".com"} {
		if ext == "" && filepath.Ext(path) == "" {
			continue
		}
		if info, err := os.Stat(path + ext); err == nil && info.Mode().IsRegular() {
			return path + ext
		}
	}
	return ""
}

// Owner is the beginning of all markers of this process.
func Owner() string { return fmt.Sprintf("%d-0-", os.Getpid()) }

// EndMarked has nothing to find here.
func EndMarked(string) int { return 0 }

// EndOrphans ends what was left by a MiniCode that was itself killed. Here
// nothing is: see group.
func EndOrphans() int { return 0 }
