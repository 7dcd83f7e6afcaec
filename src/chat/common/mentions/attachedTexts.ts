import * as z from 'zod/mini';
import { BoundedMap } from '../../../base/common/boundedMap';
import type { PromptAttachment } from '../../../session/common/sessionBackend';
import type { Memento } from '../../../base/common/memento';
import type { MentionSource } from '../chatPorts';
import type { Draft, DraftAttachment, MentionRow } from '../chatView';
import { estimateTokens } from './mentions';

/** Maximum number of stored texts. The oldest are evicted. */
const maxTexts = 10;
export const attachedTextsName = 'chat.attachedTexts';

/** An attached text. `folder` is the agent's working folder, as an absolute path. */
const AttachedText = z.object({ title: z.string(), text: z.string(), folder: z.optional(z.string()) });
type AttachedText = z.infer<typeof AttachedText>;
const Kept = z.catch(z.array(z.tuple([z.string(), AttachedText])), []);

interface AttachedTextsDeps {
  /** Returns a new id that is unique across reloads. */
  readonly newId: () => string;
  /** Storage of the workspace, because drafts and queued prompts with these attachments outlive the window. */
  readonly memento: Memento;
  readonly onError: (error: unknown) => void;
}

/** Texts that other features attach to a conversation. The list for `@` does not show them. */
export class AttachedTexts implements MentionSource {
  readonly kind = 'text';
  private readonly texts = new BoundedMap<string, AttachedText>({ maxEntries: maxTexts });

  constructor(private readonly deps: AttachedTextsDeps) {
    for (const [id, text] of Kept.parse(deps.memento.get(attachedTextsName))) this.texts.set(id, text);
  }

  /** Stores a text and returns its attachment. `folder` is the agent's working folder, as an absolute path. */
  add(title: string, text: string, folder?: string): DraftAttachment {
    const { newId, memento, onError } = this.deps;
    const id = `text:${newId()}`;
    this.texts.set(id, { title, text, ...(folder === undefined ? {} : { folder }) });
    memento.update(attachedTextsName, [...this.texts]).then(undefined, onError);
    return { kind: 'text', id, title, tokens: estimateTokens(text.length) };
  }

  /** Adds what another window has stored. */
  async takeOver(stored: unknown): Promise<void> {
    for (const [id, text] of Kept.parse(stored)) this.texts.set(id, text);
    await this.deps.memento.update(attachedTextsName, [...this.texts]);
  }

  /** Returns the working folder of the first attached text that has one. */
  workingFolderOf({ attachments }: Draft): string | undefined {
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

/** Joins the texts that two windows have stored. */
export function joinStoredTexts(first: unknown, second: unknown): z.infer<typeof Kept> {
  return [...Kept.parse(first), ...Kept.parse(second)];
}
