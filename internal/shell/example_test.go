package shell_test

import (
	"fmt"

	"github.com/minicode-go/minicode/internal/shell"
)

func ExampleAnalyse() {
	env := shell.Env{Cwd: "/home/me/project", Root: "/home/me/project", Home: "/home/me"}
	a := shell.Analyse("git log -3 && timeout 9 rm -rf ~ > log.txt", env)
	for _, part := range a.Parts {
		fmt.Printf("%s (%s): %s\n", part.Class, part.Reason, part.Text)
	}
	fmt.Println(a.Class, a.Writes)
	for _, e := range a.Effects() {
		fmt.Println(e.Kind, e.Target)
	}
	// Output:
	// read_only (): git log -3
	// read_only (writes /home/me/project/log.txt): timeout 9 rm -rf ~
	// critical (removes the home directory): rm -rf ~
	// critical [> log.txt]
	// exec git log -3
	// exec timeout 9 rm -rf ~
	// write /home/me/project/log.txt
	// exec rm -rf ~
	// write /home/me
}
