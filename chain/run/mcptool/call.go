package mcptool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cbpolicy/cbpolicy/chain/run"
	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/internal/jsonv"
	"github.com/cbpolicy/cbpolicy/registry"
)

// maxMessage is how many bytes of a server's own words an error repeats.
const maxMessage = 2000

// call calls a tool. The arguments are passed on as they are written.
func (s *Server) call(ctx context.Context, tool string, args json.RawMessage) (run.Output, error) {
	limited, cancel := context.WithTimeout(ctx, s.opts.Timeout)
	defer cancel()
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-limited.Done():
		return run.Output{}, s.failure(ctx, limited, limited.Err())
	}
	err := s.within(limited, func(ctx context.Context) error {
		_, err := s.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
		return err
	})
	if err != nil {
		return run.Output{}, s.failure(ctx, limited, err)
	}
	return output(s.tap.take(), s.opts.MaxOutput)
}

// failure gives an error of a call its class.
func (s *Server) failure(ctx, limited context.Context, err error) error {
	var told *jsonrpc.Error
	if ctx.Err() == nil && limited.Err() == nil && s.tap.broken() == nil && errors.As(err, &told) {
		class := run.ClassTool
		if told.Code == jsonrpc.CodeInvalidParams {
			class = run.ClassArguments
		}
		return &run.AbilityError{Class: class, Message: shorten(told.Message)}
	}
	err = s.explain(ctx, limited, "call", err)
	if ctx.Err() != nil {
		return err
	}
	return &run.AbilityError{Class: run.ClassTool, Message: "MCP server " + s.opts.Name + ": " + err.Error()}
}

// output makes a step's output of a tool's result: its structured content if
// there is any, else its texts, joined by line breaks; and all of its content
// as JSON if some of it is no text, so that nothing is lost to the rules.
func output(result json.RawMessage, limit int) (run.Output, error) {
	v, err := jsonv.Parse(result, jsonv.Limits{Depth: registry.MaxDepth})
	if err != nil {
		return run.Output{}, toolError("the result is not usable: " + err.Error())
	}
	content, _ := v.Member("content")
	texts, plain := textsOf(content)
	text := strings.Join(texts, "\n")
	if isError, ok := v.Member("isError"); ok && isError.Kind() == jsonv.Bool && isError.Text() == "true" {
		if text == "" {
			text = "the tool failed and does not say why"
		}
		return run.Output{}, toolError(shorten(text))
	}
	structured, ok := v.Member("structuredContent")
	if ok = ok && structured.Kind() != jsonv.Null; !ok && !plain {
		structured, ok = content, true
	}
	if ok {
		text = string(structured.AppendJSON(nil))
	}
	switch {
	case len(text) > limit:
		return run.Output{}, toolError(fmt.Sprintf("the output is longer than %d bytes", limit))
	case ok:
		return run.JSON(json.RawMessage(text))
	}
	return run.Text(text), nil
}

// textsOf returns the texts of a result, and whether it consists of nothing else.
func textsOf(content jsonv.Value) (texts []string, plain bool) {
	plain = true
	for i := range content.Len() {
		block := content.Elem(i)
		kind, _ := block.Member("type")
		text, ok := block.Member("text")
		if kind.Text() != "text" || !ok || text.Kind() != jsonv.String {
			plain = false
			continue
		}
		texts = append(texts, text.Text())
	}
	return texts, plain
}

func toolError(message string) error {
	return &run.AbilityError{Class: run.ClassTool, Message: message}
}

// shorten makes a server's words fit an error, safe to show on a terminal.
func shorten(s string) string {
	if len(s) > maxMessage {
		s = strings.ToValidUTF8(s[:maxMessage], "") + "…"
	}
	return diag.Escape(strings.TrimSpace(s))
}
