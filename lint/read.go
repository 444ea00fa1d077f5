package lint

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cbpolicy/cbpolicy/chain"
	"github.com/cbpolicy/cbpolicy/chain/run"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/dsl"
	"github.com/cbpolicy/cbpolicy/internal/document"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
)

// read parses a file. What its reader finds is reported as it is: syntax,
// unknown-tag, unknown-field, wrong-type, limit-exceeded, dangling-reference,
// duplicate-rule and unobservable-frequency.
func (p *pass) read(f File) {
	f.Data = bytes.TrimPrefix(f.Data, []byte("\ufeff"))
	if f.Kind == Auto {
		f.Kind = sniff(f.Data)
	}
	if f.Kind == Chain && f.Found && foreign(f) {
		p.report.PassedOver++
		return
	}
	p.data[f.Name] = f.Data
	p.report.Files++
	if f.Kind != Text {
		p.commented = append(p.commented, f.Name)
	}
	switch f.Kind {
	case Policy:
		p.readPolicy(f)
	case Chain:
		p.readDocument(f)
	default:
		p.readText(f)
	}
}

func (p *pass) readPolicy(f File) {
	if p.binary(f) {
		return
	}
	policy, findings := dsl.ParsePolicy(f.Name, f.Data)
	p.report.Findings = append(p.report.Findings, findings...)
	p.report.Rules += policy.Rules()
	p.policies = append(p.policies, policy)
}

// binary reports a file that is no text, once and not for every line.
func (p *pass) binary(f File) bool {
	i := bytes.IndexByte(f.Data, 0)
	if i < 0 {
		return false
	}
	before := f.Data[:i]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	p.add(&diag.Finding{ID: dsl.SyntaxID, File: f.Name, Pos: diag.Position{Line: line, Column: column},
		Message: "the file is not text: it holds a NUL byte", Hint: "save it as UTF-8"})
	return true
}

// readDocument reads a chain or a recording. Only what cannot be a chain is
// looked at twice.
func (p *pass) readDocument(f File) {
	c, findings := chain.Parse(f.Name, f.Data)
	if c == nil && isRecording(f) {
		recording, findings := run.ParseRecording(f.Name, f.Data)
		p.report.Findings = append(p.report.Findings, findings...)
		if recording != nil {
			p.recordings = append(p.recordings, recording)
		}
		return
	}
	p.report.Findings = append(p.report.Findings, findings...)
	if c != nil {
		p.report.Rules += len(c.Rules)
		p.chains = append(p.chains, p.newFlowChain(c))
	}
	p.unread = p.unread || c == nil
}

// Limits of a document in which only the fields of the first levels are looked at.
const (
	maxDepth = 200
	maxNodes = 500_000
)

// root reads a document and returns its outermost object, or nil.
func root(f File) *document.Node {
	n := document.Parse(f.Name, f.Data, document.Limits{Bytes: run.MaxRecording, Depth: maxDepth, Nodes: maxNodes}).Root
	if n == nil || n.Kind != jsonv.Object {
		return nil
	}
	return n
}

var (
	chainFields     = []string{"id", "params", "steps", "circuit_breakers", "circuit_breaker"}
	recordingFields = []string{"chain", "start", "executions", "confirm"}
)

// isRecording tells a recording from a chain by the fields that only it has.
func isRecording(f File) bool {
	n := root(f)
	if n == nil || member(n, "id") != nil {
		return false
	}
	if slices.ContainsFunc(recordingFields, func(field string) bool { return member(n, field) != nil }) {
		return true
	}
	steps := member(n, "steps")
	return steps != nil && slices.ContainsFunc(steps.Items, func(n *document.Node) bool { return member(n, "step") != nil })
}

// foreign reports whether a document is an object that is nothing of ours: it
// has no field of a chain or a recording, nor one that could be a slip for
// it; or it is a step, a verdict, the result of a run, or a file of tests.
func foreign(f File) bool {
	n := root(f)
	if n == nil {
		return false
	}
	for _, field := range []string{"ability", "decision", "status"} {
		if member(n, field) != nil {
			return true
		}
	}
	if testsIn(n) {
		return true
	}
	ours := slices.Concat(chainFields, recordingFields)
	return !slices.ContainsFunc(n.Names, func(name document.Name) bool {
		return slices.Contains(ours, name.Text) || diag.Suggest(name.Text, ours) != ""
	})
}

