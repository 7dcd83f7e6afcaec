import type { ApprovalOptionKind } from '../../../session/common/sessionEvents';
import {
  allowingWords,
  denyingWords,
  lastingWords,
  negatingWords,
  notAskingWords,
  onceWords,
  optionText,
} from '../../../session/common/optionWords';

export interface NamedOption {
  readonly name: string;
  readonly kind: ApprovalOptionKind;
}

const kindWords: Readonly<Record<ApprovalOptionKind, string>> = {
  allow_once: 'allows once',
  allow_always: 'always allows',
  reject_once: 'rejects once',
  reject_always: 'always rejects',
};

/**
 * The names under which options are offered, each once. An agent chooses both the name and the kind of an option, and it is
 * the kind that counts: where the name says something else, nothing clear, or what another one says, the kind is added.
 */
export function optionNames(options: readonly NamedOption[]): string[] {
  const used = new Set<string>();
  return options.map((option, index) => {
    const { name, kind } = option;
    const isAlike = options.some((other, at) => at !== index && folded(other.name) === folded(name));
    const told = isAlike || !saysItsKind(option) ? `${name} (${kindWords[kind]})` : name;
    let unique = told;
    for (let count = 2; used.has(unique); count++) unique = `${told} (${count})`;
    used.add(unique);
    return unique;
  });
}

/** Whether a reader of the name alone expects what the option does. Only English is understood. */
function saysItsKind({ name, kind }: NamedOption): boolean {
  const { yes, no, isLasting, isOnce } = meaningOf(name);
  if (kind.startsWith('allow') ? yes < 0 || no >= 0 : no < 0 || (yes >= 0 && yes < no)) return false;
  return kind.endsWith('_always') ? isLasting && !isOnce : !isLasting;
}

/**
 * Whether a reader of the name alone expects the opposite: a no of what allows, a yes of what denies, one time of what lasts,
 * or more than one time of what does not.
 */
export function contradictsItsKind({ name, kind }: NamedOption): boolean {
  const { yes, no, isLasting, isOnce } = meaningOf(name);
  const [said, opposite] = kind.startsWith('allow') ? [yes, no] : [no, yes];
  if (opposite >= 0 && (said < 0 || opposite < said)) return true;
  if (kind.endsWith('_once')) return isLasting && !isOnce;
  // A plain yes is taken for one time; that a plain no lasts hurts nobody.
  return isOnce || (kind === 'allow_always' && said >= 0 && !isLasting);
}

interface Meaning {
  /** Where the first word is that allows, and that denies; -1 without one. */
  readonly yes: number;
  readonly no: number;
  readonly isLasting: boolean;
  readonly isOnce: boolean;
}

function meaningOf(name: string): Meaning {
  const text = optionText(name);
  // "Yes, and don't ask again" denies nothing.
  const rest = text.replaceAll(notAskingWords, ' ');
  const [deny, negate] = [rest.search(denyingWords), rest.search(negatingWords)];
  return {
    yes: rest.search(allowingWords),
    no: deny < 0 || negate < 0 ? Math.max(deny, negate) : Math.min(deny, negate),
    isLasting: lastingWords.test(text),
    isOnce: onceWords.test(text),
  };
}

function folded(name: string): string {
  return name.normalize('NFKC').replaceAll(/\s+/g, ' ').trim().toLowerCase();
}
