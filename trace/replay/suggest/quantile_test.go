package suggest

import (
	"math/big"
	"testing"
)

func rat(t *testing.T, s string) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		t.Fatalf("%q is no number", s)
	}
	return r
}

func TestQuantile(t *testing.T) {
	upTo := func(n int64) (v values) {
		for i := range n {
			v = append(v, big.NewRat(i+1, 1))
		}
		return v
	}
	for _, c := range []struct {
		n       int64
		percent int
		want    int64
	}{{1, 99, 1}, {5, 99, 5}, {99, 99, 99}, {100, 99, 99}, {101, 99, 100}, {200, 99, 198}, {1000, 99, 990}, {5, 50, 3}, {4, 50, 2}, {1, 50, 1}} {
		if got := upTo(c.n).quantile(c.percent); got.Cmp(big.NewRat(c.want, 1)) != 0 {
			t.Errorf("%d %% of 1 to %d: %s, want %d", c.percent, c.n, got, c.want)
		}
	}
}

func TestAbove(t *testing.T) {
	for _, c := range []struct {
		value   string
		percent int
		round   rounding
		want    string
	}{
		{"0", 25, toOne, "1"}, {"1", 25, toOne, "2"}, {"4", 25, toOne, "5"}, {"5", 25, toOne, "7"}, {"10", 0, toOne, "11"}, {"1000", 25, toOne, "1250"},
		{"100", 25, toWhole, "130"}, {"410169", 25, toWhole, "520000"}, {"3", 25, toWhole, "4"}, {"0.2", 25, toWhole, "1"}, {"80", 25, toWhole, "100"}, {"100", 0, toWhole, "100"},
		{"3033.0197737", 25, toTwoDigs, "3800"}, {"0.0034", 25, toTwoDigs, "0.0043"}, {"8", 25, toTwoDigs, "10"}, {"9", 25, toTwoDigs, "12"}, {"0", 25, toTwoDigs, "0"},
		{"123456789012345678901234567890", 10, toWhole, "140000000000000000000000000000"},
	} {
		if got := text(above(rat(t, c.value), c.percent, c.round)); got != c.want {
			t.Errorf("%s and %d %%: %s, want %s", c.value, c.percent, got, c.want)
		}
	}
}
