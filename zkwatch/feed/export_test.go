package feed

import (
	"io"

	"electop/model/history"
)

func NewRecorder(w io.Writer, h history.Header) (*Recorder, error) { return begin(w, h) }

func OpenPlaybackMax(path string, speed float64, whole int64) (*Playback, error) {
	r, err := OpenRecording(path)
	if err != nil {
		return nil, err
	}
	return newPlayback(r, speed, whole), nil
}
