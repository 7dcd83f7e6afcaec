import * as z from 'zod/mini';
import type { Memento } from '../../../base/common/memento';
import { Draft } from '../chatView';
import { isEmptyDraft, joinDrafts } from '../conversation/drafts';
import { SharedDraft } from '../conversation/sharedDraft';

export const newDraftName = 'chat.newDraft';

/** Creates the draft of the empty page, which survives reloads with its images. */
export function restoreNewDraft(memento: Memento, onError: (error: unknown) => void): SharedDraft {
  const persist = (draft: Draft): void => void memento.update(newDraftName, draft).then(undefined, onError);
  return new SharedDraft(z.safeParse(Draft, memento.get(newDraftName)).data, persist, onError);
}

/** Returns what was stored as the draft of the empty page. Undefined if there is none. */
export function readStoredDraft(stored: unknown): Draft | undefined {
  const draft = z.safeParse(Draft, stored).data;
  return draft && !isEmptyDraft(draft) ? draft : undefined;
}

/** Joins the drafts that two windows have stored. What cannot be read counts as empty. */
export function joinStoredDrafts(first: unknown, second: unknown): Draft | undefined {
  const [one, other] = [first, second].map((stored) => z.safeParse(Draft, stored).data);
  if (!one || isEmptyDraft(one)) return other ?? one;
  return !other || isEmptyDraft(other) ? one : joinDrafts(one, other);
}
