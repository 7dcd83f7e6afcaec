import type { SessionEvent, SessionEventName } from '../sessionEvents';
import type { SecretRedactor } from './secretRedactor';

type Delta = Extract<SessionEvent, { event: 'content_block:delta' | 'thinking:delta' }>;

/** Events after which no text block continues. */
const textEnds: ReadonlySet<SessionEventName> = new Set<SessionEventName>([
  'content_block:start',
  'content_block:end',
  'content_block:media',
  'thinking:final',
  'tool:pre',
  'tool:post',
  'tool:error',
  'approval:required',
  'prompt:submit',
  'prompt:complete',
  'error',
  'session:end',
]);

/** Redacts secrets in streamed text. Delays the end of a piece if it may be the start of a secret. */
export class DeltaRedactor {
  /** Delayed deltas, by block index or `thinking`. */
  private readonly heldDeltas = new Map<string, Delta>();

  constructor(
    private readonly redactor: SecretRedactor,
    private readonly emit: (event: SessionEvent) => void,
  ) {}

  emitRedacted(event: SessionEvent): void {
    if (event.event === 'content_block:delta') {
      this.emitRedactedDelta(String(event.data.block_index), event, (delta) => ({
        ...event,
        data: { ...event.data, delta },
      }));
    } else if (event.event === 'thinking:delta') {
      this.emitRedactedDelta('thinking', event, (delta) => ({ ...event, data: { ...event.data, delta } }));
    } else {
      if (textEnds.has(event.event)) this.emitHeldDeltas();
      this.emit(event);
    }
  }

  private emitRedactedDelta(blockKey: string, event: Delta, withText: (delta: string) => Delta): void {
    const before = this.heldDeltas.get(blockKey)?.data.delta ?? '';
    const known = this.redactor.redactText(before + event.data.delta);
    const tail = known.slice(known.length - this.redactor.partialSecretLength(known));
    if (tail === '') this.heldDeltas.delete(blockKey);
    else this.heldDeltas.set(blockKey, withText(tail));
    const shown = known.slice(0, known.length - tail.length);
    if (shown === event.data.delta) this.emit(event);
    else if (shown !== '') this.emit(withText(shown));
  }

  private emitHeldDeltas(): void {
    const held = [...this.heldDeltas.values()];
    this.heldDeltas.clear();
    for (const event of held) this.emit(event);
  }
}
