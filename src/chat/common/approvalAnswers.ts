import { isDenial } from '../../amplifier/common/approvalOptions';
import type { ApprovalOption } from './chatView';

export interface AnswerGroup {
  /** Given by its button and by its key; never one that lasts. */
  readonly plain: ApprovalOption | undefined;
  /** The others of the group, in the order in which they were sent. */
  readonly menu: readonly ApprovalOption[];
}

/** The answers of a question as a card offers them: each option once. */
export interface Answers {
  readonly allow: AnswerGroup;
  readonly deny: AnswerGroup;
  /** What neither allows nor denies, as far as is known. */
  readonly others: readonly ApprovalOption[];
}

type Kind = ApprovalOption['kind'];

export function answersOf(options: readonly ApprovalOption[]): Answers {
  return {
    allow: groupOf(options, 'allow'),
    deny: groupOf(options, 'reject'),
    others: options.filter(({ kind }) => kind === 'other'),
  };
}

/** Whether the option is an answer to later questions, too. */
export function isLasting({ kind }: Pick<ApprovalOption, 'kind'>): boolean {
  return kind === 'allow_always' || kind === 'reject_always';
}

/** What an option does, in a sentence that follows its name. */
export const kindSentences: Readonly<Record<Kind, string>> = {
  allow_once: 'Despite its name, this allows once.',
  allow_always: 'Despite its name, this allows from now on.',
  reject_once: 'Despite its name, this denies once.',
  reject_always: 'Despite its name, this denies from now on.',
  other: 'It is not known what this does.',
};

/** Whether the name says the opposite of what the option does. */
export function saysOpposite({ kind, label }: Pick<ApprovalOption, 'kind' | 'label'>): boolean {
  const said = directionOf(kindOf(label));
  const meant = directionOf(kind);
  return said !== 'other' && meant !== 'other' && said !== meant;
}

/** By its words, for an option whose server does not say what it means. What is not clear is `other`. */
export function kindOf(label: string): Kind {
  const text = wordsOf(label);
  const isForAlways = lasting.test(text) || notAsking.test(text);
  // "Yes, and don't ask again" denies nothing.
  const rest = text.replaceAll(everyNotAsking, ' ').trim();
  const allows = allowing.test(rest);
  if (isDenial(label) || isDenial(text) || startsDenial.test(rest) || (!allows && denying.test(rest))) {
    return isForAlways || rest.startsWith('never') ? 'reject_always' : 'reject_once';
  }
  if (!allows || denying.test(rest)) return 'other';
  return isForAlways ? 'allow_always' : 'allow_once';
}

const allowing =
  /\b(?:allow|allowed|approve|approved|accept|yes|ok|okay|proceed|continue|confirm|run|apply|grant|permit|trust|overwrite)\b/;
const denying = /\b(?:deny|denied|reject|rejected|decline|refuse|cancel|skip|stop|abort|block|forbid|disallow)\b/;
/** Whatever comes behind it: "Do not run", "No, keep it". */
const startsDenial = /^(?:do not|don't|never|no(?=[,.!;:]|$)|deny|reject|decline|refuse|cancel|disallow)\b/;
const lasting =
  /\b(?:always|all|any|every|everything|session|conversation|project|workspace|folder|forever|remember|permanently|never|trust)\b/;
const notAsking = /\b(?:don't|do not|never|without|no longer) ask(?:ing)?\b/;
const everyNotAsking = new RegExp(`${notAsking.source}(?: me)?(?: again)?`, 'g');

/** `AlwaysAllow` and `always_allow` are words, too. */
function wordsOf(label: string): string {
  return label
    .normalize('NFKC')
    .replaceAll(/(\p{Ll})(?=\p{Lu})/gu, '$1 ')
    .replaceAll(/[_\s-]+/g, ' ')
    .replaceAll(/[’‘]/g, "'")
    .trim()
    .toLowerCase();
}

function groupOf(options: readonly ApprovalOption[], direction: 'allow' | 'reject'): AnswerGroup {
  const group = options.filter(({ kind }) => directionOf(kind) === direction);
  const plain = group.find((option) => !isLasting(option) && !saysOpposite(option));
  return { plain, menu: group.filter((option) => option !== plain) };
}

function directionOf(kind: Kind): 'allow' | 'reject' | 'other' {
  if (kind === 'other') return 'other';
  return kind.startsWith('allow') ? 'allow' : 'reject';
}
