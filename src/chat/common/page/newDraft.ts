import * as z from 'zod/mini';
import type { Memento } from '../../../base/common/memento';
import { Draft } from '../chatView';
import { HeldDraft } from '../conversation/heldDraft';

const memoryName = 'chat.newDraft';

/** Creates the draft of the empty page. It survives reloads, except for images. */
export function newDraft(memento: Memento, onError: (error: unknown) => void): HeldDraft {
  const keep = ({ attachments, text }: Draft): void => {
    const kept = { text, attachments: attachments.filter(({ image }) => !image) };
    memento.update(memoryName, kept).then(undefined, onError);
  };
  return new HeldDraft(z.safeParse(Draft, memento.get(memoryName)).data, keep, onError);
}
