package review

import "strings"

// wordSet is a set of words.
type wordSet map[string]bool

func setOf(texts ...string) wordSet {
	set := wordSet{}
	for _, text := range texts {
		for _, w := range strings.Fields(text) {
			set[w] = true
		}
	}
	return set
}

// A deed is a class of what is critical: verbs, and of what they are so.
type deed struct {
	verbs wordSet
	// noun: the verbs are nouns too, or begin harmless things, so that one
	// followed by a word that only tells of it does nothing: charge_status.
	noun bool
	// of are the things of which the verbs are critical; nil: of all. Those of
	// the verb's own object count, and those around it if it has none.
	of wordSet
	// wide: what is around the verb counts in any case.
	wide bool
	// last: only the last word of the object counts: add_user, not add_user_story.
	last bool
	// bare: alone in a name the verbs are critical too, whatever they are of.
	bare bool
	// but are the things of which the verbs are harmless, within and around.
	but wordSet
}

// Verbs that begin something, and those that change it.
const (
	beginning = `create make send place submit issue approve confirm capture process initiate authorize schedule do new
		add post start request trigger collect settle fulfill finalize`
	changing = `set add remove update change create assign unassign attach detach edit modify put patch reset enable
		disable make give invite generate regenerate issue rotate replace elevate open allow`
)

// Things that verbs are about. Each stands in the singular.
const (
	money = `payment payout charge refund transfer order trade purchase withdrawal money fund wire transaction donation
		disbursement subscription bid payroll reimbursement remittance debit bet swap bitcoin crypto cash tip escrow salary`
	stores = `database db schema table trash bin bucket queue disk drive volume partition collection storage data
		environment cluster mailbox inbox keyspace topic index filesystem`
	durable = stores + ` file directory dir folder object record row entry user member account customer employee contact branch
		repository repo container pod node instance server service package backup snapshot dns domain device resource
		project organization team group policy rule role permission credential key collaborator product fs all everything`
	vcs     = `git github gitlab bitbucket branch commit tag repo repository origin remote main master upstream pull pr mr`
	cluster = `terraform tofu kubectl kubernetes k8s helm pulumi ansible puppet argo argocd flux cloudformation manifest
		migration infrastructure infra stack deployment chart cluster`
	production = `prod production live`
	code       = `command cmd shell terminal script code sql python bash sh zsh powershell pwsh javascript js typescript
		ruby perl php program binary executable process cell notebook macro applescript snippet`
	runners = `sandbox docker container vm repl interpreter ssh jupyter ipython subprocess lambda`
	secrets = `password passwd passphrase credential secret passkey mfa otp`
	rights  = secrets + ` role permission acl privilege admin administrator collaborator access ownership entitlement
		protection iam sudoer firewall allowlist whitelist public accesskey accesspolicy`
)

