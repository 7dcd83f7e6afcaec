import type { QueuedPrompt } from '../chatView';
import { withoutImage } from './drafts';
import type { LogRecord } from './logRecord';

/** In UTF-16 units. */
const maxShownUnits = 500;

/** The queued prompts, oldest first. Built from the conversation's records only, so that it can be reproduced. */
export class PromptQueue {
  private waiting: readonly QueuedPrompt[] = [];
  /** Sent from the queue; put back if the backend does not accept it. */
  private sent: QueuedPrompt | undefined;

  /** For pages: with shortened texts and without image data. */
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
