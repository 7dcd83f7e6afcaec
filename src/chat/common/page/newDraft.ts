import * as z from 'zod/mini';
import type { Memento } from '../../../base/common/memento';
import { Draft } from '../chatView';
import { SharedDraft } from '../conversation/sharedDraft';

const memoryName = 'chat.newDraft';

/** Creates the draft of the empty page. The draft survives reloads, except for images. */
export function restoreNewDraft(memento: Memento, onError: (error: unknown) => void): SharedDraft {
  const persist = ({ attachments, text }: Draft): void => {
    const stored = { text, attachments: attachments.filter(({ image }) => !image) };
    memento.update(memoryName, stored).then(undefined, onError);
  };
  return new SharedDraft(z.safeParse(Draft, memento.get(memoryName)).data, persist, onError);
}
