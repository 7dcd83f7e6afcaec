import {
  countTerms,
  matchThread,
  rankTexts,
  scoreOf,
  type RankedText,
  type SearchField,
} from '../../common/query/rank';
import { snippetOf } from '../../common/query/snippet';
import type { ThreadQuery } from '../../common/query/threadQuery';
import type { ThreadHit } from '../../common/threadPorts';
import { mayFollow } from './pairFilter';
import { StoredTexts } from './storedTexts';
import type { SegmentThread, TextSegment } from './textSegment';
import { WordSearch } from './wordSearch';

export interface SearchScope {
  readonly segments: readonly TextSegment[];
  /** Whether this is what the file of the thread is now. */
  isCurrent(thread: SegmentThread, segment: TextSegment): boolean;
}

export interface SearchWish {
  readonly query: ThreadQuery;
  /** Threads, at most. */
  readonly limit: number;
  readonly nowMs: number;
}

interface Candidate {
  readonly segment: TextSegment;
  readonly thread: SegmentThread;
  /** By the words alone: the true one is not higher. */
  readonly score: number;
}

const hitsPerThread = 3;

/** The best threads first, at most three places of each. @throws IndexFileError or an Error of Node.js when a segment is lost */
export function searchSegments(scope: SearchScope, { query, limit, nowMs }: SearchWish): readonly ThreadHit[] {
  const words = wordsToFind(query);
  if (words.length === 0) return [];
  const candidates = scope.segments
    .flatMap((segment) => candidatesOf(segment, words, nowMs).filter(({ thread }) => scope.isCurrent(thread, segment)))
    .sort((one, other) => other.score - one.score);
  const found = new Map<string, readonly ThreadHit[]>();
  const phrases = phrasesOf(query);
  // Then the words alone say how well a thread matches.
  const isByWords = query.terms.length === words.length && query.terms.every((term) => term.words.length === 1);
  for (const candidate of candidates) {
    if (found.size >= limit) break;
    const { segment, thread, score } = candidate;
    const pairs = segment.pairs.subarray(thread.pairsStart, thread.pairsEnd);
    if (found.has(thread.threadId) || !phrases.every((phrase) => mayFollow(pairs, phrase))) continue;
    const texts = new StoredTexts(segment.readTexts(thread));
    const may = texts.mayHave(query.terms.map((term) => term.words));
    const match = isByWords
      ? undefined
      : matchThread(
          query,
          thread.title,
          texts.read((index) => may[index] !== 0),
        );
    if (!isByWords && !match) continue;
    const exact = match ? scoreOf(match.fields, thread.lastPromptAt, nowMs) : score;
    const hits = hitsOf(thread, match?.texts ?? bestTexts(query, texts, may), query);
    if (hits.length === 0) continue;
    found.set(
      thread.threadId,
      hits.map((hit) => ({ ...hit, score: exact })),
    );
  }
  return [...found.values()].flat().sort((one, other) => other.score - one.score);
}

/** The texts with most of the terms, of a thread that has them all, and maybe some with fewer. */
function bestTexts(query: ThreadQuery, texts: StoredTexts, may: Uint32Array): readonly RankedText[] {
  for (let least = query.terms.length; least > 0; least--) {
    const ranked = rankTexts(
      query,
      texts.read((index) => bitsIn(may[index] ?? 0) >= least),
    );
    if ((ranked[0]?.terms ?? 0) >= least) return ranked;
  }
  return [];
}

function bitsIn(value: number): number {
  let bits = 0;
  for (let rest = value; rest !== 0; rest &= rest - 1) bits++;
  return bits;
}

function hitsOf(
  { threadId, title }: SegmentThread,
  ranked: readonly RankedText[],
  query: ThreadQuery,
): readonly Omit<ThreadHit, 'score'>[] {
  const { text: titleSnippet, matches } = snippetOf(title, query);
  const ofTitle = countTerms(query, title) > 0 ? [{ threadId, snippet: titleSnippet, matches }] : [];
  const most = ranked[0]?.terms ?? 0;
  const ofTexts = ranked
    .filter(({ terms }) => terms === most)
    .slice(0, hitsPerThread - ofTitle.length)
    .map(({ text: { entryId, text } }) => {
      const snippet = snippetOf(text, query);
      return { threadId, entryId, snippet: snippet.text, matches: snippet.matches };
    });
  return [...ofTitle, ...ofTexts];
}

/** The longest first, which is likely to be the rarest. */
function wordsToFind({ terms }: ThreadQuery): readonly WordSearch[] {
  const lines = terms.flatMap(({ words, isPrefix }) =>
    words.map((word, index) => (isPrefix && index === words.length - 1 ? word : `${word}\n`)),
  );
  return [...new Set(lines)].sort((one, other) => other.length - one.length).map((line) => new WordSearch(line));
}

/** Whole words that have to follow each other. */
function phrasesOf({ terms }: ThreadQuery): readonly (readonly string[])[] {
  return terms
    .map(({ words, isPrefix }) => (isPrefix ? words.slice(0, -1) : words))
    .filter((words) => words.length > 1);
}

function candidatesOf(segment: TextSegment, words: readonly WordSearch[], nowMs: number): readonly Candidate[] {
  const [first, ...rest] = words;
  if (!first) return [];
  return threadsWith(segment, first).flatMap(({ thread, at }) => {
    const fields = [fieldAt(thread, at)];
    for (const word of rest) {
      const position = word.indexIn(segment.words.subarray(thread.titleStart, thread.wordsEnd));
      if (position < 0) return [];
      fields.push(fieldAt(thread, thread.titleStart + position));
    }
    return [{ segment, thread, score: scoreOf(fields, thread.lastPromptAt, nowMs) }];
  });
}

/** All threads that have the word, each with the first place of it: the lists with the best ones come first. */
function threadsWith(
  { words, threads }: TextSegment,
  word: WordSearch,
): readonly { thread: SegmentThread; at: number }[] {
  const found: { thread: SegmentThread; at: number }[] = [];
  let index = 0;
  let at = word.indexIn(words);
  while (at >= 0) {
    let thread = threads[index];
    while (thread && thread.wordsEnd <= at) thread = threads[++index];
    if (!thread) break;
    found.push({ thread, at });
    at = word.indexIn(words, thread.wordsEnd);
  }
  return found;
}

function fieldAt({ promptStart, answerStart }: SegmentThread, at: number): SearchField {
  if (at >= answerStart) return 'answer';
  return at >= promptStart ? 'prompt' : 'title';
}
