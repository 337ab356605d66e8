package htmltree

import (
	"iter"
	"slices"
	"strings"
)

// Node is an element or a text of a page.
type Node struct {
	Tag   string // in lower case; empty for a text
	Text  string // of a text, character references decoded
	Block bool   // it is a block, such as a paragraph, or holds one

	Parent, First, Last, Next *Node

	attrs []attr
	depth int
}

type attr struct{ name, value string }

// Attr is the value of the attribute, empty where the element has none.
func (n *Node) Attr(name string) string {
	for _, a := range n.attrs {
		if a.name == name {
			return a.value
		}
	}
	return ""
}

// Has is whether the element has the attribute, be it empty.
func (n *Node) Has(name string) bool {
	return slices.ContainsFunc(n.attrs, func(a attr) bool { return a.name == name })
}

// Is is whether the node is an element of one of these names.
func (n *Node) Is(tags ...string) bool { return n.Tag != "" && slices.Contains(tags, n.Tag) }

// Classes are the names in the class attribute, in lower case.
func (n *Node) Classes() []string { return strings.Fields(strings.ToLower(n.Attr("class"))) }

// HasClass is whether one of the names is among the classes.
func (n *Node) HasClass(names ...string) bool {
	return slices.ContainsFunc(n.Classes(), func(c string) bool { return slices.Contains(names, c) })
}

// Children are the nodes directly in the element.
func (n *Node) Children() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		for c := n.First; c != nil; c = c.Next {
			if !yield(c) {
				return
			}
		}
	}
}

// All is the node and everything in it, in the order of the page.
func (n *Node) All() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		for c := n; c != nil; c = c.after(n) {
			if !yield(c) {
				return
			}
		}
	}
}

// after is the node that comes after n in the tree under root.
func (n *Node) after(root *Node) *Node {
	if n.First != nil {
		return n.First
	}
	for ; n != root; n = n.Parent {
		if n.Next != nil {
			return n.Next
		}
	}
	return nil
}

// Find is the first element of one of these names in n, n itself included,
// or nil.
func (n *Node) Find(tags ...string) *Node {
	for c := range n.All() {
		if c.Is(tags...) {
			return c
		}
	}
	return nil
}

// TextContent is all text in the node, as it stands in the page.
func (n *Node) TextContent() string {
	var b strings.Builder
	for c := range n.All() {
		b.WriteString(c.Text)
	}
	return b.String()
}

func (n *Node) add(c *Node) {
	c.Parent, c.depth = n, n.depth+1
	if n.Last == nil {
		n.First = c
	} else {
		n.Last.Next = c
	}
	n.Last = c
	for p := c; c.Block && p != nil && (p == c || !p.Block); p = p.Parent {
		p.Block = true
	}
}
