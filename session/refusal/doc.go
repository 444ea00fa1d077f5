// Package refusal owns telling, from what a worker answered, whether the
// delegation failed: the answer is empty, unfinished, handed back without a
// result, or says that the worker cannot or will not do it. Who only asks for
// what it needs hands the task back. A partial success is no failure.
//
// It knows English only. An answer in another language is a failure only if it
// is empty or if the operator has added phrases of that language.
//
// It reads words and no meaning: a table of phrases (table*.go) says which
// words give a task up, which deliver, which are harmless. Beside them stand
// frames of broad word classes (lists_frames.go): that the worker, its gear or a
// source failed or lacks something. A frame decides only where the answer holds
// hardly anything else, for a finding is told in the same words. A sentence of
// a third party ("the API cannot …"), a quotation or a condition is no refusal,
// nor is a caveat behind an answer.
//
// What the phrases come to is weighed against clues (table_clues.go,
// table_shown.go): broad phrases that decide nothing alone, each with its
// points, and what the answer shows, such as figures or a failure in its last
// sentence (points.go). An answer in JSON, or written like a form, is judged by
// its fields. The package does no I/O and knows no sessions; what a failure
// leads to is said by rules.
package refusal
