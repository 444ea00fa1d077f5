package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/cbpolicy/cbpolicy/config"
	"github.com/cbpolicy/cbpolicy/policies"
	"github.com/cbpolicy/cbpolicy/registry"
)

// sourceSettings shows what each source of policies puts in force. The error says
// why none of them does.
func sourceSettings(cmd *cobra.Command, s *config.Settings, origin string) (all []config.Setting, err error) {
	var reg registry.Registry
	l, err := loadConfigured(cmd, &reg, s, nil, nil)
	if err != nil {
		return nil, err
	}
	for i, source := range l.Status().Sources {
		say := func(key, value string) {
			all = append(all, config.Setting{Key: fmt.Sprintf("policies[%d]%s", i, key), Value: value, Origin: origin})
		}
		say("", source.Path)
		say(".kind", string(source.Kind))
		if source.Kind == policies.Bundle {
			say(".revision", fmt.Sprint(source.Revision))
		}
		say(".files", fmt.Sprint(source.Files))
		say(".rules", fmt.Sprint(source.Rules))
		say(".digest", source.Digest.String())
	}
	return all, nil
}
