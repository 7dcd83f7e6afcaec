import type { SessionEvent } from '../../../session/common/sessionEvents';
import { decodeStreamMessage, type StreamMessage } from './streamMessages';

type Delta = Extract<SessionEvent, { event: 'content_block:delta' | 'thinking:delta' }>;

/** The JSON of a delta without its text. */
interface Template {
  readonly before: string;
  readonly after: string;
  readonly delta: Delta;
}

/** Number of deltas in a row that may differ in more than their text. After that, only some are compared. */
const maxMisses = 16;
const missesPerAttempt = 64;

/**
 * Decodes deltas that differ from an earlier one only in their text, without parsing their JSON again. Returns exactly what
 * `decodeStreamMessage` returns, and leaves all other messages to it.
 */
export class RepeatedDeltaDecoder {
  private template: Template | undefined;
  /** The latest delta that was not decoded here. It becomes the template if another delta is like it. */
  private candidate: Template | undefined;
  private missCount = 0;

  constructor(private readonly sessionId: string) {}

  /** Returns undefined if the message is not like an earlier delta, or if its text has escapes. */
  decode({ event, data }: StreamMessage): Delta | undefined {
    const { template } = this;
    if (!template || event !== undefined) return undefined;
    const { before, after, delta } = template;
    const textEnd = data.length - after.length;
    if (textEnd < before.length) return undefined;
    // `startsWith` takes as long as parsing for the strings that the parser of the stream cuts out of its input.
    const head = data.slice(0, before.length);
    const tail = data.slice(textEnd);
    if (head !== before || tail !== after) return undefined;
    const text = data.slice(before.length, textEnd);
    if (notPlain.test(text)) return undefined;
    this.missCount = 0;
    return withText(delta, text);
  }

  /** Call with each message that `decode` did not recognize, and the decoded event. */
  learn({ event, data }: StreamMessage, decoded: object): void {
    if (event !== undefined || !isDelta(decoded)) return;
    this.missCount++;
    if (this.missCount > maxMisses && this.missCount % missesPerAttempt > 1) return;
    const { candidate } = this;
    const next = templateOf(data, decoded);
    this.candidate = next;
    if (next && next.before === candidate?.before && next.after === candidate.after && this.isValid(next))
      this.template = next;
  }

  /** Whether the place of the text in the JSON is that of the delta: any string in this place becomes the delta. */
  private isValid({ before, after }: Template): boolean {
    return ['x', 'y'].every((text) => {
      const decoded = decodeStreamMessage(this.sessionId, { data: before + text + after });
      return isDelta(decoded) && decoded.data.delta === text;
    });
  }
}

/** Characters that JSON does not allow in a string, or that begin an escape. */
const notPlain = /["\\\p{Cc}]/u;

function isDelta(decoded: object): decoded is Delta {
  return 'event' in decoded && (decoded.event === 'content_block:delta' || decoded.event === 'thinking:delta');
}

function templateOf(data: string, delta: Delta): Template | undefined {
  const text = JSON.stringify(delta.data.delta);
  const index = data.lastIndexOf(text);
  if (index === -1) return undefined;
  // The quotes are part of the JSON around the text.
  return { before: data.slice(0, index + 1), after: data.slice(index + text.length - 1), delta: withText(delta, '') };
}

function withText(template: Delta, delta: string): Delta {
  return template.event === 'thinking:delta'
    ? { event: 'thinking:delta', data: { ...template.data, delta } }
    : { event: 'content_block:delta', data: { ...template.data, delta } };
}
