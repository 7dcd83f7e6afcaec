import * as z from 'zod/mini';
import { Emitter } from '../../../base/common/event';
import { Draft, type DraftAttachment } from '../../common/chatView';
import { emptyDraft, isEmptyDraft, isSameDraft, joinDrafts, addAttachments } from '../../common/conversation/drafts';
import type { SavedPageState } from '../page/savedPageState';

const SavedDraft = z.object({ sessionId: z.optional(z.string()), draft: Draft });

const saveDelayMs = 300;

/** The composer's content with a revision number that increases with each change. */
interface RevisedDraft extends Draft {
  readonly revision: number;
}

/**
 * The composer's content. Saves each change to the host after a short delay, or immediately when the page becomes
 * hidden. Until then, the change is in the page's own state.
 */
export class ComposerDraft {
  private currentDraft = emptyDraft;
  private sessionId: string | undefined;
  private revision = 0;
  private saveTimer: number | undefined;
  /** Whether the user has changed the draft since the host last set it. */
  private isEditedByUser = false;
  private readonly changeEmitter = new Emitter<void>(reportError);
  readonly onDidChange = this.changeEmitter.event;

  constructor(
    private readonly savedPageState: SavedPageState,
    private readonly saveToHost: (sessionId: string | undefined, draft: RevisedDraft) => void,
  ) {}

  get draft(): Draft {
    return this.currentDraft;
  }

  get isEmpty(): boolean {
    return isEmptyDraft(this.currentDraft);
  }

  restoreAndSaveOnHide(window: Window): void {
    const saved = SavedDraft.safeParse(this.savedPageState.values).data;
    if (saved) {
      this.sessionId = saved.sessionId;
      this.currentDraft = saved.draft;
    }
    window.addEventListener('pagehide', () => this.savePendingChange());
    window.document.addEventListener('visibilitychange', () => this.savePendingChange());
  }

  applyUserEdit(draft: Draft): void {
    this.isEditedByUser = true;
    this.setDraft(draft);
    this.saveSoon();
  }

  setText(text: string): void {
    this.applyUserEdit({ ...this.currentDraft, text });
  }

  addAttachments(...added: DraftAttachment[]): void {
    this.applyUserEdit({ ...this.currentDraft, attachments: addAttachments(this.currentDraft.attachments, added) });
  }

  removeAttachment(id: string): void {
    this.applyUserEdit({
      ...this.currentDraft,
      attachments: this.currentDraft.attachments.filter((item) => item.id !== id),
    });
  }

  appendDraft(draft: Draft): void {
    this.applyUserEdit(joinDrafts(this.currentDraft, draft));
  }

  /** Restores a draft that could not be sent. Places it before text that the user has typed since. */
  restoreRefused(draft: Draft): void {
    if (this.isEditedByUser) this.applyUserEdit(joinDrafts(draft, this.currentDraft));
  }

  /** Clears the draft after it was sent from this or another page, unless the user has changed it. */
  clearSent(draft: Draft): void {
    if (!this.isEditedByUser || isSameDraft(draft, this.currentDraft)) this.takeForSending();
  }

  /** Clears the composer and returns its content. The host keeps it, and returns it if it cannot be sent. */
  takeForSending(): RevisedDraft {
    const taken = { ...this.currentDraft, revision: ++this.revision };
    this.cancelSave();
    this.isEditedByUser = false;
    this.setDraft(emptyDraft);
    return taken;
  }

  /**
   * Switches to a conversation, or updates the draft of the current one. `keepsText`: the text in the composer becomes
   * the draft of that conversation.
   */
  switchSession(sessionId: string | undefined, draft: Draft | undefined, keepsText = false): void {
    const isOther = sessionId !== this.sessionId;
    if (isOther && !keepsText) {
      this.savePendingChange();
      this.isEditedByUser = false;
    }
    this.sessionId = sessionId;
    const next = draft ?? (isOther ? emptyDraft : undefined);
    if (this.isEditedByUser && isOther) this.saveSoon();
    if (next !== undefined && !this.isEditedByUser) this.setDraft(next);
  }

  savePendingChange(): void {
    if (this.saveTimer === undefined) return;
    this.cancelSave();
    this.saveToHost(this.sessionId, { ...this.currentDraft, revision: ++this.revision });
  }

  private saveSoon(): void {
    this.saveTimer ??= window.setTimeout(() => this.savePendingChange(), saveDelayMs);
  }

  private cancelSave(): void {
    window.clearTimeout(this.saveTimer);
    this.saveTimer = undefined;
  }

  private setDraft(draft: Draft): void {
    this.currentDraft = draft;
    this.savedPageState.save({ sessionId: this.sessionId, draft } satisfies z.infer<typeof SavedDraft>);
    this.changeEmitter.fire();
  }
}
