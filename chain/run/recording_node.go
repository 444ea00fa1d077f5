package run

import "github.com/cbpolicy/cbpolicy/internal/document"

// ReadRecording reads a recording that stands inside another document. Its
// faults are reported there.
func ReadRecording(d *document.Document, n *document.Node) *Recording {
	r := recordingReader{Document: d, recording: &Recording{File: d.File}}
	r.read(n)
	return r.recording
}
