//go:build linux || darwin

package tui

import (
	"github.com/minicode-go/minicode/internal/tui/screentest"
)

// textScenes is text that is not as wide as it is long.
func textScenes() []scene {
	file := map[string]string{"文件.txt": "第一行\n\t制表符\n👨‍👩‍👧 家庭\n", "marks.txt": "e\u0301 n\u0303 a\u0308\nשלום עולם\nمرحبا\n"}
	return []scene{
		{name: "wide", prompt: "为什么测试失败?请看一下代码,然后告诉我原因,不要修改任何文件。", files: file, settled: true, reach: over, env: []string{"MODE=full-access"}, script: `
think 先看一下文件。然后再决定怎么做,因为我们还不知道原因。
say 我先看一下代码。
call read_file {"path":"文件.txt"}
call edit_file {"path":"文件.txt","search":"第一行","replace":"第二行"}
call run_command {"command":"echo 失败: 👨‍👩‍👧 🇩🇪 👍🏽 ❤️; exit 1"}

say "## 原因\n\n整数除法会丢掉**余数**,所以一千分给三个人只剩下九百九十九分,少了一分钱。\n\n- 👨‍👩‍👧 家庭\n- 👍🏽 好 🇩🇪\n\n| 分 | 人 | 结果 |\n|---|---|---|\n| 一千 | 三 | 三百三十三 |\n| 5 | 👨‍👩‍👧‍👦 | ok |\n\n~~~go\n// 注释\nx := \"字符串\"\n~~~"
`},
		{name: "marks", prompt: "e\u0301 a\u0308: what is שלום and مرحبا?", files: file, settled: true, reach: over, env: []string{"MODE=full-access"}, script: `
say "Combining marks e\u0301, a\u0308\u0323, and right-to-left: שלום עולם, مرحبا بالعالم."
call read_file {"path":"marks.txt"}
call run_command {"command":"printf 'a\\tb\\tc\\n\\033[31mred\\033[m\\rover\\n\\001\\002'; exit 3"}
call edit_file {"path":"marks.txt","search":"מרחב","replace":"x"}
call edit_file {"path":"marks.txt","search":"مرحبا","replace":"\tمرحبا\u202e evil"}

say "Tabs\tin text, and in code:\n\n` + "```" + `\na\tb\tc\n\tindented\n` + "```" + `\n\nA zero width\u200b space, a no\u00adbreak hyphen, an escape \u001b[31mred, and a bell \u0007."
`},
		{name: "typing", files: file, reach: func(_ *world, s *screentest.Screen) {
			s.WaitText(`default`)
			s.Type("为什么 👨‍👩‍👧 fails with e\u0301 and שלום, in a prompt that is longer than the window is wide, so that it must be broken?")
			breaks(s) // what comes at once is a paste
			s.Type("A second line")
			breaks(s)
			s.Paste("one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\neleven\ntwelve\n")
			s.WaitText(`Pasted`)
			s.Type(" and 漢")
			s.WaitText(`漢`)
			rest(s)
		}},
		{name: "plain", prompt: asks1, env: []string{"NO_COLOR=1", "MODE=full-access"}, files: project(), settled: true, alone: true, reach: over, script: plainScript},
		{name: "light", prompt: asks1, env: []string{"MODE=full-access"}, files: project(), settled: true, light: true, alone: true, reach: over, script: plainScript},
		{name: "sixteen", prompt: asks1, env: []string{"TERM=xterm", "MODE=full-access"}, files: project(), settled: true, alone: true, reach: over, script: plainScript},
	}
}

// breaks begins a line behind what is typed.
func breaks(s *screentest.Screen) {
	s.WaitFor(func(s *screentest.Screen) bool { x, _, _ := s.Cursor(); return x > 8 })
	s.Press("ctrl+j")
	s.WaitFor(func(s *screentest.Screen) bool { x, _, _ := s.Cursor(); return x == 2 })
}

const plainScript = `
think The test first.
say I look at the code.
call read_file {"path":"split.go"}
call read_file {"path":"gone.go"}
call edit_file {"path":"split.go","search":"cents / people","replace":"cents / max(1, people)"}

say "It is **done**, see ` + "`Split`" + `:\n\n> quoted\n\n- one\n- [two](https://example.com)\n\n` + "```go\\nreturn 1 // one\\n```" + `"
`
