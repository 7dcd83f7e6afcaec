import type { SessionEvent, SessionEventName, ToolContent } from '../sessionEvents';
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

/** Minimum length of the start of a secret that is left out of an output. Shorter ones are the end of ordinary words. */
const minBegunUnits = 4;

/**
 * Redacts secrets in streamed text and in the output of calls, whose pieces arrive separately. Delays the end of a piece
 * if it may be the start of a secret.
 */
export class DeltaRedactor {
  /** Delayed deltas, by block index or `thinking`. */
  private readonly heldDeltas = new Map<string, Delta>();

  constructor(
    private readonly redactor: SecretRedactor,
    private readonly emit: (event: SessionEvent) => void,
  ) {}

  emitRedacted(event: SessionEvent): void {
    if (this.redactor.isEmpty && this.heldDeltas.size === 0) {
      this.emit(event);
    } else if (event.event === 'content_block:delta') {
      this.emitRedactedDelta(String(event.data.block_index), event, (delta) => ({
        ...event,
        data: { ...event.data, delta },
      }));
    } else if (event.event === 'thinking:delta') {
      this.emitRedactedDelta('thinking', event, (delta) => ({ ...event, data: { ...event.data, delta } }));
    } else {
      if (textEnds.has(event.event)) this.emitHeldDeltas();
      this.emit(this.withRedactedOutput(event));
    }
  }

  private withRedactedOutput(event: SessionEvent): SessionEvent {
    switch (event.event) {
      case 'tool:pre':
        return { ...event, data: this.withRedactedContent(event.data, true) };
      case 'tool:update':
        return { ...event, data: this.withRedactedContent(event.data, true) };
      case 'tool:error':
        return {
          ...event,
          data: { ...this.withRedactedContent(event.data, false), error: this.redact(event.data.error) },
        };
      case 'tool:post': {
        const { result } = event.data;
        const redacted = typeof result.output === 'string' ? { ...result, output: this.redact(result.output) } : result;
        return { ...event, data: { ...this.withRedactedContent(event.data, false), result: redacted } };
      }
      default:
        return event;
    }
  }

  /** `isGrowing`: more output may follow, so that its end may be the start of a secret. */
  private withRedactedContent<Data extends { content?: ToolContent[] | undefined }>(
    data: Data,
    isGrowing: boolean,
  ): Data {
    if (!data.content) return data;
    const shown = (text: string): string => {
      const known = this.redact(text);
      const begun = isGrowing ? this.redactor.partialSecretLength(known) : 0;
      return begun < minBegunUnits ? known : known.slice(0, known.length - begun);
    };
    const content = data.content.map((item): ToolContent => {
      if (item.type === 'text') return { ...item, text: shown(item.text) };
      // A terminal that has ended gets no more output.
      if (item.type === 'terminal')
        return { ...item, output: item.exit_code === undefined ? shown(item.output) : this.redact(item.output) };
      return item;
    });
    return { ...data, content };
  }

  private redact(text: string): string {
    return this.redactor.redactText(text);
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
