package refusal

import "strings"

// grammar is the few words by which sentences are taken apart, whatever the
// table says.
type grammar struct {
	but, that, other word            // other: "else"
	nought, of       word            // nought: "0"
	leads            wordSet         // may stand before a sentence's beginning
	joins            wordSet         // a clause begins after them
	reports          wordSet         // a clause begins after them and "that"
	ifs              wordSet         // begin a condition
	whens            wordSet         // begin a clause of what is not yet
	turns            wordSet         // a sentence that begins with one says what there is all the same
	nones            wordSet         // a clause that holds one says that something is not
	outcomes         wordSet         // what follows such a label and its colon is one sentence with it
	codes            map[string]bool // figures that tell of a failure
	efforts          wordSet         // a figure before them counts what was tried
	coded            wordSet         // a figure behind them tells of a failure
	speakers         wordSet         // begin a clause in a sentence that opens so:
	opens            wordSet         // "After …", "Without …"
	noBut            wordSet         // "but" after them is no new sentence
}

func (d *Detector) newGrammar() grammar {
	return grammar{
		but: d.number("but"), that: d.number("that"), other: d.number("else"),
		nought: d.number("0"), of: d.number("of"),
		// "Sorry, unable to …", "No, I can't …"
		leads: d.setOf(`sorry apologies my unfortunately regrettably sadly alas well ok okay hmm hi hello hey
			no nope nah yes yeah but and so then thus therefore hence however still also yet afraid
			currently honestly frankly again oops yep yup aye right error warning finally consequently please dear team all there user supervisor`),
		joins: d.setOf(`and but so or yet then therefore thus hence however still sorry afraid unfortunately
			regrettably sadly apologies think believe know fear say mean means guess suspect found see
			realised realized determined concluded regret currently sadly clearly here there now as
			no yes nope seems seem appears seemingly plus otherwise meanwhile also well therefore where model ai assistant agent bot finally lastly consequently because since as although though`),
		// "I found that I cannot", unlike "the pages that I cannot"
		reports: d.setOf(`afraid sorry found determined concluded discovered realised realized learned
			see say report regret fear note advise advised means mean inform you think believe know decided confirm say
			apologize apologise state stating is appears seems`),
		ifs:      d.setOf("if unless whenever should suppose supposing assuming"),
		whens:    d.setOf("until once before when after while"),
		turns:    d.setOf("but however nevertheless nonetheless"),
		nones:    d.setOf("nothing no none neither never nobody hardly before"),
		outcomes: d.setOf(strings.ReplaceAll(lists["outcome"], "|", " ")),
		efforts:  d.setOf("times attempts tries retries retry rounds iterations tokens calls"),
		coded:    d.setOf("http status code error exit errno page pages step steps row tier attempt retry try worker"),
		speakers: d.setOf("i we"),
		opens: d.setOf(`after before at in on with during despite without by for from until as given since due owing every
			each because under upon throughout to today yesterday`),
		codes: map[string]bool{"401": true, "403": true, "404": true, "407": true, "408": true, "410": true, "413": true,
			"422": true, "429": true, "502": true, "503": true, "504": true},
		noBut: d.setOf("nothing anything not all last everything help none no"),
	}
}
