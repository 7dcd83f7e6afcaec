import { countTerms, scoreOf, type RankedText, type SearchField } from '../../common/query/rank';
import { snippetOf } from '../../common/query/snippet';
import { bestPlaces, type Place } from '../../common/query/textHits';
import type { ThreadQuery } from '../../common/query/threadQuery';
import type { ThreadHit } from '../../common/threadPorts';
import { ThreadMatcher } from './threadMatcher';
import type { SegmentThread, TextSegment } from './textSegment';
import { WordLookup } from './wordLookup';
import { wordFields } from './wordTable';

interface SearchScope {
  readonly segments: readonly TextSegment[];
  /** Whether this is what the file of the thread is now. */
  isCurrent(thread: SegmentThread, segment: TextSegment): boolean;
}

export interface SearchRequest {
  readonly query: ThreadQuery;
  /** Threads, at most. */
  readonly limit: number;
  readonly nowMs: number;
}

interface Candidate {
  readonly segment: TextSegment;
  readonly thread: SegmentThread;
  /** Where each word is found best, by the words alone. */
  readonly fields: readonly SearchField[];
  /** By the words alone: the true one is not higher. */
  readonly score: number;
}

const hitsPerThread = 3;

/** The best threads first, at most three places of each. @throws IndexFileError or an Error of Node.js when a segment is lost */
export function searchSegments(scope: SearchScope, { query, limit, nowMs }: SearchRequest): readonly ThreadHit[] {
  const words = wordsToFind(query);
  if (words.length === 0) return [];
  const candidates = scope.segments
    .flatMap((segment) => candidatesOf(scope, segment, words, nowMs))
    .sort((one, other) => other.score - one.score);
  const found = new Map<string, readonly ThreadHit[]>();
  const matcher = new ThreadMatcher(query, words.length, hitsPerThread);
  for (const { segment, thread, fields, score } of candidates) {
    if (found.size >= limit) break;
    if (found.has(thread.threadId)) continue;
    const match = matcher.match(segment, thread, fields);
    if (!match) continue;
    const exact = match.fields ? scoreOf(match.fields, thread.lastPromptAt, nowMs) : score;
    const hits = hitsOf(thread, match.texts, query);
    if (hits.length === 0) continue;
    found.set(
      thread.threadId,
      hits.map((hit) => ({ ...hit, score: exact })),
    );
  }
  return [...found.values()].flat().sort((one, other) => other.score - one.score);
}

function hitsOf(
  { threadId, title }: SegmentThread,
  ranked: readonly RankedText[],
  query: ThreadQuery,
): readonly Place[] {
  const ofTitle: readonly Place[] =
    countTerms(query, title) > 0 ? [{ threadId, kind: 'title', snippet: snippetOf(title, query) }] : [];
  return [...ofTitle, ...bestPlaces(threadId, ranked, query, hitsPerThread - ofTitle.length)];
}

/** The longest first, which is likely to be the rarest. */
function wordsToFind({ terms }: ThreadQuery): readonly WordLookup[] {
  const lines = terms.flatMap(({ words, isPrefix }) =>
    words.map((word, index) => (isPrefix && index === words.length - 1 ? word : `${word}\n`)),
  );
  return [...new Set(lines)].sort((one, other) => other.length - one.length).map((line) => new WordLookup(line));
}

/** The threads that have all words. */
function candidatesOf(
  scope: SearchScope,
  segment: TextSegment,
  words: readonly WordLookup[],
  nowMs: number,
): readonly Candidate[] {
  const found: Uint8Array[] = [];
  for (const word of words) {
    const best = word.bestFields(segment.lists, segment.threads.length);
    if (best.every((field) => field === 0)) return [];
    found.push(best);
  }
  return segment.threads.flatMap((thread, index) => {
    if (found.some((best) => best[index] === 0) || !scope.isCurrent(thread, segment)) return [];
    const fields = found.map((best) => wordFields[(best[index] ?? 1) - 1] ?? 'work');
    return [{ segment, thread, fields, score: scoreOf(fields, thread.lastPromptAt, nowMs) }];
  });
}
