// Package skill finds knowledge that is loaded when it is wanted: skills in
// the Agent Skills format, and custom commands.
//
// A skill is a directory with a SKILL.md: front matter that says its name and
// what it is for, instructions, and files that these speak of. [Find] reads the
// front matter of all of them, as leniently as makes sense of it; [Catalog].Text
// goes into the system prompt, and the tool load_skill gives the rest when the
// model asks for it. A command is a Markdown file that becomes a prompt.
//
//	places := skill.Places{Project: root, Cwd: cwd, Home: home, Config: dirs.Config}
//	catalog := skill.Find(places.Skills())
//	fmt.Println(catalog.Text(0))  // for the system prompt
//	load, ok := catalog.Tool(limit) // load_skill, if there is anything to load
//
//	commands := skill.FindCommands(places.Commands())
//	prompt := commands.All[0].Expand(`"an argument" another`)
//
//	problems := skill.Validate("my-skill") // strict, as skills-ref is
//
// Invariants. Whatever a repository holds, finding is done soon, waits for no
// pipe or device, and reads nothing outside of the project: links of a project
// that lead out of it are told and left out. Names are unique and safe to
// print; no name leads out of a root. The same files give the same bytes.
//
// What a skill allows ([Catalog].Allowances) is data: the package knows no
// permissions, and the skills of a project that is not trusted are withheld if
// they ask for any. It keeps no state either: which skills are loaded is a fold
// over messages ([Loads]). Commands run no shell to fill in their text.
package skill
