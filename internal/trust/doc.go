// Package trust remembers which directories a person trusts, and for what:
// the settings of a repository that can run something or widen rights.
//
// The invariant: trust is for what was shown. When a repository brings
// something else than the person has seen, it is not trusted, whatever it is
// called and wherever it stands.
//
//	state, diff := store.Check(root, items)
//	if state != trust.Trusted {
//		// ask, showing diff, then
//		err = store.Add(root, items)
//	}
//
// It does not know what the items mean, and asks nobody.
package trust
