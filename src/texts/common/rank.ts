import type { QueryTerm, TextQuery } from './textQuery';
import { foldForSearch } from './fold';
import { isConversationKind, type SearchableText, type TextKind } from './searchableText';
import { findTerm } from './termMatch';

/** The score of a match, depending on the field. */
const fieldScores = { title: 3, prompt: 2, answer: 1, work: 0.5 } as const;
export type SearchField = keyof typeof fieldScores;

const halfLifeMs = 30 * 24 * 3_600_000;

/**
 * Returns the average score of the terms' best fields, plus up to 1 for recent documents. Times are in milliseconds since
 * the epoch. Future times count as now.
 */
export function scoreDocument(fields: readonly SearchField[], lastPromptAt: number, nowMs: number): number {
  if (fields.length === 0) return 0;
  const sum = fields.reduce((total, field) => total + fieldScores[field], 0);
  return sum / fields.length + 2 ** -(Math.max(0, nowMs - lastPromptAt) / halfLifeMs);
}

function fieldOf(kind: TextKind): SearchField {
  return isConversationKind(kind) ? kind : 'work';
}

export interface RankedText {
  readonly text: SearchableText;
  /** Number of the query's terms that the text contains. */
  readonly termCount: number;
}

interface DocumentMatch extends TextMatch {
  readonly fields: readonly SearchField[];
}

interface TextMatch {
  /** For each term of the query, the field with the highest score that contains it. Undefined for a missing term. */
  readonly fields: readonly (SearchField | undefined)[];
  readonly titleTermCount: number;
  /** Texts with at least one term, sorted by number of terms, then by the score of their field. */
  readonly texts: readonly RankedText[];
}

/** Returns undefined unless the document contains all terms. */
export function matchDocument(
  query: TextQuery,
  title: string,
  texts: readonly SearchableText[],
): DocumentMatch | undefined {
  const match = matchTexts(query, title, texts);
  const fields = match.fields.flatMap((field) => field ?? []);
  return fields.length === query.terms.length && fields.length > 0 ? { ...match, fields } : undefined;
}

export function matchTexts(query: TextQuery, title: string, texts: readonly SearchableText[]): TextMatch {
  const bestFields = new Map<QueryTerm, SearchField>();
  const addTerms = (text: string, field: SearchField): number => {
    const found = termsIn(query, text);
    for (const term of found) {
      const known = bestFields.get(term);
      if (known === undefined || fieldScores[known] < fieldScores[field]) bestFields.set(term, field);
    }
    return found.length;
  };
  const titleTermCount = addTerms(title, 'title');
  const ranked = sorted(texts.map((text) => ({ text, termCount: addTerms(text.text, fieldOf(text.kind)) })));
  return { fields: query.terms.map((term) => bestFields.get(term)), titleTermCount, texts: ranked };
}

/** Returns the texts with at least one term, sorted like those of a `DocumentMatch`. */
export function rankTexts(query: TextQuery, texts: readonly SearchableText[]): readonly RankedText[] {
  return sorted(texts.map((text) => ({ text, termCount: countMatchingTerms(query, text.text) })));
}

export function countMatchingTerms(query: TextQuery, text: string): number {
  return termsIn(query, text).length;
}

function termsIn(query: TextQuery, text: string): readonly QueryTerm[] {
  const folded = foldForSearch(text);
  return query.terms.filter((term) => findTerm(folded, term) !== undefined);
}

function sorted(texts: readonly RankedText[]): readonly RankedText[] {
  return texts
    .filter(({ termCount }) => termCount > 0)
    .sort((one, other) => other.termCount - one.termCount || kindScore(other) - kindScore(one));
}

function kindScore({ text }: RankedText): number {
  return fieldScores[fieldOf(text.kind)];
}