// testsIn reports whether a document is a file of tests, which package
// policytest reads.
func testsIn(n *document.Node) bool {
	return member(n, "tests") != nil && member(n, "id") == nil && member(n, "steps") == nil
}

// HoldsTests reports whether a document is a file of tests and no chain, by
// its fields, or by a name that ends in _test and fields that say nothing else.
func HoldsTests(f File) bool {
	if f.Kind != Chain && (f.Kind != Auto || sniff(f.Data) != Chain) {
		return false
	}
	n := root(f)
	named := strings.HasSuffix(strings.TrimSuffix(f.Name, filepath.Ext(f.Name)), "_test")
	if n == nil || member(n, "id") == nil && member(n, "steps") == nil && !isRecording(f) && named {
		return named
	}
	return testsIn(n)
}

// member returns a field of an object, or nil.
func member(n *document.Node, name string) *document.Node {
	for i := range n.Names {
		if n.Names[i].Text == name {
			return n.Items[i]
		}
	}
	return nil
}

// readText reads every block of a text. A text without one is fine.
func (p *pass) readText(f File) {
	if p.binary(f) {
		return
	}
	raws, findings := dsl.ExtractBlocks(f.Name, f.Data)
	for _, raw := range raws {
		block, faults := dsl.ParseBlock(raw)
		findings = append(findings, faults...)
		if block != nil {
			p.report.Rules += len(block.Rules)
			p.blocks = append(p.blocks, block)
			findings = append(findings, p.written(block)...)
		}
		if len(findings) >= dsl.MaxFindings {
			findings = append(findings[:dsl.MaxFindings], &diag.Finding{ID: dsl.LimitID, File: f.Name, Pos: raw.Pos,
				Message: fmt.Sprintf("more than %d findings; the blocks behind this one were not read", dsl.MaxFindings)})
			break
		}
	}
	if len(raws)+len(findings) == 0 {
		findings = misnamedPolicy(f)
	}
	p.report.Findings = append(p.report.Findings, findings...)
}

// written takes in the chain that a block writes.
func (p *pass) written(b *dsl.Block) diag.List {
	if len(b.Steps) == 0 {
		return nil // rules for a chain that is written elsewhere
	}
	c, findings := chain.FromBlock(b)
	if c != nil {
		written := p.newFlowChain(c)
		written.by = b
		p.chains = append(p.chains, written)
	}
	return findings
}

// patches holds the blocks that change or run a chain against the chains among
// the files, and keeps the copies that they make.
func (p *pass) patches() {
	for _, b := range p.blocks {
		if b.Mode.Kind != dsl.ModePatch && b.Mode.Kind != dsl.ModeRun {
			continue
		}
		for _, c := range p.chains {
			if c.ID != b.Mode.Name && c.ID != b.ChainID() {
				continue
			}
			_, findings := c.Call(b)
			copied, more := c.Patch(b)
			p.report.Findings = append(p.report.Findings, append(findings, more...)...)
			if copied != nil {
				changed := p.newFlowChain(copied)
				changed.by = b
				p.patched = append(p.patched, changed)
			}
		}
	}
}

// misnamedPolicy warns of a policy that its name makes a text, in which no
// rule is looked for.
func misnamedPolicy(f File) diag.List {
	line := 0
	for text := range bytes.Lines(f.Data) {
		line++
		text = bytes.TrimSpace(text)
		if len(text) == 0 || text[0] == '#' {
			continue
		}
		if !bytes.HasPrefix(text, []byte("B:")) && !bytes.HasPrefix(text, []byte("CHAIN:")) {
			return nil
		}
		return diag.List{{ID: dsl.NoBlockID, Severity: diag.Warning, File: f.Name, Pos: diag.Position{Line: line, Column: 1},
			Message: "this looks like a policy, but its name makes it a text, in which only <nyaya> blocks are read",
			Hint:    "name it *.cbp", Text: string(text[:min(len(text), 200)])}}
	}
	return nil
}
