import { nameMatchesKind, type NamedOption } from '../../../session/common/optionMeaning';
import type { ApprovalOptionKind } from '../../../session/common/sessionEvents';

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

function normalizedName(name: string): string {
  return name.normalize('NFKC').replaceAll(/\s+/g, ' ').trim().toLowerCase();
}
