import * as z from 'zod/mini';
import type { Memento } from '../../../base/common/memento';
import { Draft } from '../chatView';
import { HeldDraft } from '../conversation/heldDraft';

const memoryName = 'chat.newDraft';

/** What is typed where no conversation has begun, kept over reloads. Images are kept as long as the window. */
export function newDraft(memento: Memento, onError: (error: unknown) => void): HeldDraft {
  const keep = ({ attachments, text }: Draft): void => {
    const kept = { text, attachments: attachments.filter(({ image }) => !image) };
    memento.update(memoryName, kept).then(undefined, onError);
  };
  return new HeldDraft(z.safeParse(Draft, memento.get(memoryName)).data, keep, onError);
}
