import { matchTexts, rankTexts, type RankedText, type SearchField } from '../../common/query/rank';
import type { SearchedText } from '../../common/query/searchedText';
import type { QueryTerm, ThreadQuery } from '../../common/query/threadQuery';
import { mayFollow } from './pairFilter';
import { StoredTexts } from './storedTexts';
import type { SegmentThread, TextSegment, ThreadPart } from './textSegment';
import { hashesOfWord } from './wordScan';

const parts: readonly ThreadPart[] = ['conversation', 'work'];

interface IndexedMatch {
  /** The best place of each term; undefined when that of each word says it. */
  readonly fields: readonly SearchField[] | undefined;
  /** Those with most terms first. */
  readonly texts: readonly RankedText[];
}

/**
 * Finds the best texts of a thread that may match. Its conversation is read first: what tools gave back is many times as
 * long, and is read only for what was not found there.
 */
export class ThreadMatcher {
  /** Then the words alone say how well a thread matches. */
  private readonly isByWords: boolean;
  /** Of each term, the hashes of its whole words. */
  private readonly hashes: readonly (readonly number[])[];

  /** `words` is how many different words are looked for. */
  constructor(
    private readonly query: ThreadQuery,
    words: number,
    private readonly maxTexts: number,
  ) {
    this.isByWords = query.terms.length === words && query.terms.every((term) => term.words.length === 1);
    this.hashes = query.terms.map(hashesOf);
  }

  /** `fields` are the best ones of each word. Undefined for a thread that does not match. */
  match(segment: TextSegment, thread: SegmentThread, fields: readonly SearchField[]): IndexedMatch | undefined {
    return this.isByWords ? this.byWords(segment, thread, fields) : this.byTerms(segment, thread);
  }

  private byWords(segment: TextSegment, thread: SegmentThread, fields: readonly SearchField[]): IndexedMatch {
    const all = this.query.terms.length;
    const said = this.bestTexts(new StoredTexts(segment.readTexts(thread, 'conversation')));
    const isInWork = fields.includes('work');
    if (!isInWork || said[0]?.terms === all) return { fields: undefined, texts: said };
    const work = this.bestTexts(new StoredTexts(segment.readTexts(thread, 'work')));
    return { fields: undefined, texts: (work[0]?.terms ?? 0) > (said[0]?.terms ?? 0) ? work : [...said, ...work] };
  }

  private byTerms(segment: TextSegment, thread: SegmentThread): IndexedMatch | undefined {
    const { query } = this;
    if (!this.hashes.every((words) => parts.some((part) => mayFollow(segment.pairsOf(thread, part), words))))
      return undefined;
    const said = matchTexts(query, thread.title, this.possible(segment, thread, 'conversation'));
    const saidFields = said.fields.flatMap((field) => field ?? []);
    if (saidFields.length === query.terms.length && said.texts.length + said.titleTerms > 0)
      return { fields: saidFields, texts: said.texts };
    const work = matchTexts(query, '', this.possible(segment, thread, 'work'));
    const fields = said.fields.map((field, index) => field ?? work.fields[index]);
    if (fields.some((field) => field === undefined)) return undefined;
    const texts = [...said.texts, ...work.texts].sort((one, other) => other.terms - one.terms);
    return { fields: fields.flatMap((field) => field ?? []), texts };
  }

  /** The texts that may have a term. */
  private possible(segment: TextSegment, thread: SegmentThread, part: ThreadPart): readonly SearchedText[] {
    const pairs = segment.pairsOf(thread, part);
    if (!this.hashes.some((words) => mayFollow(pairs, words))) return [];
    const texts = new StoredTexts(segment.readTexts(thread, part));
    const may = texts.mayHave(this.query.terms);
    return texts.read((index) => may[index] !== 0);
  }

  /** The texts with most of the terms, of a thread that has them all, and maybe some with fewer. */
  private bestTexts(texts: StoredTexts): readonly RankedText[] {
    const { query, maxTexts } = this;
    const may = texts.mayHave(query.terms);
    for (let least = query.terms.length; least > 0; least--) {
      let left = maxTexts;
      // A text that may have them nearly always has them.
      const first = texts.read((index) => bitsIn(may[index] ?? 0) >= least && left-- > 0);
      const ranked = rankTexts(query, first);
      const isEnough = ranked.filter(({ terms }) => terms >= least).length === maxTexts;
      const all =
        isEnough || left >= 0
          ? ranked
          : rankTexts(
              query,
              texts.read((index) => bitsIn(may[index] ?? 0) >= least),
            );
      if ((all[0]?.terms ?? 0) >= least) return all;
    }
    return [];
  }
}

function hashesOf({ words, isPrefix }: QueryTerm): readonly number[] {
  return (isPrefix ? words.slice(0, -1) : words).map((word) => hashesOfWord(Buffer.from(word))[0]);
}

function bitsIn(value: number): number {
  let bits = 0;
  for (let rest = value; rest !== 0; rest &= rest - 1) bits++;
  return bits;
}
