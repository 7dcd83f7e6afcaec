import { countMatchingTerms, scoreThread, type RankedText, type SearchField } from '../../common/query/rank';
import { snippetOf } from '../../common/query/snippet';
import { selectBestHits, type UnscoredHit } from '../../common/query/textHits';
import type { ThreadQuery } from '../../common/query/threadQuery';
import type { ThreadHit } from '../../common/threadPorts';
import { ThreadMatcher } from './threadMatcher';
import type { SegmentThread, TextSegment } from './textSegment';
import { WordLookup } from './wordLookup';
import { wordFields } from './wordTable';

interface SearchScope {
  readonly segments: readonly TextSegment[];
  /** Whether the segment contains the newest version of the thread. */
  isCurrent(thread: SegmentThread, segment: TextSegment): boolean;
}

export interface SearchRequest {
  readonly query: ThreadQuery;
  /** Maximum number of threads in the result. */
  readonly limit: number;
  readonly nowMs: number;
}

interface Candidate {
  readonly segment: TextSegment;
  readonly thread: SegmentThread;
  /** For each word, the highest-ranked field that contains it, according to the index of single words. */
  readonly fields: readonly SearchField[];
  /** The score determined from single words. The exact score is not higher. */
  readonly score: number;
}

const hitsPerThread = 3;

/** Returns at most three hits per thread, best thread first. @throws IndexFileError or Error of Node.js */
export function searchSegments(scope: SearchScope, { query, limit, nowMs }: SearchRequest): readonly ThreadHit[] {
  const words = wordsToFind(query);
  if (words.length === 0) return [];
  const candidates = scope.segments
    .flatMap((segment) => candidatesOf(scope, segment, words, nowMs))
    .sort((one, other) => other.score - one.score);
  const hitsById = new Map<string, readonly ThreadHit[]>();
  const matcher = new ThreadMatcher(query, words.length, hitsPerThread);
  for (const { segment, thread, fields, score } of candidates) {
    if (hitsById.size >= limit) break;
    if (hitsById.has(thread.threadId)) continue;
    const match = matcher.match(segment, thread, fields);
    if (!match) continue;
    const exactScore = match.fields ? scoreThread(match.fields, thread.lastPromptAt, nowMs) : score;
    const hits = hitsOf(thread, match.texts, query);
    if (hits.length === 0) continue;
    const scored = hits.map((hit) => ({ ...hit, score: exactScore }));
    hitsById.set(thread.threadId, scored);
  }
  return [...hitsById.values()].flat().sort((one, other) => other.score - one.score);
}

function hitsOf(
  { threadId, title }: SegmentThread,
  ranked: readonly RankedText[],
  query: ThreadQuery,
): readonly UnscoredHit[] {
  const titleHits: readonly UnscoredHit[] =
    countMatchingTerms(query, title) > 0 ? [{ threadId, kind: 'title', snippet: snippetOf(title, query) }] : [];
  return [...titleHits, ...selectBestHits(threadId, ranked, query, hitsPerThread - titleHits.length)];
}

/** Returns the words to find. The longest word comes first, because it is probably the rarest. */
function wordsToFind({ terms }: ThreadQuery): readonly WordLookup[] {
  const lines = terms.flatMap(({ words, isPrefix }) =>
    words.map((word, index) => (isPrefix && index === words.length - 1 ? word : `${word}\n`)),
  );
  return [...new Set(lines)].sort((one, other) => other.length - one.length).map((line) => new WordLookup(line));
}

/** Returns the threads that contain all words. */
function candidatesOf(
  scope: SearchScope,
  segment: TextSegment,
  words: readonly WordLookup[],
  nowMs: number,
): readonly Candidate[] {
  const bestFields: Uint8Array[] = [];
  for (const word of words) {
    const best = word.bestFieldByThread(segment.wordIndex, segment.threads.length);
    if (best.every((field) => field === 0)) return [];
    bestFields.push(best);
  }
  return segment.threads.flatMap((thread, index) => {
    if (bestFields.some((best) => best[index] === 0) || !scope.isCurrent(thread, segment)) return [];
    const fields = bestFields.map((best) => wordFields[(best[index] ?? 1) - 1] ?? 'work');
    return [{ segment, thread, fields, score: scoreThread(fields, thread.lastPromptAt, nowMs) }];
  });
}
