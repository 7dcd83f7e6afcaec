import { countMatchingTerms, scoreDocument, type RankedText, type SearchField } from '../common/rank';
import { snippetOf } from '../common/snippet';
import { selectBestHits, type TextHit, type UnscoredHit } from '../common/bestHits';
import type { TextQuery } from '../common/textQuery';
import { DocumentMatcher } from './documentMatcher';
import type { SegmentDocument, TextSegment } from './textSegment';
import { WordLookup } from './wordLookup';
import { wordFields } from './wordTable';

interface SearchScope {
  readonly segments: readonly TextSegment[];
  /** Whether the segment contains the newest version of the document. */
  isCurrent(document: SegmentDocument, segment: TextSegment): boolean;
}

export interface SearchRequest {
  readonly query: TextQuery;
  /** Maximum number of documents in the result. */
  readonly limit: number;
  readonly nowMs: number;
}

interface Candidate {
  readonly segment: TextSegment;
  readonly document: SegmentDocument;
  /** For each word, the highest-ranked field that contains it, according to the index of single words. */
  readonly fields: readonly SearchField[];
  /** The score determined from single words. The exact score is not higher. */
  readonly score: number;
}

const hitsPerDocument = 3;

/** Returns at most three hits per document, best document first. @throws IndexFileError or Error of Node.js */
export function searchSegments(scope: SearchScope, { query, limit, nowMs }: SearchRequest): readonly TextHit[] {
  const words = wordsToFind(query);
  if (words.length === 0) return [];
  const candidates = scope.segments
    .flatMap((segment) => candidatesOf(scope, segment, words, nowMs))
    .sort((one, other) => other.score - one.score);
  const hitsById = new Map<string, readonly TextHit[]>();
  const matcher = new DocumentMatcher(query, words.length, hitsPerDocument);
  for (const { segment, document, fields, score } of candidates) {
    if (hitsById.size >= limit) break;
    if (hitsById.has(document.documentId)) continue;
    const match = matcher.match(segment, document, fields);
    if (!match) continue;
    const exactScore = match.fields ? scoreDocument(match.fields, document.lastPromptAt, nowMs) : score;
    const hits = hitsOf(document, match.texts, query);
    if (hits.length === 0) continue;
    const scored = hits.map((hit) => ({ ...hit, score: exactScore }));
    hitsById.set(document.documentId, scored);
  }
  return [...hitsById.values()].flat().sort((one, other) => other.score - one.score);
}

function hitsOf(
  { documentId, title }: SegmentDocument,
  ranked: readonly RankedText[],
  query: TextQuery,
): readonly UnscoredHit[] {
  const titleHits: readonly UnscoredHit[] =
    countMatchingTerms(query, title) > 0 ? [{ documentId, kind: 'title', snippet: snippetOf(title, query) }] : [];
  return [...titleHits, ...selectBestHits(documentId, ranked, query, hitsPerDocument - titleHits.length)];
}

/** Returns the words to find. The longest word comes first, because it is probably the rarest. */
function wordsToFind({ terms }: TextQuery): readonly WordLookup[] {
  const lines = terms.flatMap(({ words, isPrefix }) =>
    words.map((word, index) => (isPrefix && index === words.length - 1 ? word : `${word}\n`)),
  );
  return [...new Set(lines)].sort((one, other) => other.length - one.length).map((line) => new WordLookup(line));
}

/** Returns the documents that contain all words. */
function candidatesOf(
  scope: SearchScope,
  segment: TextSegment,
  words: readonly WordLookup[],
  nowMs: number,
): readonly Candidate[] {
  const bestFields: Uint8Array[] = [];
  for (const word of words) {
    const best = word.bestFieldByDocument(segment.wordIndex, segment.documents.length);
    if (best.every((field) => field === 0)) return [];
    bestFields.push(best);
  }
  return segment.documents.flatMap((document, index) => {
    if (bestFields.some((best) => best[index] === 0) || !scope.isCurrent(document, segment)) return [];
    const fields = bestFields.map((best) => wordFields[(best[index] ?? 1) - 1] ?? 'work');
    return [{ segment, document, fields, score: scoreDocument(fields, document.lastPromptAt, nowMs) }];
  });
}
