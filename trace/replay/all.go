package replay

import (
	"context"
	"iter"

	"github.com/cbpolicy/cbpolicy/trace"
)

// All replays runs, some of them at the same time, and yields what became of
// each, in their order. A run that could not be read is the error that stood
// in its place, after which the next follows; an error of the replay itself,
// such as that of the context, is the last.
func All(ctx context.Context, runs iter.Seq2[*trace.Run, error], workers int, o Options) iter.Seq2[*Result, error] {
	return func(yield func(*Result, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		// Each run that is under way is a channel of its own, so that they
		// come out in the order in which they went in.
		queue := make(chan chan replayed, max(workers, 1)-1)
		go feed(ctx, runs, queue, o)
		for pending := range queue {
			r := <-pending
			if !yield(r.result, r.err) || r.fatal {
				cancel()
				for range queue { // until those who feed it have noticed
				}
				return
			}
		}
	}
}

// replayed is a run's result, or what went wrong.
type replayed struct {
	result *Result
	err    error
	fatal  bool
}

func feed(ctx context.Context, runs iter.Seq2[*trace.Run, error], queue chan<- chan replayed, o Options) {
	defer close(queue)
	for run, err := range runs {
		pending := make(chan replayed, 1)
		if err != nil {
			pending <- replayed{err: err}
		} else {
			go func() {
				result, err := Run(ctx, run, o)
				pending <- replayed{&result, err, err != nil}
			}()
		}
		select {
		case queue <- pending:
		case <-ctx.Done():
			return
		}
	}
}
