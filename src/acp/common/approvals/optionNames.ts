import type { ApprovalOptionKind } from '../../../session/common/sessionEvents';
import {
  allowingWords,
  denyingWords,
  lastingScopeWords,
  negatingWords,
  notAskingWords,
  onceWords,
  normalizeOptionName,
} from '../../../session/common/optionWords';

export interface NamedOption {
  readonly name: string;
  readonly kind: ApprovalOptionKind;
}

const kindWords: Readonly<Record<ApprovalOptionKind, string>> = {
  allow_once: 'allows once',
  allow_always: 'always allows',
  reject_once: 'denies once',
  reject_always: 'always denies',
};

/** Returns unique names. Adds the kind to a name that contradicts it or is unclear, because the kind decides. */
export function uniqueOptionNames(options: readonly NamedOption[]): string[] {
  const usedNames = new Set<string>();
  return options.map((option, index) => {
    const { name, kind } = option;
    const isAlike = options.some(
      (other, otherIndex) => otherIndex !== index && normalizedName(other.name) === normalizedName(name),
    );
    const base = isAlike || !nameMatchesKind(option) ? `${name} (${kindWords[kind]})` : name;
    let unique = base;
    for (let count = 2; usedNames.has(unique); count++) unique = `${base} (${count})`;
    usedNames.add(unique);
    return unique;
  });
}

/** Whether the name alone (in English) shows what the option does. */
function nameMatchesKind({ name, kind }: NamedOption): boolean {
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

interface NameMeaning {
  /** Index of the first word that allows; -1 if there is none. */
  readonly allowIndex: number;
  readonly denyIndex: number;
  readonly isLasting: boolean;
  readonly isOnce: boolean;
}

function meaningOf(name: string): NameMeaning {
  const text = normalizeOptionName(name);
  // "Don't ask again" contains a negation, but it is not a denial.
  const rest = text.replaceAll(notAskingWords, ' ');
  const [deny, negate] = [rest.search(denyingWords), rest.search(negatingWords)];
  return {
    allowIndex: rest.search(allowingWords),
    denyIndex: deny < 0 || negate < 0 ? Math.max(deny, negate) : Math.min(deny, negate),
    isLasting: lastingScopeWords.test(text),
    isOnce: onceWords.test(text),
  };
}

function normalizedName(name: string): string {
  return name.normalize('NFKC').replaceAll(/\s+/g, ' ').trim().toLowerCase();
}
