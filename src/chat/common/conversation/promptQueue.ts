import type { QueuedPrompt } from '../chatView';
import { withoutImage } from './drafts';
import type { LogRecord } from './logRecord';

/** Enough to know a prompt by, in UTF-16 units. */
const maxShownUnits = 500;

/**
 * Prompts that wait for the end of a turn, first come first. It is made of the conversation's records and nothing else, so that
 * it is what it was when the conversation is opened again.
 */
export class PromptQueue {
  private waiting: readonly QueuedPrompt[] = [];
  /** Taken from the queue; it comes back when the backend does not take it. */
  private sent: QueuedPrompt | undefined;

  /** Without what pages need not know before a prompt is edited. */
  get shown(): QueuedPrompt[] {
    return this.waiting.map(({ attachments, id, text }) => ({
      id,
      text: text.length <= maxShownUnits ? text : `${text.slice(0, maxShownUnits).toWellFormed()}…`,
      attachments: attachments.map(withoutImage),
    }));
  }

  get first(): QueuedPrompt | undefined {
    return this.waiting[0];
  }

  get(id: string): QueuedPrompt | undefined {
    return this.waiting.find((prompt) => prompt.id === id);
  }

  apply(record: LogRecord): void {
    switch (record.type) {
      case 'queued': {
        const { attachments, id, isNext = false, text } = record;
        const prompt = { id, text, attachments };
        this.waiting = isNext ? [prompt, ...this.waiting] : [...this.waiting, prompt];
        break;
      }
      case 'unqueued':
        this.remove(record.id);
        break;
      case 'prompt':
        this.sent = this.get(record.id);
        this.remove(record.id);
        break;
      case 'withdrawn':
        if (this.sent?.id === record.id) this.waiting = [this.sent, ...this.waiting];
        this.sent = undefined;
        break;
      default:
    }
  }

  private remove(id: string): void {
    this.waiting = this.waiting.filter((prompt) => prompt.id !== id);
  }
}
