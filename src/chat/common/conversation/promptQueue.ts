import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { QueuedPrompt } from '../chatView';
import { withoutImageData } from './drafts';
import type { LogRecord, RecordOf } from './logRecord';

/** Maximum length of a shown prompt, in UTF-16 units. */
const maxShownUnits = 500;

/** See the record `steering`. */
type JoiningState = 'wanted' | 'asked' | 'unknown';

/** The queued prompts, oldest first. Those that are to join the turn come first. Built only from the records, so that the queue can be reproduced. */
export class PromptQueue {
  private queuedPrompts: readonly QueuedPrompt[] = [];
  /** The last prompt that was sent from the queue. It returns to the queue if the backend does not accept it. */
  private lastSentPrompt: QueuedPrompt | undefined;
  private readonly joiningStateById = new Map<string, JoiningState>();

  /** The prompts as pages show them, with shortened texts and without image data. */
  get shownPrompts(): QueuedPrompt[] {
    return this.queuedPrompts.map(({ attachments, id, text }) => {
      const state = this.joiningStateOf(id);
      return {
        id,
        text: text.length <= maxShownUnits ? text : `${text.slice(0, maxShownUnits).toWellFormed()}…`,
        attachments: attachments.map(withoutImageData),
        ...((state === 'wanted' || state === 'asked') && { isJoining: true }),
        ...(state === 'unknown' && { isDoubtful: true }),
      };
    });
  }

  get first(): QueuedPrompt | undefined {
    return this.queuedPrompts[0];
  }

  /** The first prompt, unless it waits for what the agent or the user says. */
  get due(): QueuedPrompt | undefined {
    const { first } = this;
    return first && this.joiningStateOf(first.id) === undefined ? first : undefined;
  }

  /** The prompts that are to join a turn, or perhaps have joined it. */
  get joining(): readonly QueuedPrompt[] {
    return this.queuedPrompts.filter(({ id }) => this.joiningStateById.has(id));
  }

  joiningStateOf(id: string): JoiningState | undefined {
    return this.joiningStateById.get(id);
  }

  get(id: string): QueuedPrompt | undefined {
    return this.queuedPrompts.find((prompt) => prompt.id === id);
  }

  applyRecord(record: LogRecord): void {
    switch (record.type) {
      case 'queued': {
        const { attachments, id, isNext = false, isRetry, text } = record;
        // One that is there already is moved.
        this.removePrompt(id);
        const prompt = { id, text, attachments, ...withoutUndefined({ isRetry }) };
        this.queuedPrompts = isNext ? [prompt, ...this.queuedPrompts] : [...this.queuedPrompts, prompt];
        break;
      }
      case 'unqueued':
      case 'steered':
        this.removePrompt(record.id);
        break;
      case 'steering':
        this.applyJoining(record);
        break;
      case 'prompt':
        this.lastSentPrompt = this.get(record.id);
        this.removePrompt(record.id);
        break;
      case 'withdrawn':
        if (this.lastSentPrompt?.id === record.id) this.queuedPrompts = [this.lastSentPrompt, ...this.queuedPrompts];
        this.lastSentPrompt = undefined;
        break;
      default:
    }
  }

  private applyJoining({ id, state }: RecordOf<'steering'>): void {
    const prompt = this.get(id);
    if (!prompt) return;
    if (state === 'wanted') {
      const others = this.queuedPrompts.filter((one) => one !== prompt);
      const place = others.findLastIndex((one) => this.joiningStateById.has(one.id)) + 1;
      this.queuedPrompts = others.toSpliced(place, 0, prompt);
    }
    if (state === 'released') this.joiningStateById.delete(id);
    else this.joiningStateById.set(id, state);
  }

  private removePrompt(id: string): void {
    this.joiningStateById.delete(id);
    this.queuedPrompts = this.queuedPrompts.filter((prompt) => prompt.id !== id);
  }
}
