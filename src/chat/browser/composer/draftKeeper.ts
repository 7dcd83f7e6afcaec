import * as z from 'zod/mini';
import { Emitter } from '../../../base/common/event';
import { Draft, type DraftAttachment } from '../../common/chatView';
import { emptyDraft, isEmptyDraft, isSameDraft, joinedDrafts, withAttachments } from '../../common/conversation/drafts';
import type { PageMemory } from '../pageMemory';

const Saved = z.object({ sessionId: z.optional(z.string()), draft: Draft });

const saveDelayMs = 300;

/** The composer's content with a revision that grows with each change. */
interface TypedDraft extends Draft {
  readonly revision: number;
}

/**
 * The composer's content. Saves each change to the host after a short delay, or immediately when the page is hidden,
 * and to the page's own state meanwhile.
 */
export class DraftKeeper {
  private current = emptyDraft;
  private sessionId: string | undefined;
  private revision = 0;
  private timer: number | undefined;
  /** Whether the user has changed the draft since the host last set it. */
  private isTouched = false;
  private readonly emitter = new Emitter<void>(reportError);
  readonly onDidChange = this.emitter.event;

  constructor(
    private readonly memory: PageMemory,
    private readonly save: (sessionId: string | undefined, draft: TypedDraft) => void,
  ) {}

  get draft(): Draft {
    return this.current;
  }

  /** Whether there is nothing to send. */
  get isEmpty(): boolean {
    return isEmptyDraft(this.current);
  }

  start(window: Window): void {
    const saved = Saved.safeParse(this.memory.all).data;
    if (saved) {
      this.sessionId = saved.sessionId;
      this.current = saved.draft;
    }
    window.addEventListener('pagehide', () => this.flush());
    window.document.addEventListener('visibilitychange', () => this.flush());
  }

  /** Replaces the draft on behalf of the user. */
  set(draft: Draft): void {
    this.isTouched = true;
    this.put(draft);
    this.saveSoon();
  }

  setText(text: string): void {
    this.set({ ...this.current, text });
  }

  attach(...added: DraftAttachment[]): void {
    this.set({ ...this.current, attachments: withAttachments(this.current.attachments, added) });
  }

  detach(id: string): void {
    this.set({ ...this.current, attachments: this.current.attachments.filter((item) => item.id !== id) });
  }

  /** Appends to the draft. */
  add(draft: Draft): void {
    this.set(joinedDrafts(this.current, draft));
  }

  /** Restores a draft that could not be sent, before text typed since. */
  wasRefused(draft: Draft): void {
    if (this.isTouched) this.set(joinedDrafts(draft, this.current));
  }

  /** Clears the draft after it was sent from this or another page, unless it has changed. */
  wasSent(draft: Draft): void {
    if (!this.isTouched || isSameDraft(draft, this.current)) this.take();
  }

  /**
   * Empties the composer and returns its content for sending. The host keeps it from now on and returns it if it cannot
   * be sent.
   */
  take(): TypedDraft {
    const taken = { ...this.current, revision: ++this.revision };
    this.cancelSave();
    this.isTouched = false;
    this.put(emptyDraft);
    return taken;
  }

  /** Switches to a conversation, or updates its draft. `keeps`: the composer's text belongs to it. */
  show(sessionId: string | undefined, draft: Draft | undefined, keeps = false): void {
    const isOther = sessionId !== this.sessionId;
    if (isOther && !keeps) {
      this.flush();
      this.isTouched = false;
    }
    this.sessionId = sessionId;
    const next = draft ?? (isOther ? emptyDraft : undefined);
    if (this.isTouched && isOther) this.saveSoon();
    if (next !== undefined && !this.isTouched) this.put(next);
  }

  flush(): void {
    if (this.timer === undefined) return;
    this.cancelSave();
    this.save(this.sessionId, { ...this.current, revision: ++this.revision });
  }

  private saveSoon(): void {
    this.timer ??= window.setTimeout(() => this.flush(), saveDelayMs);
  }

  private cancelSave(): void {
    window.clearTimeout(this.timer);
    this.timer = undefined;
  }

  private put(draft: Draft): void {
    this.current = draft;
    this.memory.keep({ sessionId: this.sessionId, draft } satisfies z.infer<typeof Saved>);
    this.emitter.fire();
  }
}
