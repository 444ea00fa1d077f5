package refusal_test

import (
	"testing"

	"github.com/cbpolicy/cbpolicy/session/refusal"
)

// An answer that is a form is judged by its fields, not by its words.
func TestForms(t *testing.T) {
	d := refusal.Default()
	for _, c := range []struct {
		output string
		want   refusal.Kind
		phrase string
	}{
		{"**Status:** blocked\n**Delivered:** nothing", refusal.Refusal, "status: blocked"},
		{"- Outcome: ❌\n- Artifacts: 0\n- Why: no network", refusal.Refusal, "artifacts: 0"},
		{"ok: false\npicked: 0\nplaced: 0", refusal.Refusal, "ok: false"},
		{"Report: none\nReason: the disk is full", refusal.Refusal, "report: none"},
		{"Result:\nnone\nStatus: done", refusal.Refusal, "result: none"},
		{"action: escalate\nto: human_operator", refusal.HandedBack, "action: escalate"},
		{`finish_reason=content_filter completion=""`, refusal.Refusal, "finish_reason: content_filter"},
		{`<result success="false"><reason>device offline</reason></result>`, refusal.Refusal, "success: false"},
		{"| step | state |\n|---|---|\n| fetch | ok |\nOverall: failed", refusal.Refusal, "overall: failed"},

		{"Status: done\nFiles: 3", refusal.None, ""},
		{"Litigation: none\nSanctions: no match", refusal.None, ""},
		{"Question: may they sell it?\nAnswer: no.", refusal.None, ""},
		{"Error: none\nRows: 14", refusal.None, ""},
		{"Subject: your claim\nDear Ms Roth, the claim of 12 May is paid.\nKind regards", refusal.None, ""},
		{"x=1, y=2", refusal.None, ""},
	} {
		if v := d.Judge(c.output); v.Kind != c.want || c.phrase != "" && v.Phrase != c.phrase {
			t.Errorf("%q: got %+v", c.output, v)
		}
	}
}
