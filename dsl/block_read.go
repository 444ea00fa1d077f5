package dsl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cbpolicy/cbpolicy/diag"
)

// ParseBlock reads a block's lines. Any unknown or faulty line refuses the
// whole block: it returns a block only if there is no finding, as a chain
// must never run with fewer rules than were written.
func ParseBlock(raw *RawBlock) (*Block, diag.List) {
	r := &blockReader{block: &Block{File: raw.File, Pos: raw.Pos}}
	if len(raw.Text) > MaxBlock {
		s := &source{file: raw.File, pos: raw.Pos}
		return nil, diag.List{withID(s.fault(0, 0, fmt.Sprintf("the block is %d bytes long; at most %d are allowed", len(raw.Text), MaxBlock), "split the chain"), LimitID)}
	}
	pos := raw.Pos
	for line := range strings.SplitSeq(raw.Text, "\n") {
		r.scan(&source{file: raw.File, pos: pos, text: strings.TrimSuffix(line, "\r")})
		pos = diag.Position{Line: pos.Line + 1, Column: 1}
	}
	r.mode()
	for _, l := range r.lines {
		if len(r.findings) < MaxFindings {
			r.read(l)
		}
	}
	r.whole()
	if len(r.findings) > 0 {
		r.findings.Sort()
		return nil, r.findings
	}
	return r.block, nil
}

// blockReader reads a block in two passes, as the meaning of D: and of
// others depends on the mode line, which may stand anywhere.
type blockReader struct {
	block        *Block
	lines        []blockLine
	findings     diag.List
	steps, rules int
	domain       *blockLine // the first D: line
	unknown      bool       // a line has an unknown tag: it may have been the mode line
}

// blockLine is a line whose tag is known.
type blockLine struct {
	TagLine
	src  *source // the whole line
	text *source // behind the colon
}

func (r *blockReader) report(f *diag.Finding) { r.findings = append(r.findings, f) }

// scan splits a line into tag and text.
func (r *blockReader) scan(s *source) {
	text := strings.TrimLeft(s.text, " \t")
	indent := len(s.text) - len(text)
	if text == "" || len(r.findings) >= MaxFindings {
		return
	}
	if f := s.checkCharacters(); f != nil {
		r.report(f)
		return
	}
	name, rest, found := strings.Cut(text, ":")
	name = strings.TrimRight(name, " \t")
	if kind, ok := blockTags[name]; !ok || found == (kind == tagBare) {
		r.report(s.unknownTag(indent, text, knownBlockTags(), policyOnly))
		r.unknown = true
		return
	}
	l := blockLine{TagLine: TagLine{Tag: name, Text: rest, Pos: s.at(indent)}, src: s}
	l.text = s.sub(len(s.text)-len(rest), rest)
	l.At = l.text.pos
	r.lines = append(r.lines, l)
	r.block.Lines = append(r.block.Lines, l.TagLine)
}

// read puts the meaning of a line into the block.
func (r *blockReader) read(l blockLine) {
	kind, function := blockTags[l.Tag], r.block.Mode.Kind == ModeProposeFunc
	if function && (kind == tagDomain || kind == tagParams || kind == tagFunc) {
		r.readFunc(l)
		return
	}
	if r.unknown && r.block.Mode.Kind == ModeDomain && (kind == tagChange || kind == tagFunc) {
		return // whether it belongs into this block is not known
	}
	switch kind {
	case tagDomain:
		r.readDomain(l)
	case tagGrant:
		r.readGrants(l)
	case tagRule:
		r.readRule(l)
	case tagParams:
		if r.writes(l, ModeNew, ModeDomain) {
			r.readParams(l)
		}
	case tagStep:
		if r.step(l) && r.writes(l, ModeNew, ModeDomain) {
			r.readStep(l)
		}
	case tagChange:
		if r.block.Mode.Kind != ModePatch {
			r.report(l.fault(l.Tag+": changes a chain, but the block names none", "write PATCH:NAME for the chain to change"))
		} else if l.Tag != "ADD_STEP" || r.step(l) {
			r.readChange(l)
		}
	case tagFunc:
		r.report(l.fault(l.Tag+": describes a function, but the block proposes none", "write PROPOSE_FUNC:NAME"))
	case tagRaw:
		if function {
			r.report(l.fault(l.Tag+": does not belong into a PROPOSE_FUNC block", "a function is described by D:, CAT:, SEC:, P:, RET:, RF: and EX:"))
			return
		}
		r.readWords(l)
	}
}

// step counts a step, and reports the first that is one too many.
func (r *blockReader) step(l blockLine) bool {
	if r.steps++; r.steps == MaxBlockSteps+1 {
		r.report(withID(l.fault("too many steps", fmt.Sprintf("a block may hold %d", MaxBlockSteps)), LimitID))
	}
	return r.steps <= MaxBlockSteps
}

// writes reports a line that belongs into other blocks than this one.
func (r *blockReader) writes(l blockLine, modes ...BlockMode) bool {
	kind := r.block.Mode.Kind
	if slices.Contains(modes, kind) {
		return true
	}
	switch kind {
	case ModeRun:
		r.report(l.fault(l.Tag+": does not belong into a block that runs a chain", "write NEW:name for a new chain, or PATCH:name to change one"))
	case ModePatch:
		r.report(l.fault(l.Tag+": does not belong into a PATCH", "write ADD_PARAM:, ADD_STEP: or REMOVE_STEP:"))
	default:
		r.report(l.fault("the block names no chain that this line could belong to", "write NEW:name or D:domain|risk"))
	}
	return false
}

// whole checks what no line can tell by itself.
func (r *blockReader) whole() {
	if len(r.findings) > 0 || len(r.lines) == 0 {
		if len(r.lines) == 0 && len(r.findings) == 0 {
			r.report((&source{file: r.block.File, pos: r.block.Pos}).fault(0, 0, "the block is empty", "such as NEW:name and S: lines, or D:domain|risk and B: lines"))
		}
		return
	}
	if r.block.ChainID() != "" {
		r.changesSomething()
		return
	}
	if f := r.block.Function; f != nil && f.Description == "" {
		r.report(r.lines[0].fault("the function has no description", "write D: and what it does"))
	}
	for _, l := range r.lines {
		switch kind := blockTags[l.Tag]; {
		case kind == tagRule, kind == tagGrant, kind == tagStep && r.block.Mode.Kind != ModeProposeFunc:
			r.report(l.fault("the block names no chain that this line could belong to", "write NEW:name or D:domain|risk"))
			return
		}
	}
	if r.block.Mode.Kind == ModeDomain {
		r.report(r.lines[0].fault("the block names no chain", "write NEW:name, C:name or D:domain|risk"))
	}
}

// changesSomething reports a PATCH without a line that says what to change.
func (r *blockReader) changesSomething() {
	b := r.block
	if b.Mode.Kind != ModePatch || len(b.Changes)+len(b.Rules)+len(b.Grants) > 0 {
		return
	}
	for _, l := range r.lines {
		if l.Tag == "PATCH" {
			r.report(l.fault("the block changes nothing", "write ADD_PARAM:, ADD_STEP: or REMOVE_STEP:, or C:"+b.Mode.Name+" to run the chain as it is"))
		}
	}
}

// fault is a finding about the whole line.
func (l *blockLine) fault(message, hint string) *diag.Finding {
	indent := len(l.src.text) - len(strings.TrimLeft(l.src.text, " \t"))
	return l.src.fault(indent, len(strings.TrimRight(l.src.text, " \t")), message, hint)
}
