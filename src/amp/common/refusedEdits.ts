/** An edit of a protected file that a client asked for and that was not made. */
export interface RefusedEdit {
  readonly id: number;
  /** Absolute. */
  readonly path: string;
  /** See `Protection.reason`. */
  readonly reason: string;
  /** The whole text that the file would have. */
  readonly after: string;
}

/** Times are those of the monotonic clock, in milliseconds. */
type RefusedEditState = RefusedEdit &
  (
    | { readonly kind: 'asked' }
    /** The user's word, for one edit. */
    | { readonly kind: 'allowed'; readonly until: number }
    /** Until then the user is not asked again. */
    | { readonly kind: 'denied'; readonly until: number }
    /** The file on disk has this text, though nobody allowed it: it was written past the editor. */
    | { readonly kind: 'written' }
  );

export type RefusedEditEvent =
  | { readonly kind: 'refused'; readonly edit: RefusedEdit; readonly now: number }
  /** `answer` is undefined when the question was closed without one. */
  | { readonly kind: 'answered'; readonly id: number; readonly answer: EditAnswer | undefined; readonly now: number }
  /** The edit that was allowed has been made. */
  | { readonly kind: 'made'; readonly id: number }
  | { readonly kind: 'foundOnDisk'; readonly id: number };

export type EditAnswer = 'allow' | 'deny';

export type RefusedEdits = readonly RefusedEditState[];

/** How long an answer holds. */
export const answerMs = 10 * 60_000;
export const maxQuestions = 8;
/** UTF-16 units of all edits that the user is asked about at one time. */
export const maxQuestionLength = 16 * 1024 * 1024;
/** Older ones are forgotten. */
const maxAnswers = 32;

export function reduceRefusedEdits(edits: RefusedEdits, event: RefusedEditEvent): RefusedEdits {
  switch (event.kind) {
    case 'refused':
      return [...current(edits, event.now), { ...event.edit, kind: 'asked' }];
    case 'answered': {
      const found = edits.find((edit) => edit.id === event.id);
      // What was written meanwhile stays so: the answer came too late.
      if (found?.kind !== 'asked') return edits;
      const others = edits.filter((edit) => edit !== found);
      if (event.answer === undefined) return others;
      const until = event.now + answerMs;
      return [...others, { ...found, kind: event.answer === 'allow' ? 'allowed' : 'denied', until }];
    }
    case 'made':
      return edits.filter((edit) => edit.id !== event.id);
    case 'foundOnDisk':
      return edits.map((edit) => {
        const isRefused = edit.kind === 'asked' || edit.kind === 'denied';
        return edit.id === event.id && isRefused ? { ...edit, kind: 'written' } : edit;
      });
  }
}

/** What the user was asked about this very edit, as long as it counts. */
export function findRefusedEdit(
  edits: RefusedEdits,
  { path, after }: Pick<RefusedEdit, 'path' | 'after'>,
  now: number,
): Exclude<RefusedEditState, { kind: 'written' }> | undefined {
  for (const edit of edits) {
    if (edit.kind === 'written' || isOver(edit, now)) continue;
    if (edit.path === path && edit.after === after) return edit;
  }
  return undefined;
}

/** Whether one more question is not too much for the user, and for memory. */
export function canAsk(edits: RefusedEdits, { after }: Pick<RefusedEdit, 'after'>): boolean {
  const open = edits.filter(({ kind }) => kind === 'asked');
  const length = open.reduce((sum, edit) => sum + edit.after.length, after.length);
  return open.length < maxQuestions && length <= maxQuestionLength;
}

function current(edits: RefusedEdits, now: number): RefusedEdits {
  const answered = edits.filter((edit) => edit.kind !== 'asked' && edit.kind !== 'written' && !isOver(edit, now));
  const kept = new Set(answered.slice(-maxAnswers));
  return edits.filter((edit) => edit.kind === 'asked' || kept.has(edit));
}

function isOver(edit: RefusedEditState, now: number): boolean {
  return (edit.kind === 'allowed' || edit.kind === 'denied') && now >= edit.until;
}
