import type { QueryTerm, ThreadQuery } from './threadQuery';
import { fold } from './fold';
import { isConversation, type SearchedText } from './searchedText';
import { type TextKind } from '../threadPorts';
import { findTerm } from './termMatch';

/** Where something was found, and what that is worth. */
const fieldScores = { title: 3, prompt: 2, answer: 1, work: 0.5 } as const;
export type SearchField = keyof typeof fieldScores;

const halfLifeMs = 30 * 24 * 3_600_000;

/**
 * A title counts more than a prompt, that more than an answer, and that more than all else; what is new counts up to one such step more. `fields`
 * has one for each term. Times are milliseconds since the epoch; those of the future count as now.
 */
export function scoreOf(fields: readonly SearchField[], lastPromptAt: number, nowMs: number): number {
  if (fields.length === 0) return 0;
  const sum = fields.reduce((total, field) => total + fieldScores[field], 0);
  return sum / fields.length + 2 ** -(Math.max(0, nowMs - lastPromptAt) / halfLifeMs);
}

function fieldOf(kind: TextKind): SearchField {
  return isConversation(kind) ? kind : 'work';
}

export interface RankedText {
  readonly text: SearchedText;
  /** How many of the terms are in it. */
  readonly terms: number;
}

interface ThreadMatch extends TextMatch {
  readonly fields: readonly SearchField[];
}

/** What a part of a thread matched with. */
interface TextMatch {
  /** The best place of each term, in the order of the query; undefined for one that is nowhere in it. */
  readonly fields: readonly (SearchField | undefined)[];
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
  const match = matchTexts(query, title, texts);
  const fields = match.fields.flatMap((field) => field ?? []);
  return fields.length === query.terms.length && fields.length > 0 ? { ...match, fields } : undefined;
}

export function matchTexts(query: ThreadQuery, title: string, texts: readonly SearchedText[]): TextMatch {
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
  const ranked = sorted(texts.map((text) => ({ text, terms: termsIn(text.text, fieldOf(text.kind)) })));
  return { fields: query.terms.map((term) => best.get(term)), titleTerms, texts: ranked };
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
  return query.terms.filter((term) => findTerm(folded, term) !== undefined);
}

function sorted(texts: readonly RankedText[]): readonly RankedText[] {
  return texts
    .filter(({ terms }) => terms > 0)
    .sort((one, other) => other.terms - one.terms || scoreOfKind(other) - scoreOfKind(one));
}

function scoreOfKind({ text }: RankedText): number {
  return fieldScores[fieldOf(text.kind)];
}
