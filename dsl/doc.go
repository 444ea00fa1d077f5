// Package dsl owns the text of rules: reading it, saying what is wrong with
// it, and printing it. It knows rules, policy files and the <nyaya> blocks
// that models write. It evaluates nothing, opens no files and holds no state.
//
// # A rule
//
// A rule is one line: when the condition holds, the action is taken before
// the step runs.
//
//	condition|action|"reason"|options
//
//	amount>1000|abort|"Transaction exceeds $1000 limit"
//	frequency>5/1h|throttle|"Max 5 trades per hour"
//	ability:trading.execute|confirm(2m)|"Confirm before executing trade"|id=confirm-trade
//
// Reason and options may be left out. Blanks around tokens mean nothing.
// A condition is one atom or several joined by "&", which must all hold:
//
//	amount>1000                      a number compared: > >= < <= == !=
//	wait>30m                         with a unit (s m h d) it counts seconds
//	amount>{{max_spend}}             compared with a parameter of the chain
//	frequency>5/1h                   more than 5 runs of the chain in an hour
//	frequency:email.*@session>5/1h   more than 5 such calls, in the session
//	ability:email.send               the step about to run; * and .* as wildcards
//	after:read_*                     such a step was admitted before
//	output:error_msg|contains:fail   text in an output: contains icontains equals matches
//	arg:path|matches:^/etc/          the same in an argument; matches takes RE2
//	arg:recipient|in:user            the argument occurs in the user's words
//	when: args.a > 2 * params.b      an expression (expr-lang)
//
// A "!" before ability:, after:, output: or arg: turns the atom round. The
// actions are abort, confirm, throttle, review and warn; confirm and throttle
// may say how long to wait. The options are id=NAME, mode=enforce|observe,
// missing=fire|wait|skip and, for operators, on_store_error=deny|allow|local.
//
// A pattern is bare, "quoted" with the escapes \" \\ \n \t \u{hex}, or
// between backquotes as it is. A line holds at most [MaxLine] bytes.
//
// # Policy files and blocks
//
// [ParsePolicy] reads files of B: lines, grouped by CHAIN: lines, with "#"
// comments; [FormatPolicy] prints them canonically. [ExtractBlock] and
// [ParseBlock] read what a model wrote.
//
// Every reader returns findings of package diag: what is wrong, where, and
// what would be right. Printing a rule and reading it again gives an equal rule.
package dsl
