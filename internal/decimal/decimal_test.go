package decimal_test

import (
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cbpolicy/cbpolicy/internal/decimal"
)

func TestParseRefuses(t *testing.T) {
	for _, s := range []string{
		"", " ", "+", "-", ".", "1.", ".5", "1..2", "1.2.3", "NaN", "inf", "Infinity", "0x10", "1_000",
		"$1,200", "1,200", "1e", "1e+", "1e401", "1e-401", "1e999999999", "1E5", "--1", "+-1", "1 2", "١٢",
		strings.Repeat("1", 1001), "1\x00", "\u00a01",
	} {
		if d, ok := decimal.Parse(s); ok {
			t.Errorf("Parse(%q) = %v, want refused", s, d)
		}
	}
}

func TestParsePrints(t *testing.T) {
	for in, want := range map[string]string{
		"0": "0", "-0": "0", "000": "0", "0.000": "0", "0e400": "0",
		"1": "1", "+1": "1", "-1": "-1", "007": "7", "1.50": "1.5", " \t1000\r\n": "1000",
		"1e3": "1000", "15e-1": "1.5", "1e400": "1e400", "1e-400": "1e-400",
		"12345678901234567890": "12345678901234567890", "0.1": "0.1",
		"18446744073709551615": "18446744073709551615", "9999999999999999999": "9999999999999999999",
		"10000000000000000000000": "1e22",
	} {
		d, ok := decimal.Parse(in)
		if !ok || d.String() != want {
			t.Errorf("Parse(%q) = %v, %v, want %s", in, d, ok, want)
		}
	}
}

// number draws a text of the grammar.
func number(t *rapid.T) string {
	return rapid.StringMatching(`[+-]?[0-9]{1,24}(\.[0-9]{1,24})?(e[+-]?([0-9]{1,2}|[123][0-9][0-9]|400))?`).Draw(t, "number")
}

func TestCmpAgreesWithRationals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y := number(t), number(t)
		if rapid.Bool().Draw(t, "near") {
			y = x + "0"
			if strings.ContainsAny(x, "e") {
				y = strings.Replace(x, "e", "e+0", 1)
				y = strings.Replace(strings.Replace(y, "+0-", "-0", 1), "+0+", "+0", 1)
			}
		}
		a, ok1 := decimal.Parse(x)
		b, ok2 := decimal.Parse(y)
		if !ok1 || !ok2 {
			t.Fatalf("Parse(%q) %v, Parse(%q) %v", x, ok1, y, ok2)
		}
		p, _ := new(big.Rat).SetString(x)
		q, _ := new(big.Rat).SetString(y)
		if got, want := a.Cmp(b), p.Cmp(q); got != want {
			t.Fatalf("Cmp(%s, %s) = %d, want %d", x, y, got, want)
		}
		if a.Below(&b) != (p.Cmp(q) < 0) {
			t.Fatalf("%s.Below(%s) is %v", x, y, a.Below(&b))
		}
		if (a == b) != (p.Cmp(q) == 0) {
			t.Fatalf("%s == %s is %v", x, y, a == b)
		}
	})
}

func TestSizeTellsNumbersApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y := number(t), number(t)
		a, _ := decimal.Parse(x)
		b, _ := decimal.Parse(y)
		if a.Size() != decimal.NoSize && b.Size() != decimal.NoSize && a.Size() > b.Size() && a.Cmp(b) <= 0 {
			t.Fatalf("%s has size %d, %s has size %d", x, a.Size(), y, b.Size())
		}
		if size, ok := decimal.PlainSize(x); ok && size != a.Size() {
			t.Fatalf("PlainSize(%s) = %d, Size %d", x, size, a.Size())
		}
	})
	for _, s := range []string{"", "0", "0.5", "-1", "+1", "1.", ".1", "1e3", "1.2.3", " 1", "1 ", "1_0", "١"} {
		if size, ok := decimal.PlainSize(s); ok {
			t.Errorf("PlainSize(%q) = %d", s, size)
		}
	}
}

func TestPrintReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, ok := decimal.Parse(number(t))
		if !ok {
			t.Fatal("refused")
		}
		if e, ok := decimal.Parse(d.String()); !ok || e != d {
			t.Fatalf("Parse(%q) = %v, %v", d.String(), e, ok)
		}
	})
}

func TestInt(t *testing.T) {
	for in, want := range map[string]int64{"0": 0, "12e2": 1200, "-3": -3, "9223372036854775807": 1<<63 - 1} {
		d, _ := decimal.Parse(in)
		if n, ok := d.Int(); !ok || n != want {
			t.Errorf("%s.Int() = %d, %v", in, n, ok)
		}
	}
	for _, in := range []string{"1.5", "9223372036854775808", "1e30"} {
		d, _ := decimal.Parse(in)
		if n, ok := d.Int(); ok {
			t.Errorf("%s.Int() = %d", in, n)
		}
	}
}

func TestTimesInt(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int64
		want string
	}{{"1.5", 60, "90"}, {"123456789012345678901234567890", 1, "123456789012345678901234567890"}, {"-2", 86400, "-172800"}, {"0", 60, "0"}} {
		d, _ := decimal.Parse(c.in)
		if got, ok := d.TimesInt(c.n); !ok || got.String() != c.want {
			t.Errorf("%s × %d = %v, %v, want %s", c.in, c.n, got, ok, c.want)
		}
	}
	d, _ := decimal.Parse("9999999999999999999")
	if got, ok := d.TimesInt(60); ok {
		t.Errorf("an inexact product is given: %v", got)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"1", "-1.5e-3", "NaN", "1e400"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if d, ok := decimal.Parse(s); ok {
			if e, ok := decimal.Parse(d.String()); !ok || e != d {
				t.Fatalf("%q prints %q, which reads %v %v", s, d.String(), e, ok)
			}
		}
	})
}
