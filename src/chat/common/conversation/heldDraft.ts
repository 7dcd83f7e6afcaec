import type { Disposable } from '../../../base/common/disposable';
import { Emitter } from '../../../base/common/event';
import type { Chat, DraftMove, Written } from '../chatPorts';
import type { SessionFile } from '../chatStore';
import type { Draft, DraftAttachment } from '../chatView';
import { emptyDraft, joinedDrafts, withoutImage } from './drafts';

/** In UTF-16 units: the list of conversations reads all heads. */
const maxHeadUnits = 2 * 1024 * 1024;

/** What is typed in one place and not sent. Nobody else has it: pages show it, and hand over what is typed in them. */
export class HeldDraft implements Disposable {
  /** Titles of the images that were too large to be kept, of the draft that it begins with. */
  readonly lostImages: readonly string[];
  private current: Draft;
  private last: Written | undefined;
  /** What is on its way, by the prompt that it became. */
  private readonly taken = new Map<string | object, Draft>();
  private readonly emitter = new Emitter<DraftMove>((error) => this.onListenerError(error));
  readonly onDidMove = this.emitter.event;

  /** `keep` is told each change, to have it over a reload. */
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

  /** Unless the same page has written something since. */
  save(draft: Draft, written?: Written): void {
    if (this.isLate(written)) return;
    this.last = written;
    this.current = draft;
    this.keep(draft);
  }

  /** It is on its way: what is typed from now on is the next one. */
  take(prompt: string | object, sent: Draft, written?: Written): void {
    this.taken.set(prompt, sent);
    this.save(emptyDraft, written);
    this.emitter.fire({ kind: 'sent', draft: sent });
  }

  /** It has arrived. */
  forget(prompt: string | object): void {
    this.taken.delete(prompt);
  }

  /** What was not taken, once, before what was typed meanwhile; `whole` is it with what was typed elsewhere. */
  putBack(prompt: string | object, whole?: Draft): void {
    const draft = this.taken.get(prompt);
    this.taken.delete(prompt);
    if (!draft) return;
    this.save(joinedDrafts(whole ?? draft, this.current));
    this.emitter.fire({ kind: 'refused', draft });
  }

  /** What that page has typed here belongs to the conversation that it has begun. */
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

/** Kept in the head of the conversation by the window that may write it. */
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
