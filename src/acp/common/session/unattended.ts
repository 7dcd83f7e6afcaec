import type { UnattendedAction } from '../../../session/common/sessionEvents';

interface OfferedValue {
  readonly value: string;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
}

type Verdict = UnattendedAction | 'asks';

/** What modes allow without approval if their names do not show it. Claude's `dontAsk` denies instead of asking. */
const verdictsByAgent: Readonly<Record<string, Readonly<Record<string, Verdict>>>> = {
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

/** Phrases in the ids and names of modes. */
const editWords = /\b(?:accept|auto|auto accept|auto approve|allow|apply)(?: all)? (?:file )?edit(?:s|ing)?\b/;
const runWords =
  /\b(?:yolo|bypass(?: permissions?)?|full access|full auto|auto ?pilot|auto ?(?:approve|review|run|mode)|allow all|approve all|accept all|skip permissions?|dangerous(?:ly)?|unrestricted|never ask|no prompts|autonomous)\b|^auto(?:matic)?$/;
const carefulWords = /\b(?:read ?only|plan|deny|dont ask|don t ask)\b/;
/** Phrases in the descriptions of modes. */
const withoutAskingWords = /\bwithout (?:\w+ )?(?:asking|approvals?|confirmations?|permissions?|prompts?|prompting)\b/;
const automaticWords = /\b(?:auto(?:matically)? ?)(?:accepts?|approves?|allows?|appl(?:y|ies)|runs?|executes?)\b/;
const negationWords = /\b(?:no|not|never|nothing|nor|cannot|can t|don t|doesn t|won t)\b/;
const editObjectWords = /\b(?:edits?|files?|changes?|writes?)\b/;
const commandObjectWords = /\b(?:commands?|shell|tools?|everything|all (?:actions|operations)|any)\b/;

/** Returns what an agent does without approval while this option has this value. Unknown values count as asking. */
export function unattendedActionsOfValue(
  agent: string | undefined,
  offered: OfferedValue,
): UnattendedAction | undefined {
  const id = lowerCaseWords(offered.value.split('#').at(-1) ?? '');
  const verdict = agent === undefined ? undefined : verdictsByAgent[agent]?.[id.replaceAll(' ', '')];
  if (verdict !== undefined) return verdict === 'asks' ? undefined : verdict;
  const names = [id, lowerCaseWords(offered.name ?? '')];
  if (names.some((name) => carefulWords.test(name))) return undefined;
  if (names.some((name) => editWords.test(name))) return 'edits';
  if (names.some((name) => runWords.test(name))) return 'runs';
  return unattendedByDescription(offered.description ?? '');
}

/** Returns the actions that a description allows. Ignores negated sentences. */
function unattendedByDescription(description: string): UnattendedAction | undefined {
  for (const sentence of description.split(/[.;\n]/)) {
    const words = lowerCaseWords(sentence);
    const at = withoutAskingWords.exec(words)?.index ?? automaticWords.exec(words)?.index;
    if (at === undefined || negationWords.test(words.slice(0, at))) continue;
    return editObjectWords.test(words) && !commandObjectWords.test(words) ? 'edits' : 'runs';
  }
  return undefined;
}

/** Splits a name at case changes and punctuation into lower-case words. */
function lowerCaseWords(text: string): string {
  return text
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .join(' ');
}
