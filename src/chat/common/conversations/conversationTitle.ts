import { oneLine } from '../../../base/common/text/oneLine';

const maxWords = 6;
const maxUnits = 60;
/** A title is cut only after so many words. */
const minWords = 3;

/** Beginnings that say nothing about the task. */
const courtesies =
  /^(?:(?:hi|hello|hey|please)(?:[\s,.!]+|$)|(?:can|could|would|will) you |i(?: would|['’]d) like (?:you )?to |i (?:want|need) (?:you )?to |help me (?:to )?|let['’]s )+/i;
const hasWords = /[\p{L}\p{N}]/u;
/** Words that begin a part of a sentence that explains what comes before. */
const clauses: ReadonlySet<string> = new Set(
  'that which who where when while because since so if unless until but then'.split(' '),
);
/** Words that no title ends with. */
const connectives: ReadonlySet<string> = new Set(
  'a an the this these those my our your its of to in into on at by for from with without and or as is are be not'.split(
    ' ',
  ),
);

/**
 * A title of a few words for a prompt, or for a title that an agent gives, which may be a prompt as well. Up to six words are
 * left as they are. Of more, the title is the beginning of the first sentence that has words.
 */
export function shortTitle(text: string): string {
  const line = text.split('\n').find((candidate) => hasWords.test(candidate)) ?? '';
  const words = oneLine(line);
  if (words === '') return 'New conversation';
  return cutToUnits(words.split(' ').length <= maxWords ? words : firstWords(words));
}

function firstWords(line: string): string {
  const task = line.replace(courtesies, '');
  const rest = hasWords.test(task) ? task : line;
  const sentence = rest.split(/(?<=[.!?;:])\s/)[0] ?? '';
  const parts = (sentence.split(' ').length < minWords ? rest : sentence).split(' ').filter((part) => part !== '');
  const firstWord = parts.findIndex((part) => hasWords.test(part));
  const all = parts.slice(Math.max(0, firstWord));
  const clause = all.findIndex((word, at) => at >= minWords && clauses.has(word.toLowerCase()));
  const words = all.slice(0, clause < 0 ? maxWords : Math.min(clause, maxWords));
  if (words.length < all.length) {
    while (words.length > 1 && connectives.has(words.at(-1)?.toLowerCase() ?? '')) words.pop();
  }
  const title = words.join(' ').replace(/[\s.,;:!]+$/, '') || words.join(' ');
  // Words of code, such as names of functions, keep their case.
  return rest === line || !/^\p{Ll}+(?= |$)/u.test(title) ? title : title.charAt(0).toUpperCase() + title.slice(1);
}

function cutToUnits(words: string): string {
  if (words.length <= maxUnits) return words;
  const cut = words.slice(0, maxUnits);
  const end = cut.lastIndexOf(' ');
  return `${(end > maxUnits / 2 ? cut.slice(0, end) : cut).toWellFormed().replace(/\uFFFD$/, '')}…`;
}
