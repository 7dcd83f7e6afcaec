import * as z from 'zod/mini';
import type { Memento } from '../../../base/common/memento';
import { Draft } from '../chatView';
import { emptyDraft, joinedDrafts } from '../conversation/drafts';

const memoryName = 'chat.newDraft';

/** What is typed where no conversation has begun, kept over reloads. Images are kept as long as the window. */
export class NewDraft {
  private draft: Draft | undefined;

  constructor(
    private readonly memento: Memento,
    private readonly onError: (error: unknown) => void,
  ) {}

  get(): Draft {
    this.draft ??= z.safeParse(Draft, this.memento.get(memoryName)).data ?? emptyDraft;
    return this.draft;
  }

  save(draft: Draft): void {
    this.draft = draft;
    const kept = { ...draft, attachments: draft.attachments.filter(({ image }) => !image) };
    this.memento.update(memoryName, kept).then(undefined, this.onError);
  }

  /** What could not be sent, before what was typed meanwhile. */
  putBack(refused: Draft): void {
    this.save(joinedDrafts(refused, this.get()));
  }

  clear(): void {
    this.save(emptyDraft);
  }
}
