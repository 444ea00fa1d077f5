package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// mcpServer is an MCP server for the scripts, with the tools pay and die.
func mcpServer() {
	s := mcp.NewServer(&mcp.Implementation{Name: "scripts", Version: "1"}, nil)
	add := func(name string, do func(args json.RawMessage) string) {
		s.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)},
			func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: do(r.Params.Arguments)}}}, nil
			})
	}
	add("pay", func(args json.RawMessage) string { return "paid " + string(args) })
	add("die", func(json.RawMessage) string {
		fmt.Fprintln(os.Stderr, "out of memory")
		os.Exit(7)
		return ""
	})
	_ = s.Run(context.Background(), &mcp.StdioTransport{})
}
