package run

// MarshalJSON renders a text as a JSON string and a JSON value as it is, its
// numbers as they were written.
func (o Output) MarshalJSON() ([]byte, error) { return o.value.AppendJSON(nil), nil }
