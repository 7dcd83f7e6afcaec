import type { PromptAttachment } from '../../../amplifier/common/sessionBackend';
import type { MentionSource } from '../chatPorts';
import type { Draft, DraftAttachment, MentionRow } from '../chatView';
import { tokensOf } from './mentions';

/** The oldest make room. */
const maxTexts = 50;

interface AttachedText {
  readonly title: string;
  readonly text: string;
  /** Absolute: where to work on it. */
  readonly folder: string | undefined;
}

/** Texts that other features hand to a conversation. Nobody finds them at `@`; they are kept as long as the window. */
export class AttachedTexts implements MentionSource {
  readonly kind = 'text';
  private readonly texts = new Map<string, AttachedText>();

  /** Drafts and queues with the ids outlive the window: `newId` tells none twice, also after a reload. */
  constructor(private readonly newId: () => string) {}

  /** What goes into a draft for the text. `folder` is absolute: where to work on it. */
  add(title: string, text: string, folder?: string): DraftAttachment {
    const id = `text:${this.newId()}`;
    this.texts.set(id, { title, text, folder });
    const [oldest] = this.texts.keys();
    if (this.texts.size > maxTexts && oldest !== undefined) this.texts.delete(oldest);
    return { kind: 'text', id, title, tokens: tokensOf(text.length) };
  }

  /** Where to work on the first of those that are attached which says it. */
  folderOf({ attachments }: Draft): string | undefined {
    return attachments.map(({ id }) => this.texts.get(id)?.folder).find((folder) => folder !== undefined);
  }

  search(): Promise<readonly MentionRow[]> {
    return Promise.resolve([]);
  }

  resolve({ id }: DraftAttachment): Promise<readonly PromptAttachment[]> {
    const found = this.texts.get(id);
    if (!found) return Promise.resolve([]);
    return Promise.resolve([{ type: 'text', title: found.title, text: found.text }]);
  }
}
