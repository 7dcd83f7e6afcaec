import type { ApprovalOptionKind } from '../../amplifier/common/events';

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
export function saysItsKind({ name, kind }: NamedOption): boolean {
  const text = folded(name).replaceAll(/[’‘]/g, "'");
  const isForAlways = lasting.test(text);
  // "Yes, and don't ask again" denies nothing.
  const rest = text.replaceAll(notAsking, ' ');
  const yes = rest.search(allowing);
  const no = rest.search(rejecting);
  if (kind.startsWith('allow') ? yes < 0 || no >= 0 : no < 0 || (yes >= 0 && yes < no)) return false;
  return kind.endsWith('_always') ? isForAlways && !single.test(text) : !isForAlways;
}

/**
 * Whether a reader of the name alone expects the opposite: a no of what allows, a yes of what denies, one time of what lasts,
 * or for good of what does not.
 */
export function contradictsItsKind({ name, kind }: NamedOption): boolean {
  const text = folded(name).replaceAll(/[’‘]/g, "'");
  const rest = text.replaceAll(notAsking, ' ');
  const yes = rest.search(allowing);
  const no = rest.search(rejecting);
  const [said, opposite] = kind.startsWith('allow') ? [yes, no] : [no, yes];
  if (opposite >= 0 && (said < 0 || opposite < said)) return true;
  if (kind.endsWith('_once')) return forGood.test(text) && !single.test(text);
  // A plain yes is taken for one time; that a plain no lasts hurts nobody.
  return single.test(text) || (kind === 'allow_always' && said >= 0 && !lasting.test(text));
}

const allowing =
  /\b(allow|allows|approve|accept|auto-accept|yes|ok|okay|proceed|continue|run|apply|grant|permit|trust|overwrite)\b/;
const rejecting =
  /\b(deny|denies|reject|rejects|no|not|never|don't|decline|refuse|cancel|skip|stop|abort|block|forbid|disallow|keep)\b/;
const lasting =
  /\b(always|all|every|everything|any|session|project|workspace|conversation|user|folder|forever|remember|auto-accept|never|permanently)\b|\b(don't|do not|without) ask/;
const forGood = /\b(always|forever|permanently|remember|auto-accept)\b|\b(don't|do not|never|without) ask/;
const notAsking = /\b(don't|do not|never|without|no longer) ask(ing)?( me)?( again)?\b/g;
const single = /\b(once|this time|just this|only this)\b/;

function folded(name: string): string {
  return name.normalize('NFKC').replaceAll(/\s+/g, ' ').trim().toLowerCase();
}
