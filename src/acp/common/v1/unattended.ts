import type { Unattended } from '../../../session/common/sessionEvents';

/** A value of a setting, as the agent offers it. */
interface OfferedValue {
  readonly value: string;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
}

type Verdict = Unattended | 'asks';

/**
 * What modes mean whose names do not say it, by known agent and mode. OpenCode runs everything unless its own
 * configuration says otherwise; `dontAsk` of Claude refuses what it would have to ask for.
 */
const known: Readonly<Record<string, Readonly<Record<string, Verdict>>>> = {
  claude: {
    default: 'asks',
    plan: 'asks',
    dontask: 'asks',
    acceptedits: 'edits',
    auto: 'runs',
    bypasspermissions: 'runs',
  },
  codex: { readonly: 'asks', plan: 'asks', auto: 'runs', agent: 'runs', autoreview: 'runs', fullaccess: 'runs' },
  gemini: { default: 'asks', plan: 'asks', autoedit: 'edits', yolo: 'runs' },
  qwen: { default: 'asks', plan: 'asks', autoedit: 'edits', auto: 'runs', yolo: 'runs' },
  opencode: { build: 'runs', plan: 'asks' },
  copilot: { agent: 'asks', plan: 'asks', autopilot: 'runs' },
  cursor: { ask: 'asks', plan: 'asks' },
  goose: { approve: 'asks', chat: 'asks', smartapprove: 'asks', auto: 'runs' },
  vibe: { default: 'asks', plan: 'asks', acceptedits: 'edits', autoapprove: 'runs' },
  amp: { default: 'asks', bypass: 'runs' },
};

/** Of ids and names, as words. */
const editWords = /\b(?:accept|auto|auto accept|auto approve|allow|apply)(?: all)? (?:file )?edit(?:s|ing)?\b/;
const runWords =
  /\b(?:yolo|bypass(?: permissions?)?|full access|full auto|auto ?pilot|auto ?(?:approve|review|run|mode)|allow all|approve all|accept all|skip permissions?|dangerous(?:ly)?|unrestricted|never ask|no prompts|autonomous)\b|^auto(?:matic)?$/;
const carefulWords = /\b(?:read ?only|plan|deny|dont ask|don t ask)\b/;
/** Of descriptions. */
const without = /\bwithout (?:\w+ )?(?:asking|approvals?|confirmations?|permissions?|prompts?|prompting)\b/;
const byItself = /\b(?:auto(?:matically)? ?)(?:accepts?|approves?|allows?|appl(?:y|ies)|runs?|executes?)\b/;
const negation = /\b(?:no|not|never|nothing|nor|cannot|can t|don t|doesn t|won t)\b/;
const ofEdits = /\b(?:edits?|files?|changes?|writes?)\b/;
const ofCommands = /\b(?:commands?|shell|tools?|everything|all (?:actions|operations)|any)\b/;

/**
 * Whether an agent with that value of its mode, or of its permissions, edits or runs without asking the user. `agent` is the
 * id of a known agent. What neither the table nor its words tell counts as asking.
 */
export function unattendedWith(agent: string | undefined, offered: OfferedValue): Unattended | undefined {
  const id = wordsOf(offered.value.split('#').at(-1) ?? '');
  const told = agent === undefined ? undefined : known[agent]?.[id.replaceAll(' ', '')];
  if (told !== undefined) return told === 'asks' ? undefined : told;
  const names = [id, wordsOf(offered.name ?? '')];
  if (names.some((name) => carefulWords.test(name))) return undefined;
  if (names.some((name) => editWords.test(name))) return 'edits';
  if (names.some((name) => runWords.test(name))) return 'runs';
  return described(offered.description ?? '');
}

/** By sentence: what is said not to be done is not done. */
function described(description: string): Unattended | undefined {
  for (const sentence of description.split(/[.;\n]/)) {
    const words = wordsOf(sentence);
    const at = without.exec(words)?.index ?? byItself.exec(words)?.index;
    if (at === undefined || negation.test(words.slice(0, at))) continue;
    return ofEdits.test(words) && !ofCommands.test(words) ? 'edits' : 'runs';
  }
  return undefined;
}

/** In lower case, split where letters change case and at everything that is no letter. */
function wordsOf(text: string): string {
  return text
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .join(' ');
}
