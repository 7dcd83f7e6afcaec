import * as z from 'zod/mini';
import { BoundedMap } from '../../../base/common/boundedMap';
import type { PromptAttachment } from '../../../session/common/sessionBackend';
import type { Memento } from '../../../base/common/memento';
import type { MentionSource } from '../chatPorts';
import type { Draft, DraftAttachment, MentionRow } from '../chatView';
import { tokensOf } from './mentions';

/** The oldest make room. */
const maxTexts = 10;
const memoryName = 'chat.attachedTexts';

/** `folder` is absolute: where to work on it. */
const AttachedText = z.object({ title: z.string(), text: z.string(), folder: z.optional(z.string()) });
type AttachedText = z.infer<typeof AttachedText>;
const Kept = z.catch(z.array(z.tuple([z.string(), AttachedText])), []);

interface AttachedTextsOptions {
  /** Tells none twice, also after a reload. */
  readonly newId: () => string;
  /** Of this workspace: drafts and queues outlive the window, and so does what is attached to them. */
  readonly memento: Memento;
  readonly onError: (error: unknown) => void;
}

/** Texts that other features hand to a conversation. Nobody finds them at `@`. */
export class AttachedTexts implements MentionSource {
  readonly kind = 'text';
  private readonly texts = new BoundedMap<string, AttachedText>({ maxEntries: maxTexts });

  constructor(private readonly options: AttachedTextsOptions) {
    for (const [id, text] of Kept.parse(options.memento.get(memoryName))) this.texts.set(id, text);
  }

  /** What goes into a draft for the text. `folder` is absolute: where to work on it. */
  add(title: string, text: string, folder?: string): DraftAttachment {
    const { newId, memento, onError } = this.options;
    const id = `text:${newId()}`;
    this.texts.set(id, { title, text, ...(folder === undefined ? {} : { folder }) });
    memento.update(memoryName, [...this.texts]).then(undefined, onError);
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
