import * as z from 'zod/mini';
import type { PromptAttachment } from '../../../session/common/sessionBackend';
import type { Memento } from '../../../base/common/memento';
import type { MentionSource } from './mentionSource';
import type { Draft, DraftAttachment, MentionRow } from '../chatView';
import { estimateTokens } from './mentions';

/** Maximum length of all stored texts, in UTF-16 units, as long as some of them were sent. These are evicted first. */
const maxStoredUnits = 1024 * 1024;
/** Maximum length of texts that were not sent. More than that are only those of prompts that the user has given up. */
const maxUnsentUnits = 4 * 1024 * 1024;
export const attachedTextsName = 'chat.attachedTexts';

/** An attached text. `folder` is the agent's working folder, as an absolute path. */
const AttachedText = z.object({
  title: z.string(),
  text: z.string(),
  folder: z.optional(z.string()),
  isSent: z.optional(z.boolean()),
});
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
  private readonly texts = new Map<string, AttachedText>();

  constructor(private readonly deps: AttachedTextsDeps) {
    for (const [id, text] of Kept.parse(deps.memento.get(attachedTextsName))) this.texts.set(id, text);
  }

  /** Stores a text and returns its attachment. `folder` is the agent's working folder, as an absolute path. */
  add(title: string, text: string, folder?: string): DraftAttachment {
    const id = `text:${this.deps.newId()}`;
    this.texts.set(id, { title, text, ...(folder === undefined ? {} : { folder }) });
    this.evict(id);
    this.store();
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

  /** Rejects if the text is no longer stored, so that the user is told that it was not sent. */
  resolve(attachment: DraftAttachment): Promise<readonly PromptAttachment[]> {
    const { id, title } = attachment;
    const found = this.texts.get(id);
    if (!found) return Promise.reject(lostError(title));
    if (found.isSent !== true) {
      this.texts.set(id, { ...found, isSent: true });
      this.store();
    }
    return Promise.resolve([{ type: 'text', title: found.title, text: found.text }]);
  }

  /** Returns the text that an attachment stands for. @throws Error if it is no longer stored */
  textOf({ id, title }: DraftAttachment): string {
    const found = this.texts.get(id);
    if (!found) throw lostError(title);
    return found.text;
  }

  /** Makes room for the newest text, which stays. */
  private evict(newest: string): void {
    const others = [...this.texts].filter(([id]) => id !== newest);
    let units = [...this.texts.values()].reduce((sum, { text }) => sum + text.length, 0);
    const evictFrom = (found: typeof others, max: number): void => {
      for (const [id, { text }] of found) {
        if (units <= max) return;
        this.texts.delete(id);
        units -= text.length;
      }
    };
    evictFrom(
      others.filter(([, { isSent }]) => isSent),
      maxStoredUnits,
    );
    evictFrom(
      others.filter(([, { isSent }]) => !isSent),
      maxUnsentUnits,
    );
  }

  private store(): void {
    const { memento, onError } = this.deps;
    memento.update(attachedTextsName, [...this.texts]).then(undefined, onError);
  }
}

function lostError(title: string): Error {
  return new Error(`The text of “${title}” is no longer stored. Attach it again.`);
}

/** Joins the texts that two windows have stored. */
export function joinStoredTexts(first: unknown, second: unknown): z.infer<typeof Kept> {
  return [...Kept.parse(first), ...Kept.parse(second)];
}
