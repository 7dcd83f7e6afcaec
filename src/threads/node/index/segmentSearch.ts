import { matchThread, scoreOf, type SearchField, type ThreadMatch } from '../../common/query/rank';
import { snippetOf } from '../../common/query/snippet';
import type { ThreadQuery } from '../../common/query/threadQuery';
import type { ThreadHit } from '../../common/threadPorts';
import { mayFollow } from './pairFilter';
import { decodeTexts, type SegmentThread, type TextSegment } from './textSegment';
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
  for (const { segment, thread } of candidates) {
    if (found.size >= limit) break;
    const pairs = segment.pairs.subarray(thread.pairsStart, thread.pairsEnd);
    if (found.has(thread.threadId) || !phrases.every((phrase) => mayFollow(pairs, phrase))) continue;
    const texts = decodeTexts(segment.readTexts(thread));
    const match = matchThread(query, thread.title, texts);
    if (match) found.set(thread.threadId, hitsOf(thread, match, query, nowMs));
  }
  return [...found.values()].flat().sort((one, other) => other.score - one.score);
}

function hitsOf(thread: SegmentThread, match: ThreadMatch, query: ThreadQuery, nowMs: number): readonly ThreadHit[] {
  const { threadId, title, lastPromptAt } = thread;
  const score = scoreOf(match.fields, lastPromptAt, nowMs);
  const { text: titleSnippet, matches } = snippetOf(title, query);
  const ofTitle = match.titleTerms > 0 ? [{ threadId, snippet: titleSnippet, matches, score }] : [];
  const most = match.texts[0]?.terms ?? 0;
  const ofTexts = match.texts
    .filter(({ terms }) => terms === most)
    .slice(0, hitsPerThread - ofTitle.length)
    .map(({ text: { entryId, text } }) => {
      const snippet = snippetOf(text, query);
      return { threadId, entryId, snippet: snippet.text, matches: snippet.matches, score };
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
