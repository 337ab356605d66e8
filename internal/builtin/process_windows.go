package builtin

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// findsAll says that members finds processes which left the group: nothing
// leaves a job.
const findsAll = true

// processGroup is a job object. It ends all its processes when its last handle is
// closed, so that they go with us however we end.
type processGroup struct{ job windows.Handle }

func newProcessGroup(first *os.Process) processGroup {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return processGroup{}
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
	return processGroup{job}
}

func (g processGroup) close() {
	if g.job != 0 {
		_ = windows.CloseHandle(g.job)
	}
}

func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW, HideWindow: true}
}

// request has no counterpart for programs without a console: they are ended
// when the grace is over.
func (p *process) request() {}

func (p *process) force() { _ = windows.TerminateJobObject(p.group.job, 1) }

// accounting is JOBOBJECT_BASIC_ACCOUNTING_INFORMATION.
type accounting struct {
	userTime, kernelTime, periodUserTime, periodKernelTime int64
	faults, total, active, terminated                      uint32
}

func (p *process) alive() bool { return len(p.members()) > 0 }

// members has as many entries as the job has processes; what is in them does
// not matter.
func (p *process) members() []int {
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
	if git := lookPath("git", env, `C:\`); git != "" {
		places = append(places, filepath.Join(filepath.Dir(filepath.Dir(git)), "bin", "bash.exe"))
	}
	for _, root := range []string{"ProgramFiles", "ProgramFiles(x86)", "LocalAppData"} {
		if dir := envValue(env, root); dir != "" {
			places = append(places, filepath.Join(dir, "Git", "bin", "bash.exe"), filepath.Join(dir, "Programs", "Git", "bin", "bash.exe"))
		}
	}
	if bash := lookPath("bash", env, `C:\`); bash != "" && !strings.Contains(strings.ToLower(bash), "system32") {
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

func owner() string { return fmt.Sprintf("%d-0-", os.Getpid()) }

func endMarked(string) int { return 0 }

// EndOrphans ends what was left by a MiniCode that was itself killed. Here
// nothing is: see processGroup.
func EndOrphans() int { return 0 }
