import * as z from 'zod/mini';
import type { Memento } from '../../../base/common/memento';
import { Draft } from '../chatView';
import { SharedDraft } from '../conversation/sharedDraft';

const memoryName = 'chat.newDraft';

/** Creates the draft of the empty page, which survives reloads with its images. */
export function restoreNewDraft(memento: Memento, onError: (error: unknown) => void): SharedDraft {
  const persist = (draft: Draft): void => void memento.update(memoryName, draft).then(undefined, onError);
  return new SharedDraft(z.safeParse(Draft, memento.get(memoryName)).data, persist, onError);
}
