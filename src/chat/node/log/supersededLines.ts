import type { LogLine } from './logLines';

/** Bytes at the start of a line that contain all members before the content of a call. */
const startBytes = 2048;
const endBytes = 256;
/** Maximum size of lines that wait, in bytes. */
const maxWaitingBytes = 32 * 1024 * 1024;

const text = String.raw`"(?:[^"\\]|\\.)*"`;
const simpleMembers = String.raw`(?:,"(?:parent_call_id|title|kind|status)":${text})*`;
/** An update of a call up to its content. */
const updateStart = new RegExp(
  String.raw`^\{"type":"event",(?:"at":\d+,)?"event":\{"event":"tool:update","data":\{"session_id":${text},"call_id":(${text})${simpleMembers},"content":\[`,
);
/** The end of such an update. The members after the content are the same as before it. */
const updateEnd = new RegExp(String.raw`[\]](${simpleMembers})\}\}(?:,"at":\d+)?\}$`);
const eventStart = /^\{"type":"event",(?:"at":\d+,)?"event":\{"event":"([\w:]+)"/;
const callId = new RegExp(String.raw`"call_id":(${text})`);

/** Events during which a call can be updated without changing anything about them. */
const independentEvents = /^(?:content_block|thinking|plan|config|commands|usage|status|session:info)/;

interface WaitingLine {
  readonly line: LogLine;
  /** The members except for the content. Only an update with the same members replaces this one. */
  readonly others: string;
}

/**
 * Leaves out updates of a call that a later update replaces, without decoding them. Older versions of Backline repeated
 * the whole output of a command with each update, so that such a log can be a hundred times as large as its content.
 */
export class SupersededLines {
  private readonly waitingByCall = new Map<string, WaitingLine>();
  private waitingBytes = 0;
  /** Size of the lines that were left out, in bytes. */
  skippedBytes = 0;

  /** Returns the lines that can be read now, in their order, except that the last update of a call comes late. */
  add(line: LogLine): readonly LogLine[] {
    const start = line.start(startBytes);
    const [, event] = eventStart.exec(start) ?? [];
    if (event === undefined) return [...this.takeAll(), line];
    if (independentEvents.test(event)) return [line];
    const call = event.startsWith('tool:') ? callId.exec(start)?.[1] : undefined;
    if (call === undefined) return [...this.takeAll(), line];
    const others = event === 'tool:update' ? othersOf(line, start) : undefined;
    if (others === undefined) return [...this.take(call), line];
    return this.hold(call, { line, others });
  }

  /** Returns all lines that wait. */
  takeAll(): readonly LogLine[] {
    return [...this.waitingByCall.keys()].flatMap((call) => this.take(call));
  }

  private hold(call: string, next: WaitingLine): readonly LogLine[] {
    const before = this.waitingByCall.get(call);
    const isReplaced = before?.others === next.others;
    const ready = this.take(call);
    if (isReplaced) this.skippedBytes += before.line.size;
    this.waitingByCall.set(call, next);
    this.waitingBytes += next.line.size;
    const first = isReplaced ? [] : ready;
    return this.waitingBytes > maxWaitingBytes ? [...first, ...this.takeAll()] : first;
  }

  private take(call: string): readonly LogLine[] {
    const waiting = this.waitingByCall.get(call);
    if (!waiting) return [];
    this.waitingByCall.delete(call);
    this.waitingBytes -= waiting.line.size;
    return [waiting.line];
  }
}

/** Returns the members of an update except for its content. Undefined if there are others than simple ones. */
function othersOf(line: LogLine, start: string): string | undefined {
  const [head] = updateStart.exec(start) ?? [];
  const [, after] = updateEnd.exec(line.end(endBytes)) ?? [];
  if (head === undefined || after === undefined) return undefined;
  return head.replace(/"at":\d+/, '') + after;
}
