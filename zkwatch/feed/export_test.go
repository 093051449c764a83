package feed

// OpenPlaybackMax is OpenPlayback with another bound of what can be gone to.
func OpenPlaybackMax(path string, speed float64, whole int64) (*Playback, error) {
	r, err := OpenRecording(path)
	if err != nil {
		return nil, err
	}
	return newPlayback(r, speed, whole), nil
}
