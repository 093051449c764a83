//go:build unix

package feed_test

import (
	"context"
	"os"
	"testing"
	"time"

	"electop/model"
	"electop/model/history"
	"electop/zkwatch/feed"
)

// BenchmarkOpen opens half an hour of churn among 50 candidates: until the first
// state is shown, and until any moment can be gone to.
func BenchmarkOpen(b *testing.B) {
	file, n := churnFile(b, 30*time.Minute)
	info, err := os.Stat(file)
	if err != nil {
		b.Fatal(err)
	}
	var first, whole, cpu time.Duration
	for b.Loop() {
		began, cpuBefore := time.Now(), processorTime(b)
		p, err := feed.OpenPlayback(file, 1)
		if err != nil {
			b.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		go func() { done <- p.Run(ctx, func(s string) { b.Error(s) }) }()
		for p.State().Phase == model.Unseen {
			<-p.Dirty()
		}
		first += time.Since(began)
		for end := newStory().at.Add(30 * time.Minute); ; {
			if _, last := p.Span(); !last.Before(end) {
				break
			}
			time.Sleep(time.Millisecond)
		}
		if _, ok := p.Seek(0, history.MoveToLast); !ok {
			b.Fatal("no moments")
		}
		whole += time.Since(began)
		cpu += processorTime(b) - cpuBefore
		cancel()
		<-done
	}
	b.ReportMetric(float64(info.Size())/(1<<20), "MB")
	b.ReportMetric(float64(n), "observations")
	b.ReportMetric(first.Seconds()*1000/float64(b.N), "ms-first")
	b.ReportMetric(whole.Seconds()*1000/float64(b.N), "ms-whole")
	b.ReportMetric(cpu.Seconds()*1000/float64(b.N), "ms-cpu") // of all processors
}
