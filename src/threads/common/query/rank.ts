import type { QueryTerm, ThreadQuery } from './threadQuery';
import { fold } from './fold';
import { findTerm } from './termMatch';

/** Where something was found, and what that is worth. */
export const fieldScores = { title: 3, prompt: 2, answer: 1 } as const;
export type SearchField = keyof typeof fieldScores;

const halfLifeMs = 30 * 24 * 3_600_000;

/**
 * A title counts more than a prompt, and that more than an answer; what is new counts up to one such step more. `fields`
 * has one for each term. Times are milliseconds since the epoch; those of the future count as now.
 */
export function scoreOf(fields: readonly SearchField[], lastPromptAt: number, nowMs: number): number {
  if (fields.length === 0) return 0;
  const sum = fields.reduce((total, field) => total + fieldScores[field], 0);
  return sum / fields.length + 2 ** -(Math.max(0, nowMs - lastPromptAt) / halfLifeMs);
}

export interface SearchedText {
  readonly entryId: string;
  readonly role: 'prompt' | 'answer';
  readonly text: string;
}

export interface RankedText {
  readonly text: SearchedText;
  /** How many of the terms are in it. */
  readonly terms: number;
}

/** What a thread matched with. */
export interface ThreadMatch {
  /** The best place of each term, in the order of the query. */
  readonly fields: readonly SearchField[];
  readonly titleTerms: number;
  /** Texts with at least one term, those with most terms first, and prompts before answers. */
  readonly texts: readonly RankedText[];
}

/** Undefined unless all terms are somewhere in the thread. */
export function matchThread(
  query: ThreadQuery,
  title: string,
  texts: readonly SearchedText[],
): ThreadMatch | undefined {
  const best = new Map<QueryTerm, SearchField>();
  const note = (term: QueryTerm, field: SearchField): void => {
    const known = best.get(term);
    if (known === undefined || fieldScores[known] < fieldScores[field]) best.set(term, field);
  };
  const termsIn = (text: string, field: SearchField): number => {
    const found = termsOf(query, text);
    for (const term of found) note(term, field);
    return found.length;
  };
  const titleTerms = termsIn(title, 'title');
  const ranked = sorted(texts.map((text) => ({ text, terms: termsIn(text.text, text.role) })));
  const fields = query.terms.flatMap((term) => best.get(term) ?? []);
  return fields.length === query.terms.length && fields.length > 0 ? { fields, titleTerms, texts: ranked } : undefined;
}

/** Those with at least one term, as in a `ThreadMatch`. */
export function rankTexts(query: ThreadQuery, texts: readonly SearchedText[]): readonly RankedText[] {
  return sorted(texts.map((text) => ({ text, terms: countTerms(query, text.text) })));
}

/** How many of the terms are in it. */
export function countTerms(query: ThreadQuery, text: string): number {
  return termsOf(query, text).length;
}

function termsOf(query: ThreadQuery, text: string): readonly QueryTerm[] {
  const folded = fold(text);
  return query.terms.filter((term) => findTerm(folded, term));
}

function sorted(texts: readonly RankedText[]): readonly RankedText[] {
  return texts
    .filter(({ terms }) => terms > 0)
    .sort((one, other) => other.terms - one.terms || fieldScores[other.text.role] - fieldScores[one.text.role]);
}
