import { isDenial } from './approvalOptions';
import type { ApprovalOptionKind } from './sessionEvents';

/** An answer to an approval, as its agent names it, and what it does. */
export interface NamedOption {
  readonly name: string;
  readonly kind: ApprovalOptionKind;
}

// English words that reveal the meaning of names. All expressions expect the result of `toWords`.

const allowingWords =
  /\b(?:allow|allows|allowed|approve|approved|accept|yes|ok|okay|proceed|continue|confirm|run|apply|grant|permit|trust|overwrite)\b/;

const denyingWords =
  /\b(?:deny|denies|denied|reject|rejects|rejected|decline|refuse|cancel|skip|stop|abort|block|forbid|disallow)\b/;

/** Words that mean a denial, unless an allowing word precedes them. */
const negatingWords = /\b(?:no|not|never|don't|keep)\b/;

/** Words for a scope beyond the current request. */
const lastingScopeWords =
  /\b(?:always|all|any|every|everything|session|conversation|chat|project|workspace|repository|folder|directory|user|forever|remember|permanent|permanently|never|trust|bypass|auto|automatic|automatically|autopilot|yolo|from now on|for good|future)\b|\b(?:don't|do not|without|no longer) ask(?:ing)?\b/;

/** Words that limit an answer to the current request, unlike "only this session". */
const onceWords =
  /\b(?:once|this time)\b|\b(?:just|only) this\b(?! (?:session|conversation|chat|project|workspace|repository|folder|directory|user)\b)/;

const notAskingWords = /\b(?:don't|do not|never|without|no longer) ask(?:ing)?\b(?: me)?(?: again)?/g;

/** Matches the start of a denial: "Do not run", "No, keep it". */
const startsDenial = /^(?:do not|don't|never|no(?=[,.!;:]|$)|deny|reject|decline|refuse|cancel|disallow)\b/;

/** Whether the name alone (in English) shows what the option does. */
export function nameMatchesKind({ name, kind }: NamedOption): boolean {
  const { allowIndex, denyIndex, isLasting, isOnce } = meaningOf(name);
  if (
    kind.startsWith('allow')
      ? allowIndex < 0 || denyIndex >= 0
      : denyIndex < 0 || (allowIndex >= 0 && allowIndex < denyIndex)
  )
    return false;
  return kind.endsWith('_always') ? isLasting && !isOnce : !isLasting;
}

/** Whether the name alone suggests the opposite: a "no" that allows, a "yes" that denies, or the wrong duration. */
export function nameContradictsKind({ name, kind }: NamedOption): boolean {
  const { allowIndex, denyIndex, isLasting, isOnce } = meaningOf(name);
  const [expected, opposite] = kind.startsWith('allow') ? [allowIndex, denyIndex] : [denyIndex, allowIndex];
  if (opposite >= 0 && (expected < 0 || opposite < expected)) return true;
  if (kind.endsWith('_once')) return isLasting && !isOnce;
  // A plain "yes" is read as a one-time answer. A plain "no" that is lasting does no harm.
  return isOnce || (kind === 'allow_always' && expected >= 0 && !isLasting);
}

/** Guesses the kind of an option that comes without one. Returns undefined if its name is ambiguous. */
export function guessKind(name: string): ApprovalOptionKind | undefined {
  const text = toWords(name);
  const isLasting = lastingScopeWords.test(text);
  const rest = withoutNotAsking(text).trim();
  const allows = allowingWords.test(rest);
  if (isDenial(name) || isDenial(text) || startsDenial.test(rest) || (!allows && denyingWords.test(rest))) {
    return isLasting || rest.startsWith('never') ? 'reject_always' : 'reject_once';
  }
  if (!allows || denyingWords.test(rest)) return undefined;
  return isLasting ? 'allow_always' : 'allow_once';
}

interface NameMeaning {
  /** Index of the first word that allows; -1 if there is none. */
  readonly allowIndex: number;
  readonly denyIndex: number;
  readonly isLasting: boolean;
  readonly isOnce: boolean;
}

function meaningOf(name: string): NameMeaning {
  const text = toWords(name);
  const rest = withoutNotAsking(text);
  const [deny, negate] = [rest.search(denyingWords), rest.search(negatingWords)];
  return {
    allowIndex: rest.search(allowingWords),
    denyIndex: deny < 0 || negate < 0 ? Math.max(deny, negate) : Math.min(deny, negate),
    isLasting: lastingScopeWords.test(text),
    isOnce: onceWords.test(text),
  };
}

/** "Don't ask again" contains a negation, but it is not a denial. */
function withoutNotAsking(text: string): string {
  return text.replaceAll(notAskingWords, ' ');
}

/** Converts a name such as `AlwaysAllow` or `always_allow` to lower-case words, separated by single spaces. */
function toWords(name: string): string {
  return name
    .normalize('NFKC')
    .replaceAll(/(\p{Ll})(?=\p{Lu})/gu, '$1 ')
    .replaceAll(/[_\s-]+/g, ' ')
    .replaceAll(/[’‘]/g, "'")
    .trim()
    .toLowerCase();
}
