import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { QueuedPrompt } from '../chatView';
import { withoutImageData } from './drafts';
import type { LogRecord } from './logRecord';

/** Maximum length of a shown prompt, in UTF-16 units. */
const maxShownUnits = 500;

/** The queued prompts, oldest first. Built only from the records, so that the queue can be reproduced. */
export class PromptQueue {
  private queuedPrompts: readonly QueuedPrompt[] = [];
  /** The last prompt that was sent from the queue. It returns to the queue if the backend does not accept it. */
  private lastSentPrompt: QueuedPrompt | undefined;

  /** The prompts as pages show them, with shortened texts and without image data. */
  get shownPrompts(): QueuedPrompt[] {
    return this.queuedPrompts.map(({ attachments, id, text }) => ({
      id,
      text: text.length <= maxShownUnits ? text : `${text.slice(0, maxShownUnits).toWellFormed()}…`,
      attachments: attachments.map(withoutImageData),
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
        const { attachments, id, isNext = false, isRetry, text } = record;
        const prompt = { id, text, attachments, ...withoutUndefined({ isRetry }) };
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
