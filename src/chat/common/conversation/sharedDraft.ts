import type { Disposable } from '../../../base/common/disposable';
import { Emitter } from '../../../base/common/event';
import type { Chat, DraftTransition, PageDraftRevision } from '../chatPorts';
import type { ConversationFiles } from '../chatStore';
import type { Draft, DraftAttachment } from '../chatView';
import { emptyDraft, insertDraft, isEmptyDraft, joinDrafts } from './drafts';

/** The draft of one conversation, or of the empty page, shared by all pages that show it. */
export class SharedDraft implements Disposable {
  /** Titles of images of the stored draft that could not be stored or read. */
  readonly unsavedImageTitles: readonly string[];
  private currentDraft: Draft;
  private lastRevision: PageDraftRevision | undefined;
  private readonly draftsBeingSent = new Map<string | object, Draft>();
  private readonly emitter = new Emitter<DraftTransition>((error) => this.onListenerError(error));
  readonly onDidSendOrRestore = this.emitter.event;

  constructor(
    stored: Draft | undefined,
    private readonly persist: (draft: Draft) => void,
    private readonly onListenerError: (error: unknown) => void,
  ) {
    const { attachments } = stored ?? emptyDraft;
    this.currentDraft = {
      ...emptyDraft,
      ...stored,
      attachments: attachments.filter((attachment) => !isLost(attachment)),
    };
    this.unsavedImageTitles = attachments.filter(isLost).map(({ title }) => title);
  }

  get value(): Draft {
    return this.currentDraft;
  }

  /** Saves a draft. Ignored if the same page has already saved a later revision. */
  save(draft: Draft, revision?: PageDraftRevision): void {
    if (this.isOutdated(revision)) return;
    this.lastRevision = revision;
    this.currentDraft = draft;
    this.persistDraft();
  }

  /** Starts sending the draft and clears it, so that the user can type the next prompt. */
  beginSend(promptKey: string | object, sent: Draft, revision?: PageDraftRevision): void {
    this.draftsBeingSent.set(promptKey, sent);
    if (this.isOutdated(revision)) return;
    this.save(emptyDraft, revision);
    this.emitter.fire({ kind: 'sent', draft: sent });
  }

  confirmSent(promptKey: string | object): void {
    if (this.draftsBeingSent.delete(promptKey)) this.persistDraft();
  }

  get isSendingAny(): boolean {
    return this.draftsBeingSent.size > 0;
  }

  isSending(id: string): boolean {
    return [...this.draftsBeingSent.values()].some((draft) => draft.id === id);
  }

  /** Takes back a prompt that a page has sent and that did not arrive. It may have been stored before its last change. */
  restoreLost(draft: Draft, sentIds: ReadonlySet<string> = new Set()): void {
    const { id = '' } = draft;
    if (this.isSending(id) || sentIds.has(id)) return;
    this.save(this.currentDraft.id === id ? draft : joinDrafts(draft, this.currentDraft));
  }

  /** Drops the stored draft if its prompt was sent before the window ended. */
  async dropIfSent(isSent: (promptId: string) => boolean | Promise<boolean>): Promise<void> {
    const { id } = this.currentDraft;
    if (id !== undefined && (await isSent(id)) && this.currentDraft.id === id) this.save(emptyDraft);
  }

  /**
   * Restores a draft that was not accepted, before newer text. `newerDraft` replaces it if the user has typed more on
   * another page.
   */
  restoreRefused(promptKey: string | object, newerDraft?: Draft): void {
    const draft = this.draftsBeingSent.get(promptKey);
    this.draftsBeingSent.delete(promptKey);
    if (!draft) return;
    this.save(joinDrafts(newerDraft ?? draft, this.currentDraft));
    this.emitter.fire({ kind: 'refused', draft });
  }

  /** Restores the text of a prompt that the user has withdrawn. Places it before newer text, and behind `after`. */
  restoreWithdrawn(draft: Draft, after?: string): void {
    this.save(insertDraft(this.currentDraft, draft, after));
    this.emitter.fire({ kind: 'refused', draft, ...(after !== undefined && { after }) });
  }

  /** Moves the draft to the conversation that `page` has started, if that page wrote it. */
  moveToChat(chat: Pick<Chat, 'saveDraft'>, page: object): void {
    if (this.lastRevision?.page !== page) return;
    chat.saveDraft(this.currentDraft, this.lastRevision);
    this.save(emptyDraft);
  }

  dispose(): void {
    this.emitter.dispose();
  }

  /**
   * Stores the draft. Until a prompt is on disk, the stored draft is the only copy of it, so it stays stored while it is sent.
   * It is recognized by its id.
   */
  private persistDraft(): void {
    const sent = [...this.draftsBeingSent.values()].findLast((draft) => draft.id !== undefined);
    this.persist(sent && isEmptyDraft(this.currentDraft) ? sent : this.currentDraft);
  }

  private isOutdated(revision: PageDraftRevision | undefined): boolean {
    const { lastRevision } = this;
    if (!lastRevision || revision?.page !== lastRevision.page) return false;
    return revision.revision <= lastRevision.revision;
  }
}

/** Creates the draft of a conversation, stored in its head unless the conversation is read-only. */
export function createSharedDraft(file: ConversationFiles, onListenerError: (error: unknown) => void): SharedDraft {
  const keep = (draft: Draft): void => {
    if (file.readonlyReason === undefined) file.updateHead({ draft });
  };
  return new SharedDraft(file.head.draft, keep, onListenerError);
}

function isLost({ image, kind }: DraftAttachment): boolean {
  return kind === 'image' && !image;
}
