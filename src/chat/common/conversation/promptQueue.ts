import type { QueuedPrompt } from '../chatView';
import { withoutImage } from './drafts';
import type { LogRecord } from './logRecord';

/** In UTF-16 units. */
const maxShownUnits = 500;

/** The queued prompts, oldest first. Built from the conversation's records only, so that it can be reproduced. */
export class PromptQueue {
  private queuedPrompts: readonly QueuedPrompt[] = [];
  /** Sent from the queue; put back if the backend does not accept it. */
  private lastSentPrompt: QueuedPrompt | undefined;

  /** For pages: with shortened texts and without image data. */
  get shownPrompts(): QueuedPrompt[] {
    return this.queuedPrompts.map(({ attachments, id, text }) => ({
      id,
      text: text.length <= maxShownUnits ? text : `${text.slice(0, maxShownUnits).toWellFormed()}…`,
      attachments: attachments.map(withoutImage),
    }));
  }

  get first(): QueuedPrompt | undefined {
    return this.queuedPrompts[0];
  }

  get(id: string): QueuedPrompt | undefined {
    return this.queuedPrompts.find((prompt) => prompt.id === id);
  }

  applyRecord(record: LogRecord): void {
    switch (record.type) {
      case 'queued': {
        const { attachments, id, isNext = false, text } = record;
        const prompt = { id, text, attachments };
        this.queuedPrompts = isNext ? [prompt, ...this.queuedPrompts] : [...this.queuedPrompts, prompt];
        break;
      }
      case 'unqueued':
        this.removePrompt(record.id);
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

  private removePrompt(id: string): void {
    this.queuedPrompts = this.queuedPrompts.filter((prompt) => prompt.id !== id);
  }
}
