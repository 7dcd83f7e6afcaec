import type { Disposable } from '../../../base/common/disposable';
import { Emitter } from '../../../base/common/event';
import type { Chat, DraftTransition, Written } from '../chatPorts';
import type { SessionFile } from '../chatStore';
import type { Draft, DraftAttachment } from '../chatView';
import { emptyDraft, joinDrafts, withoutImage } from './drafts';

/** In UTF-16 units. Limited because the list of conversations reads all heads. */
const maxHeadUnits = 2 * 1024 * 1024;

/** The draft of one conversation, or of the empty page, shared by all pages that show it. */
export class SharedDraft implements Disposable {
  /** Titles of images in the stored draft that were too large to store. */
  readonly unsavedImages: readonly string[];
  private currentDraft: Draft;
  private lastRevision: Written | undefined;
  private readonly draftsBeingSent = new Map<string | object, Draft>();
  private readonly emitter = new Emitter<DraftTransition>((error) => this.onListenerError(error));
  readonly onDidSendOrRestore = this.emitter.event;

  constructor(
    stored: Draft | undefined,
    private readonly persist: (draft: Draft) => void,
    private readonly onListenerError: (error: unknown) => void,
  ) {
    const { attachments, text } = stored ?? emptyDraft;
    this.currentDraft = { text, attachments: attachments.filter((attachment) => !isLost(attachment)) };
    this.unsavedImages = attachments.filter(isLost).map(({ title }) => title);
  }

  get value(): Draft {
    return this.currentDraft;
  }

  /** Ignored if the same page has already written a later revision. */
  save(draft: Draft, written?: Written): void {
    if (this.isOutdated(written)) return;
    this.lastRevision = written;
    this.currentDraft = draft;
    this.persist(draft);
  }

  /** Starts sending the draft and clears it, so that the user can type the next prompt. */
  beginSend(prompt: string | object, sent: Draft, written?: Written): void {
    this.draftsBeingSent.set(prompt, sent);
    this.save(emptyDraft, written);
    this.emitter.fire({ kind: 'sent', draft: sent });
  }

  confirmSent(prompt: string | object): void {
    this.draftsBeingSent.delete(prompt);
  }

  /** Restores a draft that was not accepted, before newer text. `full` replaces it if more was typed elsewhere. */
  restoreRefused(prompt: string | object, full?: Draft): void {
    const draft = this.draftsBeingSent.get(prompt);
    this.draftsBeingSent.delete(prompt);
    if (!draft) return;
    this.save(joinDrafts(full ?? draft, this.currentDraft));
    this.emitter.fire({ kind: 'refused', draft });
  }

  /** Moves the draft to the conversation that `page` has started, if that page wrote it. */
  moveToChat(chat: Pick<Chat, 'saveDraft'>, page: object): void {
    if (this.lastRevision?.by !== page) return;
    chat.saveDraft(this.currentDraft, this.lastRevision);
    this.save(emptyDraft);
  }

  dispose(): void {
    this.emitter.dispose();
  }

  private isOutdated(written: Written | undefined): boolean {
    const { lastRevision } = this;
    return written !== undefined && written.by === lastRevision?.by && written.revision <= lastRevision.revision;
  }
}

/** Creates the draft of a conversation, stored in its head unless the conversation is read-only. */
export function createChatDraft(file: SessionFile, onListenerError: (error: unknown) => void): SharedDraft {
  const keep = (draft: Draft): void => {
    if (file.readonlyReason !== undefined) return;
    const isSmall = JSON.stringify(draft).length <= maxHeadUnits;
    const stored = isSmall ? draft : { text: draft.text, attachments: draft.attachments.map(withoutImage) };
    file.updateHead({ draft: stored });
  };
  return new SharedDraft(file.head.draft, keep, onListenerError);
}

function isLost({ image, kind }: DraftAttachment): boolean {
  return kind === 'image' && !image;
}
