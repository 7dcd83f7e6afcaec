import { matchTexts, rankTexts, type RankedText, type SearchField } from '../common/rank';
import type { SearchableText } from '../common/searchableText';
import type { QueryTerm, TextQuery } from '../common/textQuery';
import { mayContainSequence } from './pairFilter';
import { StoredTexts } from './storedTexts';
import type { SegmentDocument, TextSegment, DocumentTextPart } from './textSegment';
import { hashWord } from './wordScanner';

const parts: readonly DocumentTextPart[] = ['conversation', 'work'];

interface IndexedMatch {
  /** The best field of each term. Undefined if the best fields of the words are already exact. */
  readonly fields: readonly SearchField[] | undefined;
  /** The texts, those with the most terms first. */
  readonly texts: readonly RankedText[];
}

/**
 * Finds the best texts of a document that may match. Searches the conversation first. The much longer texts of tools are
 * searched only for terms that the conversation does not contain.
 */
export class DocumentMatcher {
  /** Whether each term is a single word. The index of words then already gives the exact score. */
  private readonly hasOnlyWords: boolean;
  /** The hashes of the complete words of each term. */
  private readonly termHashes: readonly (readonly number[])[];

  /** `wordCount` is the number of different words in the query. */
  constructor(
    private readonly query: TextQuery,
    wordCount: number,
    private readonly maxTexts: number,
  ) {
    this.hasOnlyWords = query.terms.length === wordCount && query.terms.every((term) => term.words.length === 1);
    this.termHashes = query.terms.map(hashesOfTerm);
  }

  /**
   * Returns the texts that match best. `fields` contains, for each word of the query, the field in which it matches
   * best. Undefined if the document does not match.
   */
  match(segment: TextSegment, document: SegmentDocument, fields: readonly SearchField[]): IndexedMatch | undefined {
    return this.hasOnlyWords ? this.matchWords(segment, document, fields) : this.matchTerms(segment, document);
  }

  private matchWords(segment: TextSegment, document: SegmentDocument, fields: readonly SearchField[]): IndexedMatch {
    const conversation = this.bestTexts(new StoredTexts(segment.readTexts(document, 'conversation')));
    const most = conversation[0]?.termCount ?? 0;
    if (!fields.includes('work') || most === this.query.terms.length) return { fields: undefined, texts: conversation };
    const work = this.bestTexts(new StoredTexts(segment.readTexts(document, 'work')));
    return { fields: undefined, texts: (work[0]?.termCount ?? 0) > most ? work : [...conversation, ...work] };
  }

  private matchTerms(segment: TextSegment, document: SegmentDocument): IndexedMatch | undefined {
    const { query } = this;
    const mayMatch = (words: readonly number[]): boolean =>
      parts.some((part) => mayContainSequence(segment.pairFilterOf(document, part), words));
    if (!this.termHashes.every(mayMatch)) return undefined;
    const conversation = matchTexts(query, document.title, this.readPossibleTexts(segment, document, 'conversation'));
    const foundFields = conversation.fields.flatMap((field) => field ?? []);
    if (foundFields.length === query.terms.length && conversation.texts.length + conversation.titleTermCount > 0)
      return { fields: foundFields, texts: conversation.texts };
    const work = matchTexts(query, '', this.readPossibleTexts(segment, document, 'work'));
    const fields = conversation.fields.map((field, index) => field ?? work.fields[index]);
    if (fields.some((field) => field === undefined)) return undefined;
    const texts = [...conversation.texts, ...work.texts].sort((one, other) => other.termCount - one.termCount);
    return { fields: fields.flatMap((field) => field ?? []), texts };
  }

  /** Returns the texts that may contain a term. */
  private readPossibleTexts(
    segment: TextSegment,
    document: SegmentDocument,
    part: DocumentTextPart,
  ): readonly SearchableText[] {
    const pairs = segment.pairFilterOf(document, part);
    if (!this.termHashes.some((words) => mayContainSequence(pairs, words))) return [];
    const texts = new StoredTexts(segment.readTexts(document, part));
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
