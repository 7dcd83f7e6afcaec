import { matchTexts, rankTexts, type RankedText, type SearchField } from '../../common/query/rank';
import type { SearchableText } from '../../common/query/searchableText';
import type { QueryTerm, ThreadQuery } from '../../common/query/threadQuery';
import { mayContainSequence } from './pairFilter';
import { StoredTexts } from './storedTexts';
import type { SegmentThread, TextSegment, ThreadTextPart } from './textSegment';
import { hashWord } from './wordScanner';

const parts: readonly ThreadTextPart[] = ['conversation', 'work'];

interface IndexedMatch {
  /** The best field of each term. Undefined if the best fields of the words are already exact. */
  readonly fields: readonly SearchField[] | undefined;
  /** The texts, those with the most terms first. */
  readonly texts: readonly RankedText[];
}

/**
 * Finds the best texts of a thread that may match. Searches the conversation first. The much longer texts of tools are
 * searched only for terms that the conversation does not contain.
 */
export class ThreadMatcher {
  /** Whether each term is a single word. The index of words then already gives the exact score. */
  private readonly hasOnlyWords: boolean;
  /** The hashes of the complete words of each term. */
  private readonly termHashes: readonly (readonly number[])[];

  /** `wordCount` is the number of different words in the query. */
  constructor(
    private readonly query: ThreadQuery,
    wordCount: number,
    private readonly maxTexts: number,
  ) {
    this.hasOnlyWords = query.terms.length === wordCount && query.terms.every((term) => term.words.length === 1);
    this.termHashes = query.terms.map(hashesOfTerm);
  }

  /**
   * Returns the texts that match best. `fields` contains, for each word of the query, the field in which it matches
   * best. Undefined if the thread does not match.
   */
  match(segment: TextSegment, thread: SegmentThread, fields: readonly SearchField[]): IndexedMatch | undefined {
    return this.hasOnlyWords ? this.matchWords(segment, thread, fields) : this.matchTerms(segment, thread);
  }

  private matchWords(segment: TextSegment, thread: SegmentThread, fields: readonly SearchField[]): IndexedMatch {
    const conversation = this.bestTexts(new StoredTexts(segment.readTexts(thread, 'conversation')));
    const most = conversation[0]?.termCount ?? 0;
    if (!fields.includes('work') || most === this.query.terms.length) return { fields: undefined, texts: conversation };
    const work = this.bestTexts(new StoredTexts(segment.readTexts(thread, 'work')));
    return { fields: undefined, texts: (work[0]?.termCount ?? 0) > most ? work : [...conversation, ...work] };
  }

  private matchTerms(segment: TextSegment, thread: SegmentThread): IndexedMatch | undefined {
    const { query } = this;
    const mayMatch = (words: readonly number[]): boolean =>
      parts.some((part) => mayContainSequence(segment.pairFilterOf(thread, part), words));
    if (!this.termHashes.every(mayMatch)) return undefined;
    const conversation = matchTexts(query, thread.title, this.readPossibleTexts(segment, thread, 'conversation'));
    const foundFields = conversation.fields.flatMap((field) => field ?? []);
    if (foundFields.length === query.terms.length && conversation.texts.length + conversation.titleTermCount > 0)
      return { fields: foundFields, texts: conversation.texts };
    const work = matchTexts(query, '', this.readPossibleTexts(segment, thread, 'work'));
    const fields = conversation.fields.map((field, index) => field ?? work.fields[index]);
    if (fields.some((field) => field === undefined)) return undefined;
    const texts = [...conversation.texts, ...work.texts].sort((one, other) => other.termCount - one.termCount);
    return { fields: fields.flatMap((field) => field ?? []), texts };
  }

  /** Returns the texts that may contain a term. */
  private readPossibleTexts(
    segment: TextSegment,
    thread: SegmentThread,
    part: ThreadTextPart,
  ): readonly SearchableText[] {
    const pairs = segment.pairFilterOf(thread, part);
    if (!this.termHashes.some((words) => mayContainSequence(pairs, words))) return [];
    const texts = new StoredTexts(segment.readTexts(thread, part));
    const masks = texts.possibleTermMasks(this.query.terms);
    return texts.readTexts((index) => masks[index] !== 0);
  }

  /** Returns the texts with the most terms. May also return some with fewer terms. */
  private bestTexts(texts: StoredTexts): readonly RankedText[] {
    const { query, maxTexts } = this;
    const masks = texts.possibleTermMasks(query.terms);
    for (let minTerms = query.terms.length; minTerms > 0; minTerms--) {
      let left = maxTexts;
      // A text that may contain the terms almost always contains them, so reading the first of these texts is usually enough.
      const first = texts.readTexts((index) => countBits(masks[index] ?? 0) >= minTerms && left-- > 0);
      const ranked = rankTexts(query, first);
      const isEnough = ranked.filter(({ termCount }) => termCount >= minTerms).length === maxTexts;
      const isComplete = isEnough || left >= 0;
      const possible = isComplete ? [] : texts.readTexts((index) => countBits(masks[index] ?? 0) >= minTerms);
      const all = isComplete ? ranked : rankTexts(query, possible);
      if ((all[0]?.termCount ?? 0) >= minTerms) return all;
    }
    return [];
  }
}

function hashesOfTerm({ words, isPrefix }: QueryTerm): readonly number[] {
  return (isPrefix ? words.slice(0, -1) : words).map((word) => hashWord(Buffer.from(word))[0]);
}

function countBits(value: number): number {
  let bits = 0;
  for (let rest = value; rest !== 0; rest &= rest - 1) bits++;
  return bits;
}