// deeds are what is critical: what moves money, destroys, goes live, runs
// anything, and changes who may do what.
var deeds = []deed{
	{verbs: setOf(`pay repay prepay reimburse disburse remit withdraw deposit topup donate buy sell cashout stake unstake`)},
	{verbs: setOf(`refund trade purchase payment payout wire`), noun: true},
	{verbs: setOf(`order`), noun: true, but: setOf(`by column row item`)},
	{verbs: setOf(`charge`), noun: true, but: setOf(`battery device phone vehicle`)},
	{verbs: setOf(`transfer`), noun: true, but: setOf(`file data call ticket conversation chat learning style agent human
		assistant operator representative ftp sftp knowledge task`)},
	{verbs: setOf(`checkout`), of: setOf(`cart basket shop store order stripe payment commerce`), wide: true},
	{verbs: setOf(beginning), noun: true, of: setOf(money), but: setOf(`pubsub sns topic webhook event`)},
	{verbs: setOf(`cancel update modify change void reverse finalize close`), noun: true,
		of: setOf(`subscription transaction payment payout transfer trade position invoice payroll`), but: setOf(`pubsub sns topic webhook event`)},

	{verbs: setOf(`delete del destroy purge wipe erase terminate kill killall rm rmdir rmtree unlink shred nuke expunge
		uninstall teardown decommission deprovision prune flushall flushdb dropdb`)},
	{verbs: setOf(`drop`), but: setOf(`drag down off pin shadow zone duplicate na nan`)},
	{verbs: setOf(`truncate`), but: setOf(`text string message output number decimal prompt context token history`)},
	{verbs: setOf(`remove`), bare: true, of: setOf(durable)},
	{verbs: setOf(`clear empty flush reset format`), bare: true, of: setOf(stores)},
	{verbs: setOf(beginning), noun: true, of: setOf(`deletion removal destruction termination erasure`)},

	{verbs: setOf(`publish migrate promote unpublish tweet`)},
	{verbs: setOf(`deploy redeploy undeploy rollback rollout cutover`), noun: true},
	{verbs: setOf(`release`), noun: true, but: setOf(`lock mutex semaphore lease memory connection slot seat hold`)},
	{verbs: setOf(beginning), noun: true, of: setOf(`release deployment`)},
	{verbs: setOf(`merge`), bare: true, noun: true, of: setOf(vcs)},
	{verbs: setOf(`push`), bare: true, of: setOf(vcs, `force file docker image registry container ecr npm heroku helm`, production), wide: true},
	{verbs: setOf(`post upload update`), of: setOf(`webpage website site blog`)},
	{verbs: setOf(changing), of: setOf(`lambda deployment ingress`), wide: true, noun: true},
	{verbs: setOf(`apply upgrade install`), of: setOf(cluster, production), wide: true},
	{verbs: setOf(`launch activate`), of: setOf(`campaign ad`, production)},
	{verbs: setOf(`run`), of: setOf(`migration deployment deploy release payroll payout`)},
	{verbs: setOf(changing, `restart sync write reload switch stop scale start`), of: setOf(production), wide: true},

	{verbs: setOf(`exec execute eval sudo osascript popen subprocess`)},
	{verbs: setOf(`run`), bare: true, noun: true, of: setOf(code, runners)},
	{verbs: setOf(`spawn start launch invoke send issue submit interact`), noun: true, of: setOf(`command cmd shell process powershell bash`)},
	{verbs: setOf(`evaluate`), of: setOf(`browser puppeteer playwright selenium page javascript js script expression code dom frame`), wide: true},

	{verbs: setOf(`grant ungrant revoke chmod chown setfacl impersonate authorize deauthorize ban unban demote`)},
	{verbs: setOf(changing, `assume escalate`), noun: true, of: setOf(rights)},
	{verbs: setOf(changing, `register`), last: true, of: setOf(`user member owner collaborator group`)},
	{verbs: setOf(`enable disable suspend unlock lock block unblock activate deactivate reactivate`), last: true, of: setOf(`user member account login`)},
	{verbs: setOf(changing), of: setOf(`iam`), wide: true},
	{verbs: setOf(`write store save upload import`), noun: true, of: setOf(secrets)},
	{verbs: setOf(`rotate`), bare: true, of: setOf(secrets, `key token certificate cert vault kms`), wide: true},
	{verbs: setOf(`share`), of: setOf(`file document doc folder drive gdrive onedrive sharepoint dropbox sheet calendar bucket dataset notebook repository`), wide: true},
}

// looking are verbs that change nothing. They settle what a name does.
var looking = setOf(`get list search read find fetch describe show view count check query lookup look browse inspect scan
	peek retrieve validate verify calculate compute estimate predict forecast analyze summarize explain compare simulate
	preview plan diff lint dry help status log tail watch monitor has is can exists ping stat info audit review
	draft suggest recommend ls cat grep history who what test`)

// handling are verbs of which none is critical, and behind which a word that
// could be a verb is none: sort_order.
var handling = setOf(`sort group filter write edit click type reply compose open close save store navigate upload
	download translate convert parse track notify remind render draw plot mark label comment ask answer cancel update
	import export copy rename split join index`)

// telling are words that only tell of what stands before them.
var telling = setOf(`status state history log list report count info information detail schema summary preview id
	url name note help output result price rate size metadata stat statistic metric limit option type method email reminder
	confirmation receipt notification message link journal window event activity statement analysis signal date time
	tracker tracking number`, `stats statistics`)

// interpreters run whatever they are given: alone, a name of them is critical.
var (
	interpreters = setOf(`python ipython bash shell sh zsh cmd powershell pwsh terminal interpreter repl osascript applescript
		ssh command subprocess sql`)
	trimmings = setOf(`tool code local remote session use my safe desktop jupyter`)
)

// Keys, tokens and policies open things where such a word stands before them.
var (
	opened   = setOf(`key token`)
	policies = setOf(`policy`)
	ruled    = setOf(`access bucket user role group security iam resource queue`)
	openers  = setOf(`access api ssh gpg auth bearer signing deploy service account secret personal encryption kms private`)
)

// joints stand between two things that one ability does; prepositions end
// the object of a verb.
var (
	joints       = setOf(`and or then`)
	prepositions = setOf(`to from in into as of with for on at by`)
)
