import * as z from 'zod/mini';
import { Emitter } from '../../../base/common/event';
import { Draft, type DraftAttachment } from '../../common/chatView';
import { emptyDraft, isEmptyDraft, isSameDraft, joinedDrafts, withAttachments } from '../../common/conversation/drafts';
import type { PageMemory } from '../pageMemory';

const Saved = z.object({ sessionId: z.optional(z.string()), draft: Draft });

const saveDelayMs = 300;

/** What is in the composer, with the number of its change: the greater one is newer. */
interface TypedDraft extends Draft {
  readonly revision: number;
}

/**
 * What is typed in the composer, until the host has it: every change is handed over soon, at once when the page is hidden or
 * goes, and put into the page's own state meanwhile. What becomes of it then is the host's to say.
 */
export class DraftKeeper {
  private current = emptyDraft;
  private sessionId: string | undefined;
  private revision = 0;
  private timer: number | undefined;
  /** The user has changed it since the host last said what it is. */
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

  /** There is nothing to send. */
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

  /** The user's change. */
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

  /** Behind what is there. */
  add(draft: Draft): void {
    this.set(joinedDrafts(this.current, draft));
  }

  /** What was sent is back: it goes before what was typed since. */
  wasRefused(draft: Draft): void {
    if (this.isTouched) this.set(joinedDrafts(draft, this.current));
  }

  /** It was sent from here or from another page. What the user has written here is kept when it is something else. */
  wasSent(draft: Draft): void {
    if (!this.isTouched || isSameDraft(draft, this.current)) this.take();
  }

  /** It is on its way: the host has it from now on, and tells it when it is refused. */
  take(): TypedDraft {
    const taken = { ...this.current, revision: ++this.revision };
    this.cancelSave();
    this.isTouched = false;
    this.put(emptyDraft);
    return taken;
  }

  /** Another conversation is shown, or the same one for the first time. `keeps`: what was typed belongs to it. */
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
