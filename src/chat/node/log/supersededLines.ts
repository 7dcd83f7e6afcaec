import type { ByteRange } from '../../../base/node/filePort';
import type { LineOutline } from './logLines';

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

interface LastUpdate {
  readonly line: LineOutline;
  /** The members except for the content. Only an update with the same members replaces this one. */
  readonly others: string;
}

/**
 * Finds updates of a call that a later update replaces. Older versions of Backline repeated the whole output of a command
 * with each update, so that such a log can be a hundred times as large as its content.
 */
export class SupersededLines {
  private readonly lastByCall = new Map<string, LastUpdate>();
  private readonly found: ByteRange[] = [];

  /** Where the lines are that were replaced, in the order of the file. */
  get ranges(): readonly ByteRange[] {
    return this.found.toSorted((a, b) => a.start - b.start);
  }

  add(line: LineOutline): void {
    const { start } = line;
    const [, event] = eventStart.exec(start) ?? [];
    if (event !== undefined && independentEvents.test(event)) return;
    const call = event?.startsWith('tool:') === true ? callId.exec(start)?.[1] : undefined;
    if (call === undefined) {
      this.forgetAll();
      return;
    }
    const others = event === 'tool:update' ? othersOf(line) : undefined;
    if (others === undefined) {
      this.lastByCall.delete(call);
      return;
    }
    const before = this.lastByCall.get(call);
    if (before?.others === others) this.addRange(before.line);
    this.lastByCall.set(call, { line, others });
  }

  /** What follows does not replace what was before. */
  forgetAll(): void {
    this.lastByCall.clear();
  }

  /** Adjacent lines become one range, so that few ranges are kept of many lines. */
  private addRange({ endOffset, offset }: LineOutline): void {
    const last = this.found.at(-1);
    if (last?.end === offset) this.found[this.found.length - 1] = { start: last.start, end: endOffset };
    else this.found.push({ start: offset, end: endOffset });
  }
}

/** Returns the members of an update except for its content. Undefined if there are others than simple ones. */
function othersOf({ end, start }: LineOutline): string | undefined {
  const [head] = updateStart.exec(start) ?? [];
  const [, after] = updateEnd.exec(end) ?? [];
  if (head === undefined || after === undefined) return undefined;
  return head.replace(/"at":\d+/, '') + after;
}
