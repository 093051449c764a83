package feed

import (
	"io"

	"electop/model/history"
)

// NewRecorder begins a recording in w, without a bound of its size.
func NewRecorder(w io.Writer, h history.Header) (*Recorder, error) { return begin(w, h) }

// OpenPlaybackMax is OpenPlayback with another limit: whole replaces playbackWhole.
func OpenPlaybackMax(path string, speed float64, whole int64) (*Playback, error) {
	r, err := OpenRecording(path)
	if err != nil {
		return nil, err
	}
	return newPlayback(r, speed, whole), nil
}
