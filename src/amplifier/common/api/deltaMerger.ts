import type { SessionEvent } from '../../../session/common/sessionEvents';

type Delta = Extract<SessionEvent, { event: 'content_block:delta' | 'thinking:delta' }>;

/**
 * Merges consecutive deltas of the same text, such as those of one socket read, into one event, to save work downstream.
 * Emits it at the end of the current task at the latest. Keeps the order of events.
 */
export class DeltaMerger {
  private first: Delta | undefined;
  private texts: string[] = [];

  constructor(private readonly emit: (event: SessionEvent) => void) {}

  add(event: SessionEvent): void {
    if (event.event !== 'content_block:delta' && event.event !== 'thinking:delta') {
      this.flush();
      this.emit(event);
      return;
    }
    if (this.first && !isSameText(this.first, event)) this.flush();
    if (!this.first) {
      this.first = event;
      queueMicrotask(() => this.flush());
    }
    this.texts.push(event.data.delta);
  }

  flush(): void {
    const { first, texts } = this;
    if (!first) return;
    this.first = undefined;
    this.texts = [];
    if (texts.length > 1) first.data.delta = texts.join('');
    this.emit(first);
  }
}

function isSameText(one: Delta, other: Delta): boolean {
  if (one.event === 'thinking:delta') return other.event === 'thinking:delta';
  return other.event === 'content_block:delta' && one.data.block_index === other.data.block_index;
}
