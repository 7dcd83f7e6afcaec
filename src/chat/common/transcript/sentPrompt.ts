import { Attachment, type EntryBase, type EntryOf } from '../../../transcript/common/entries';
import type { Draft } from '../chatView';
import type { EntryWriter } from './entryWriter';

/** A prompt of the transcript. */
export interface SentPrompt {
  /** Id of the prompt's record. Undefined if another client has sent the prompt. */
  readonly id: string | undefined;
  readonly entryId: string;
  readonly isRetry: boolean;
  draft: Draft;
}

/** Returns the texts of the prompts, without repetitions of the prompt before. */
export function textsOfPrompts(prompts: readonly SentPrompt[]): string[] {
  const texts = prompts.map(({ draft }) => draft.text);
  return texts.filter((text, index) => text !== texts[index - 1]);
}

interface RetryFacts {
  readonly lastEnd: EntryOf<'end'> | undefined;
  readonly prompts: readonly SentPrompt[];
  readonly turnNumber: number;
}

/** Returns the prompt whose failed turn ends with this entry. Undefined if there was another prompt since. */
export function promptToRetry({ lastEnd, prompts, turnNumber }: RetryFacts, entryId: string): SentPrompt | undefined {
  const isLast = lastEnd?.id === entryId && lastEnd.turn === turnNumber;
  return isLast && lastEnd.failure?.canRetry === true ? prompts.at(-1) : undefined;
}

/** The prompts of a transcript, and their entries. */
export class PromptEntries {
  private readonly prompts: SentPrompt[] = [];

  constructor(private readonly writer: EntryWriter) {}

  /** Oldest first. */
  get all(): readonly SentPrompt[] {
    return this.prompts;
  }

  /** Adds a prompt and begins its turn. `id` is that of its record. The entry of a retry does not repeat the prompt. */
  add(draft: Draft, id: string | undefined, isRetry: boolean): SentPrompt {
    this.writer.turnNumber++;
    const base = this.writer.createBase();
    this.writer.put(promptEntryOf(base, draft, isRetry));
    const prompt = { id, entryId: base.id, isRetry, draft };
    this.prompts.push(prompt);
    return prompt;
  }

  removeLast(): void {
    const last = this.prompts.pop();
    if (!last) return;
    this.writer.remove(last.entryId);
    this.writer.turnNumber--;
  }

  /** Marks attachments that could not be sent, by their ids. They are left out when the user sends the prompt again. */
  markNotSent(prompt: SentPrompt, ids: readonly string[]): void {
    const entry = this.writer.fullContent(prompt.entryId);
    if (entry?.kind !== 'prompt') return;
    const { attachments, text } = prompt.draft;
    const isNotSent = (index: number): boolean => ids.includes(attachments[index]?.id ?? '');
    const marked = entry.attachments?.map((one, index) => (isNotSent(index) ? { ...one, notSent: true } : one));
    prompt.draft = { text, attachments: attachments.filter((_, index) => !isNotSent(index)) };
    this.writer.put({ ...entry, ...(marked && { attachments: marked }) });
  }
}

function promptEntryOf(base: EntryBase, { attachments, text }: Draft, isRetry: boolean): EntryOf<'prompt'> {
  if (isRetry) return { kind: 'prompt', ...base, text: 'Retry', isRetry };
  const shown = attachments.map((attachment) => Attachment.parse(attachment));
  return { kind: 'prompt', ...base, text, ...(shown.length > 0 && { attachments: shown }) };
}
