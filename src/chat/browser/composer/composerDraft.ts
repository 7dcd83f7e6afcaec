import * as z from 'zod/mini';
import { Emitter } from '../../../base/common/event';
import { Draft, type DraftAttachment } from '../../common/chatView';
import { emptyDraft, isEmptyDraft, isSameDraft, joinDrafts, addAttachments } from '../../common/conversation/drafts';
import { changeText, type BegunText, type ReasonTarget } from '../../common/approvals/reasonText';
import type { SavedPageState } from '../page/savedPageState';

const SentDraft = z.object({ sessionId: z.optional(z.string()), draft: Draft });
type SentDraft = z.infer<typeof SentDraft>;
const SavedDraft = z.object({
  sessionId: z.optional(z.string()),
  draft: Draft,
  /** Whether the host has not answered yet that it has the draft. */
  isPending: z.optional(z.boolean()),
  /** Prompts that were sent and to which the host has not answered yet. */
  unconfirmed: z.catch(z.optional(z.array(SentDraft)), undefined),
});

const saveDelayMs = 300;

/** The composer's content with a revision number that increases with each change. */
interface RevisedDraft extends Draft {
  readonly revision: number;
}

type SentPrompt = RevisedDraft & { readonly id: string };

/**
 * The composer's content. Saves each change to the host after a short delay, or immediately when the page becomes
 * hidden. Until the host has answered, the change, and a prompt that was sent, is also in the page's own state, which survives
 * a reload.
 */
export class ComposerDraft {
  private currentDraft = emptyDraft;
  private begunFor: string | undefined;
  private plainWord: string | undefined;
  private sessionId: string | undefined;
  private revision = 0;
  private saveTimer: number | undefined;
  private isPending = false;
  private sentDrafts: readonly SentDraft[] = [];
  /** Whether the user has changed the draft since the host last set it. */
  private isEditedByUser = false;
  private readonly changeEmitter = new Emitter<void>(reportError);
  readonly onDidChange = this.changeEmitter.event;

  constructor(
    private readonly savedPageState: SavedPageState,
    /** Resolves when the host has the draft, or has refused it. */
    private readonly saveToHost: (sessionId: string | undefined, draft: RevisedDraft) => Promise<void>,
  ) {}

  get draft(): Draft {
    return this.currentDraft;
  }

  /** The text, and which approval it was begun for. After a reload that is unknown, so that the text is a prompt. */
  get begunText(): BegunText {
    return { text: this.currentDraft.text, begunFor: this.begunFor };
  }

  /**
   * Whether the first word calls no prompt file: the text came from one, or the user was told that the file can't be used. It
   * stays so until this word is changed.
   */
  get isPlain(): boolean {
    return this.plainWord !== undefined;
  }

  /** Prompts that were sent and to which the host has not answered yet. */
  get unconfirmed(): SentDraft[] {
    return [...this.sentDrafts];
  }

  get isEmpty(): boolean {
    return isEmptyDraft(this.currentDraft);
  }

  restoreAndSaveOnHide(window: Window): void {
    const saved = SavedDraft.safeParse(this.savedPageState.values).data;
    if (saved) {
      this.sessionId = saved.sessionId;
      this.currentDraft = saved.draft;
      this.sentDrafts = saved.unconfirmed ?? [];
      if (saved.isPending) {
        this.isEditedByUser = true;
        this.saveSoon();
      }
    }
    window.addEventListener('pagehide', () => this.savePendingChange());
    window.document.addEventListener('visibilitychange', () => this.savePendingChange());
  }

  applyUserEdit(draft: Draft, typed?: { readonly target: ReasonTarget | undefined }): void {
    this.isEditedByUser = true;
    this.isPending = true;
    this.setDraft({ ...draft, id: draft.id ?? this.currentDraft.id ?? newPromptId() }, typed);
    this.saveSoon();
  }

  /** Replaces the text with one that the user has not typed, such as an earlier prompt. `isPlain`: see there. */
  setText(text: string, isPlain = false): void {
    this.plainWord = isPlain ? firstWordOf(text) : undefined;
    this.applyUserEdit({ ...this.currentDraft, text });
  }

  /** Sets the text that the user has typed while `target` was in view. */
  typeText(text: string, target: ReasonTarget | undefined): void {
    this.applyUserEdit({ ...this.currentDraft, text }, { target });
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
    if (!this.isEditedByUser || isSameDraft(draft, this.currentDraft)) this.clear();
  }

  /** Clears the composer after its content was used as a reason, unless the user has changed it. */
  clearUsed(draft: Draft): void {
    if (isSameDraft(draft, this.currentDraft)) this.applyUserEdit(emptyDraft);
  }

  /** Clears the composer and returns its content. The host keeps it, and returns it if it cannot be sent. */
  takeForSending(): SentPrompt {
    const draft = { ...this.currentDraft, id: this.currentDraft.id ?? newPromptId() };
    const { sessionId } = this;
    this.sentDrafts = [...this.sentDrafts, { ...(sessionId === undefined ? {} : { sessionId }), draft }];
    this.clear();
    return { ...draft, revision: this.revision };
  }

  /** Notes that the host has these prompts, or has them in its draft. */
  confirmSent(confirmed: readonly SentDraft[]): void {
    const ids = new Set(confirmed.map(({ draft }) => draft.id));
    this.sentDrafts = this.sentDrafts.filter(({ draft }) => !ids.has(draft.id));
    this.saveState();
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
    const revision = ++this.revision;
    void this.saveToHost(this.sessionId, { ...this.currentDraft, revision }).then(() => {
      if (revision !== this.revision || this.saveTimer !== undefined) return;
      this.isPending = false;
      this.saveState();
    });
  }

  private clear(): void {
    this.revision++;
    this.cancelSave();
    this.isEditedByUser = false;
    this.isPending = false;
    this.setDraft(emptyDraft);
  }

  private saveSoon(): void {
    this.saveTimer ??= window.setTimeout(() => this.savePendingChange(), saveDelayMs);
  }

  private cancelSave(): void {
    window.clearTimeout(this.saveTimer);
    this.saveTimer = undefined;
  }

  private setDraft(draft: Draft, typed?: { readonly target: ReasonTarget | undefined }): void {
    this.begunFor = changeText(this.begunText, draft.text, typed).begunFor;
    if (firstWordOf(draft.text) !== this.plainWord) this.plainWord = undefined;
    this.currentDraft = draft;
    this.saveState();
    this.changeEmitter.fire();
  }

  private saveState(): void {
    const { currentDraft: draft, isPending, sentDrafts, sessionId } = this;
    const unconfirmed = [...sentDrafts];
    this.savedPageState.save({ sessionId, draft, isPending, unconfirmed } satisfies z.infer<typeof SavedDraft>);
  }
}

function firstWordOf(text: string): string {
  return /^\S*/.exec(text)?.[0] ?? '';
}

/** Returns an id that no other prompt has. `randomUUID` does not exist in pages of servers without https. */
function newPromptId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
