import { Attachment, type EntryBase, type EntryOf } from '../../../transcript/common/entries';
import type { Draft } from '../chatView';

type PromptEntry = EntryOf<'prompt'>;

/** A prompt of the transcript. */
export interface SentPrompt {
  /** Id of the prompt's record. Undefined if another client has sent the prompt. */
  readonly id: string | undefined;
  readonly entryId: string;
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

/** Returns the entry of a prompt. The entry of a retry does not repeat the prompt. */
export function promptEntryOf(base: EntryBase, { attachments, text }: Draft, isRetry: boolean): PromptEntry {
  if (isRetry) return { kind: 'prompt', ...base, text: 'Retry', isRetry };
  const shown = attachments.map((attachment) => Attachment.parse(attachment));
  return { kind: 'prompt', ...base, text, ...(shown.length > 0 && { attachments: shown }) };
}

/** Marks attachments that could not be sent, by their ids. They are left out when the user sends the prompt again. */
export function markNotSent(prompt: SentPrompt, entry: PromptEntry, ids: readonly string[]): PromptEntry {
  const { attachments, text } = prompt.draft;
  const isNotSent = (index: number): boolean => ids.includes(attachments[index]?.id ?? '');
  const marked = entry.attachments?.map((one, index) => (isNotSent(index) ? { ...one, notSent: true } : one));
  prompt.draft = { text, attachments: attachments.filter((_, index) => !isNotSent(index)) };
  return { ...entry, ...(marked && { attachments: marked }) };
}
