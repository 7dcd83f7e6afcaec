import type { Disposable } from '../../../base/common/disposable';
import { Emitter } from '../../../base/common/event';
import type { Chat, DraftMove, Written } from '../chatPorts';
import type { SessionFile } from '../chatStore';
import type { Draft, DraftAttachment } from '../chatView';
import { emptyDraft, joinedDrafts, withoutImage } from './drafts';

/** In UTF-16 units. Limited because the list of conversations reads all heads. */
const maxHeadUnits = 2 * 1024 * 1024;

/** The draft of one conversation, or of the empty page, shared by all pages that show it. */
export class HeldDraft implements Disposable {
  /** Titles of images in the stored draft that were too large to store. */
  readonly lostImages: readonly string[];
  private current: Draft;
  private last: Written | undefined;
  /** Drafts being sent, by prompt. */
  private readonly taken = new Map<string | object, Draft>();
  private readonly emitter = new Emitter<DraftMove>((error) => this.onListenerError(error));
  readonly onDidMove = this.emitter.event;

  /** `keep` stores each change. */
  constructor(
    kept: Draft | undefined,
    private readonly keep: (draft: Draft) => void,
    private readonly onListenerError: (error: unknown) => void,
  ) {
    const { attachments, text } = kept ?? emptyDraft;
    this.current = { text, attachments: attachments.filter((attachment) => !isLost(attachment)) };
    this.lostImages = attachments.filter(isLost).map(({ title }) => title);
  }

  get value(): Draft {
    return this.current;
  }

  /** Ignored if the same page has already written a later revision. */
  save(draft: Draft, written?: Written): void {
    if (this.isLate(written)) return;
    this.last = written;
    this.current = draft;
    this.keep(draft);
  }

  /** Starts sending the draft and clears it, so that the user can type the next prompt. */
  take(prompt: string | object, sent: Draft, written?: Written): void {
    this.taken.set(prompt, sent);
    this.save(emptyDraft, written);
    this.emitter.fire({ kind: 'sent', draft: sent });
  }

  forget(prompt: string | object): void {
    this.taken.delete(prompt);
  }

  /** Restores a draft that was not accepted, before newer text. `whole` replaces it if more was typed elsewhere. */
  putBack(prompt: string | object, whole?: Draft): void {
    const draft = this.taken.get(prompt);
    this.taken.delete(prompt);
    if (!draft) return;
    this.save(joinedDrafts(whole ?? draft, this.current));
    this.emitter.fire({ kind: 'refused', draft });
  }

  /** Moves the draft to the conversation that the page `by` has started, if that page wrote it. */
  moveTo(chat: Pick<Chat, 'saveDraft'>, by: object): void {
    if (this.last?.by !== by) return;
    chat.saveDraft(this.current, this.last);
    this.save(emptyDraft);
  }

  dispose(): void {
    this.emitter.dispose();
  }

  private isLate(written: Written | undefined): boolean {
    return written !== undefined && written.by === this.last?.by && written.revision <= this.last.revision;
  }
}

/** Creates the draft of a conversation, stored in its head unless the conversation is read-only. */
export function draftOf(file: SessionFile, onListenerError: (error: unknown) => void): HeldDraft {
  const keep = (draft: Draft): void => {
    if (file.readonly !== undefined) return;
    const isSmall = JSON.stringify(draft).length <= maxHeadUnits;
    const kept = isSmall ? draft : { text: draft.text, attachments: draft.attachments.map(withoutImage) };
    file.changeHead({ draft: kept });
  };
  return new HeldDraft(file.head.draft, keep, onListenerError);
}

function isLost({ image, kind }: DraftAttachment): boolean {
  return kind === 'image' && !image;
}
