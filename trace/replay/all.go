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
	return Each(ctx, runs, workers, func(ctx context.Context, r *trace.Run) (*Result, error) {
		result, err := Run(ctx, r, o)
		return &result, err
	})
}

// Each makes something of every run, of as many at the same time as there are
// workers, and yields it in the order of the runs. Errors are as in All.
func Each[T any](ctx context.Context, runs iter.Seq2[*trace.Run, error], workers int, f func(context.Context, *trace.Run) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		// Each run that is under way is a channel of its own, so that they
		// come out in the order in which they went in.
		queue := make(chan chan made[T], max(workers, 1)-1)
		var cut error // why there are runs left; read once the queue is closed
		go func() {
			cut = feed(ctx, runs, queue, f)
			close(queue)
		}()
		for pending := range queue {
			m := <-pending
			if !yield(m.of, m.err) || m.fatal {
				cancel()
				for range queue { // until those who feed it have noticed
				}
				return
			}
		}
		if cut != nil {
			var none T
			yield(none, cut)
		}
	}
}

// made is what was made of a run, or what went wrong.
type made[T any] struct {
	of    T
	err   error
	fatal bool
}

// feed queues the runs; the error is that of the context, which ended before them.
func feed[T any](ctx context.Context, runs iter.Seq2[*trace.Run, error], queue chan<- chan made[T], f func(context.Context, *trace.Run) (T, error)) error {
	for run, err := range runs {
		pending := make(chan made[T], 1)
		if err != nil {
			pending <- made[T]{err: err}
		} else {
			go func() {
				of, err := f(ctx, run)
				pending <- made[T]{of, err, err != nil}
			}()
		}
		select {
		case queue <- pending:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
