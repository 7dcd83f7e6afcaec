import type { SessionEvent } from '../../../session/common/sessionEvents';

type Delta = Extract<SessionEvent, { event: 'content_block:delta' | 'thinking:delta' }>;

/** Merges consecutive deltas of the same text. Emits the resulting event at the end of the current task. */
export class DeltaMerger {
  private firstDelta: Delta | undefined;
  private deltaTexts: string[] = [];

  constructor(private readonly emit: (event: SessionEvent) => void) {}

  add(event: SessionEvent): void {
    if (event.event !== 'content_block:delta' && event.event !== 'thinking:delta') {
      this.flush();
      this.emit(event);
      return;
    }
    if (this.firstDelta && !isSameText(this.firstDelta, event)) this.flush();
    if (!this.firstDelta) {
      this.firstDelta = event;
      queueMicrotask(() => this.flush());
    }
    this.deltaTexts.push(event.data.delta);
  }

  flush(): void {
    const { firstDelta, deltaTexts } = this;
    if (!firstDelta) return;
    this.firstDelta = undefined;
    this.deltaTexts = [];
    if (deltaTexts.length > 1) firstDelta.data.delta = deltaTexts.join('');
    this.emit(firstDelta);
  }
}

function isSameText(one: Delta, other: Delta): boolean {
  if (one.event === 'thinking:delta') return other.event === 'thinking:delta';
  return other.event === 'content_block:delta' && one.data.block_index === other.data.block_index;
}
