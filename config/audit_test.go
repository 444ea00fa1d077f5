package config_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cbpolicy/cbpolicy/config"
)

func TestAudit(t *testing.T) {
	c, l := config.Parse("conf/c.yaml", []byte("policy_watch: 90\naudit: {path: log.jsonl, masks: [/verdict/fired/*/actual], rotate_files: 3, sync: on}"))
	if c == nil {
		t.Fatal(l)
	}
	c.Resolve("conf/c.yaml")
	if c.Audit.Path != "conf/log.jsonl" || c.PolicyWatch != 90*time.Second {
		t.Errorf("%+v, %s", c.Audit, c.PolicyWatch)
	}
	o, err := c.Audit.Options("/call_id")
	if err != nil || o.Keep != 3 || !o.Sync || o.Rotate != 0 {
		t.Errorf("%+v, %v", o, err)
	}
	got, err := o.Mask.Apply([]byte(`{"call_id":"c1","verdict":{"fired":[{"actual":"x","rule":"r"}]}}`))
	if want := `{"call_id":"«masked»","verdict":{"fired":[{"actual":"«masked»","rule":"r"}]},"masked":["/call_id","/verdict/fired/0/actual"]}`; err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := c.Audit.Options("call_id"); err == nil || len(c.Audit.Masks) != 1 {
		t.Errorf("%v, %v", c.Audit.Masks, err)
	}
	if c, l := config.Parse("c.yaml", []byte("policy_watch: off\naudit:\n")); c == nil || c.PolicyWatch != 0 || !cmp.Equal(c.Audit, config.Audit{}) {
		t.Errorf("%v, %v", c, l)
	}
}

func TestAudit_Sizes(t *testing.T) {
	for text, want := range map[string]struct {
		bytes int64
		shown string
	}{
		"1": {1, "1"}, "999": {999, "999"}, "1000": {1000, "1kB"}, "4kB": {4000, "4kB"}, "4KB": {4000, "4kB"}, "4KiB": {4096, "4KiB"},
		"100MB": {100_000_000, "100MB"}, "64 MiB": {64 << 20, "64MiB"}, "2GB": {2_000_000_000, "2GB"}, "1TiB": {1 << 40, "1TiB"},
		"'1500'": {1500, "1500"}, "1e6": {1_000_000, "1MB"},
	} {
		s := effective(t, "audit: {path: a, rotate_size: "+text+"}", nil)
		if s.Audit.RotateSize != want.bytes || !strings.Contains(shown(t, s), "audit.rotate_size = "+want.shown+" (c.yaml:1:31)") {
			t.Errorf("%s: %d bytes, want %d, shown as %s", text, s.Audit.RotateSize, want.bytes, want.shown)
		}
	}
	if got := shown(t, effective(t, "{}", nil)); !strings.Contains(got, "audit.path = none (default)\naudit.masks = none (default)\naudit.rotate_size = 100MiB (default)\naudit.rotate_files = all (default)\n") {
		t.Error(got)
	}
}
