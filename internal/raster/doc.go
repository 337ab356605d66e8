// Package raster says whether bytes are an image that models take.
//
//	if media := raster.Media(data); media != "" {
//		err := raster.Check(media, data) // why providers would refuse it
//	}
//
// Invariant: an image that passes is one that no provider refuses, as far as
// can be told without drawing it: an image that was sent stays in the
// conversation, and every later request would be refused with it.
//
// It does not make images smaller, and does not look at names of files.
package raster
