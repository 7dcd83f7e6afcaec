import type { Disposable } from '../../../base/common/disposable';
import { Emitter, type Event } from '../../../base/common/event';
import type { DraftMove } from '../chatPorts';
import type { SessionFile } from '../chatStore';
import type { Draft, DraftAttachment } from '../chatView';
import { emptyDraft, joinedDrafts, withoutImage } from './drafts';

/** In UTF-16 units: the list of conversations reads all heads. */
const maxHeadUnits = 2 * 1024 * 1024;

/** What is typed in a conversation and not sent, kept in its head by the window that may write it. */
export class HeldDraft implements Disposable {
  /** Titles of the images that were too large to be kept in the head that it begins with. */
  readonly lostImages: readonly string[];
  private current: Draft;
  /** What is on its way, by the id of its prompt. */
  private readonly taken = new Map<string, Draft>();
  private readonly emitter: Emitter<DraftMove>;

  constructor(
    private readonly file: SessionFile,
    onListenerError: (error: unknown) => void,
  ) {
    const { attachments, text } = file.head.draft ?? emptyDraft;
    this.current = { text, attachments: attachments.filter((attachment) => !isLost(attachment)) };
    this.lostImages = attachments.filter(isLost).map(({ title }) => title);
    this.emitter = new Emitter(onListenerError);
  }

  get onDidMove(): Event<DraftMove> {
    return this.emitter.event;
  }

  get value(): Draft {
    return this.current;
  }

  save(draft: Draft): void {
    this.current = draft;
    // The draft on disk is that of the window that writes it.
    if (this.file.readonly !== undefined) return;
    const isSmall = JSON.stringify(draft).length <= maxHeadUnits;
    const kept = isSmall ? draft : { text: draft.text, attachments: draft.attachments.map(withoutImage) };
    this.file.changeHead({ draft: kept });
  }

  /** It is on its way: what is typed from now on is the next one. */
  take(promptId: string, sent: Draft): void {
    this.taken.set(promptId, sent);
    this.save(emptyDraft);
    this.emitter.fire({ sent });
  }

  /** It has arrived. */
  forget(promptId: string): void {
    this.taken.delete(promptId);
  }

  /** What was not taken, once, before what was typed meanwhile. */
  putBack(promptId: string): void {
    const refused = this.taken.get(promptId);
    this.taken.delete(promptId);
    if (!refused) return;
    this.save(joinedDrafts(refused, this.current));
    this.emitter.fire({});
  }

  dispose(): void {
    this.emitter.dispose();
  }
}

function isLost({ image, kind }: DraftAttachment): boolean {
  return kind === 'image' && !image;
}
