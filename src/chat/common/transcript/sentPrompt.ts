import { Attachment, type EntryBase, type EntryOf, type SentAttachment } from '../../../transcript/common/entries';
import type { SessionEvent } from '../../../session/common/sessionEvents';
import type { Draft } from '../chatView';
import type { RecordOf } from '../conversation/logRecord';
import type { LogRecord } from '../conversation/logRecord';
import type { EntryWriter } from './entryWriter';
import { isOutput, RunningParts } from '../sending/runningParts';

/** A prompt of the transcript. */
export interface SentPrompt {
  /** Id of the prompt's record. Undefined if another client has sent the prompt. */
  readonly id: string | undefined;
  readonly entryId: string;
  readonly isRetry: boolean;
  draft: Draft;
}

/** A prompt that has joined a turn. `id` is that of its record. */
interface SteeredPrompt {
  readonly id: string;
  readonly entryId: string;
  readonly showsReading: (event: SessionEvent) => boolean;
  draft: Draft;
}

/** Returns the texts of the prompts, without repetitions of the prompt before. */
export function textsOfPrompts(prompts: readonly Pick<SentPrompt, 'draft'>[]): string[] {
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
  /** Those that began a turn: the number of the turn is the place in this list, from 1. */
  private readonly prompts: SentPrompt[] = [];
  private readonly everyPrompt: (SentPrompt | SteeredPrompt)[] = [];
  private unreadPrompts: readonly SteeredPrompt[] = [];
  private hasJoined = false;
  /** Whether there was output since the last prompt. */
  private hasOutput = false;
  private readonly runningParts = new RunningParts();

  constructor(private readonly writer: EntryWriter) {}

  /** The prompts that began a turn, oldest first. */
  get ofTurns(): readonly SentPrompt[] {
    return this.prompts;
  }

  /** Also those that have joined a turn, oldest first. */
  get all(): readonly Pick<SentPrompt, 'draft' | 'entryId' | 'id'>[] {
    return this.everyPrompt;
  }

  /** The prompts that have joined the current or last turn, and that the agent has perhaps not read. */
  get perhapsUnread(): readonly SteeredPrompt[] {
    return this.unreadPrompts;
  }

  /** Whether the agent has said and done nothing since a prompt has joined the current or last turn. */
  get isSilentSinceJoined(): boolean {
    return this.hasJoined && !this.hasOutput;
  }

  /** Whether the prompt of this entry has joined a turn. Returns the id of its record then. */
  steeredIdOf(entryId: string): string | undefined {
    const entry = this.writer.document.get(entryId);
    const isSteered = entry?.kind === 'prompt' && entry.isSteered === true;
    return isSteered ? this.everyPrompt.find((prompt) => prompt.entryId === entryId)?.id : undefined;
  }

  /** Adds a prompt and begins its turn. `id` is that of its record. The entry of a retry does not repeat the prompt. */
  add(draft: Draft, id: string | undefined, isRetry: boolean): SentPrompt {
    this.writer.turnNumber++;
    const base = this.writer.createBase();
    this.writer.put(promptEntryOf(base, draft, isRetry));
    const prompt = { id, entryId: base.id, isRetry, draft };
    this.prompts.push(prompt);
    this.everyPrompt.push(prompt);
    this.unreadPrompts = [];
    this.hasJoined = false;
    this.runningParts.clear();
    return prompt;
  }

  /** Adds a prompt that has joined the current turn. `id` is that of its record. */
  addSteered({ attachments, id, isRead, text }: RecordOf<'steered'>): void {
    const draft = { text, attachments };
    const base = this.writer.createBase();
    this.writer.put({ ...promptEntryOf(base, draft, false), isSteered: true });
    const prompt = { id, entryId: base.id, draft, showsReading: this.runningParts.readingFilter() };
    this.everyPrompt.push(prompt);
    // One that came earlier was read earlier.
    this.unreadPrompts = isRead === true ? [] : [...this.unreadPrompts, prompt];
    this.hasJoined = true;
    this.hasOutput = false;
  }

  /** Call with each event, before a prompt that joins after it. */
  handleEvent(event: SessionEvent): void {
    this.runningParts.handleEvent(event);
    this.hasOutput ||= isOutput(event);
    if (this.unreadPrompts.length === 0) return;
    const read = this.unreadPrompts.map(({ showsReading }) => showsReading(event)).lastIndexOf(true);
    this.unreadPrompts = this.unreadPrompts.slice(read + 1);
  }

  /** Removes a prompt that has joined a turn and that the agent has dropped. Returns whether there is one with this id. */
  removeUnread(id: string): boolean {
    const prompt = this.unreadPrompts.find((one) => one.id === id);
    if (!prompt) return false;
    this.unreadPrompts = this.unreadPrompts.filter((one) => one !== prompt);
    this.everyPrompt.splice(this.everyPrompt.lastIndexOf(prompt), 1);
    this.writer.remove(prompt.entryId);
    return true;
  }

  removeLast(): void {
    const last = this.prompts.pop();
    if (!last) return;
    this.everyPrompt.splice(this.everyPrompt.lastIndexOf(last), 1);
    this.writer.remove(last.entryId);
    this.writer.turnNumber--;
  }

  /**
   * Marks attachments that could not be sent; they are left out when the user sends the prompt again. Adds the instructions that
   * were sent with a prompt, which only its entry has.
   */
  applyRecord(record: LogRecord): void {
    if (record.type !== 'notSent' && record.type !== 'instructed') return;
    const prompt = this.everyPrompt.findLast((one) => one.id === record.id);
    if (!prompt) return;
    const entry = this.writer.fullContent(prompt.entryId);
    if (entry?.kind !== 'prompt') return;
    if (record.type === 'instructed') {
      const instructions: SentAttachment = { kind: 'text', title: 'Instructions', text: record.text };
      this.writer.put({ ...entry, attachments: [...(entry.attachments ?? []), instructions] });
      return;
    }
    const ids = record.attachments;
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
