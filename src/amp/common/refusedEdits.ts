export interface RefusedEdit {
  readonly id: number;
  /** Absolute path of the file. */
  readonly path: string;
  /** Why the change needs approval; see `Protection.reason`. */
  readonly reason: string;
  readonly after: string;
}

/** The state of a refused edit. Times are in milliseconds of the monotonic clock. */
type RefusedEditState = RefusedEdit &
  (
    | { readonly kind: 'asked' }
    | { readonly kind: 'allowed'; readonly until: number }
    /** The user has denied the edit. They are not asked again before `until`. */
    | { readonly kind: 'denied'; readonly until: number }
    /** The file on disk has the text of the edit without permission, because it was written outside the editor. */
    | { readonly kind: 'written' }
  );

export type RefusedEditEvent =
  | { readonly kind: 'refused'; readonly edit: RefusedEdit; readonly now: number }
  /** The user has answered. `answer` is undefined if the user has dismissed the question. */
  | { readonly kind: 'answered'; readonly id: number; readonly answer: EditAnswer | undefined; readonly now: number }
  | { readonly kind: 'made'; readonly id: number }
  | { readonly kind: 'foundOnDisk'; readonly id: number };

export type EditAnswer = 'allow' | 'deny';

export type RefusedEdits = readonly RefusedEditState[];

/** How long an answer is valid, in milliseconds. */
export const editAnswerValidMs = 10 * 60_000;
export const maxEditQuestions = 8;
/** Maximum total size of the edits that wait for an answer, in UTF-16 units. */
export const maxOpenEditsTotalLength = 16 * 1024 * 1024;
const maxAnswers = 32;

export function reduceRefusedEdits(edits: RefusedEdits, event: RefusedEditEvent): RefusedEdits {
  switch (event.kind) {
    case 'refused':
      return [...withoutExpired(edits, event.now), { ...event.edit, kind: 'asked' }];
    case 'answered': {
      const found = edits.find((edit) => edit.id === event.id);
      // The answer is ignored, because the file was written before it.
      if (found?.kind !== 'asked') return edits;
      const others = edits.filter((edit) => edit !== found);
      if (event.answer === undefined) return others;
      const until = event.now + editAnswerValidMs;
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

/** Finds the state of exactly this edit, if it is still valid. */
export function findRefusedEdit(
  edits: RefusedEdits,
  { path, after }: Pick<RefusedEdit, 'path' | 'after'>,
  now: number,
): Exclude<RefusedEditState, { kind: 'written' }> | undefined {
  for (const edit of edits) {
    if (edit.kind === 'written' || isExpired(edit, now)) continue;
    if (edit.path === path && edit.after === after) return edit;
  }
  return undefined;
}

/** Whether one more question stays within the limits, which protect the user and the memory. */
export function isWithinQuestionLimits(edits: RefusedEdits, { after }: Pick<RefusedEdit, 'after'>): boolean {
  const open = edits.filter(({ kind }) => kind === 'asked');
  const length = open.reduce((sum, edit) => sum + edit.after.length, after.length);
  return open.length < maxEditQuestions && length <= maxOpenEditsTotalLength;
}

function withoutExpired(edits: RefusedEdits, now: number): RefusedEdits {
  const answered = edits.filter((edit) => edit.kind !== 'asked' && edit.kind !== 'written' && !isExpired(edit, now));
  const kept = new Set(answered.slice(-maxAnswers));
  return edits.filter((edit) => edit.kind === 'asked' || kept.has(edit));
}

function isExpired(edit: RefusedEditState, now: number): boolean {
  return (edit.kind === 'allowed' || edit.kind === 'denied') && now >= edit.until;
}
