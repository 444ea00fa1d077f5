// Package trace owns the reading of recorded agent runs: whatever program
// wrote them, they come out as the events that a session observes. It does
// not own what is made of them; replaying, comparing and learning limits are
// done by its users.
//
// The format of a file is found from what it holds ([Detect]), not from its
// name. Input is streamed: a file of many runs needs the memory of its largest
// one. What is read is bounded in size, depth and number ([Limits]), and a run
// that cannot be read is one error that names the file and the line; the
// reader goes on with the next run where the format shows where that begins.
// A run is read whole or not at all: a session that breaks off in the middle of
// a line, or a field that is not what its format has there, is an error and no
// shorter run. Calls without a result are none: they are in Run.Unanswered.
// Run.Broken says of a run that was read why it is not known what it did.
//
// # What the events say
//
// The events of a run are in the order of their times; at equal times in the
// order of the source, a call before its result. A source without times gets
// a clock of its own: the first message is at [UntimedStart], each further one
// a second later, and Run.Timed is false.
//
// What the user and the operator's system prompt wrote are events of the type
// user. The task that one agent gives to another is model text: it is the Text
// of the event that starts the other's task, and no user event. Neither is
// what a harness puts into the user's mouth: reminders, output of local
// commands, summaries.
//
// A turn that carries calls and no text is no assistant event. Usage is
// counted once for each message, with the greatest value that was reported for
// it, and once where nested spans repeat it. Call ids are unique in a run:
// where the source repeats or lacks them, results belong to calls in order.
package trace
