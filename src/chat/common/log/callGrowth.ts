import * as z from 'zod';
import { BoundedMap } from '../../../base/common/boundedMap';
import { applyGrowth, growthBetween, type Growth } from './jsonGrowth';
import { SessionEvent, type EventData } from '../../../session/common/sessionEvents';
import type { LogRecord } from '../conversation/logRecord';

/** Members of a call's events that repeat everything so far, so that they would grow with the square of the output. */
const growingMembers = ['content', 'input', 'locations'] as const;
type Growing = Partial<Pick<EventData<'tool:update'>, (typeof growingMembers)[number]>>;

const At = z.array(z.union([z.string(), z.number().int()]));
const Steps = z.array(
  z.union([
    z.object({ at: At, drop: z.number().int().nonnegative().optional(), text: z.string() }),
    z.object({ at: At, items: z.array(z.unknown()) }),
    z.object({ at: At, value: z.unknown() }),
  ]),
);

/** Maximum number of open calls whose state is kept. An agent that leaves more of them open repeats itself in the log. */
const maxCalls = 256;
/** With more steps than this, an update is written as it is. */
const maxSteps = 32;

/** What the calls of the current turn have sent. The writer and the reader of a log hold the same, by the same rule. */
class KnownCalls {
  private readonly byId = new BoundedMap<string, Growing>({ maxEntries: maxCalls });

  get(id: string): Growing {
    return this.byId.get(id) ?? {};
  }

  /** Takes over a record as it is read, with all of its content. */
  apply(record: LogRecord): void {
    if (record.type === 'bound' || record.type === 'forked') this.byId.clear();
    if (record.type !== 'event') return;
    const { event } = record;
    switch (event.event) {
      case 'tool:pre':
      case 'tool:update':
        this.addMembers(event.data.call_id ?? '', event.data);
        return;
      case 'tool:post':
      case 'tool:error':
        this.byId.delete(event.data.call_id ?? '');
        return;
      case 'prompt:complete':
      case 'error':
      case 'session:end':
        this.byId.clear();
        return;
      default:
    }
  }

  clear(): void {
    this.byId.clear();
  }

  private addMembers(id: string, { content, input, locations }: Growing): void {
    const known = this.byId.get(id);
    this.byId.set(id, {
      ...known,
      ...(content && { content }),
      ...(input && { input }),
      ...(locations && { locations }),
    });
  }
}

/**
 * Shortens the updates of a call for the log: they contain only what was added (`grown`). Versions of Backline before log
 * version 3 ignore `grown`, so a log that contains it must have at least that version.
 */
export class CallGrowthWriter {
  private readonly calls = new KnownCalls();

  /** Returns the record to write. Undefined if the record adds nothing. Call in the order of the log. */
  shorten(record: LogRecord): LogRecord | undefined {
    const shortened = this.shortenUpdate(record);
    this.calls.apply(record);
    return shortened;
  }

  /** Forgets all calls, because records were lost. */
  reset(): void {
    this.calls.clear();
  }

  private shortenUpdate(received: LogRecord): LogRecord | undefined {
    const record = withoutGrown(received);
    if (record.type !== 'event' || record.event.event !== 'tool:update') return record;
    const { event } = record;
    const known = this.calls.get(event.data.call_id);
    const names = growingMembers.filter((name) => known[name] !== undefined && event.data[name] !== undefined);
    if (names.length === 0) return record;
    const grown = names.flatMap((name) => growthBetween(known[name], event.data[name], [name]));
    if (grown.length > maxSteps) return record;
    const repeated: ReadonlySet<string> = new Set(names);
    const others = Object.entries(event.data).filter(([name]) => !repeated.has(name) && name !== 'grown');
    const data = { session_id: event.data.session_id, call_id: event.data.call_id, ...Object.fromEntries(others) };
    const addsOthers = Object.keys(data).some((name) => name !== 'session_id' && name !== 'call_id');
    if (grown.length === 0 && !addsOthers) return undefined;
    return { ...record, event: { ...event, data: grown.length === 0 ? data : { ...data, grown } } };
  }
}

/** Whether the record is a shortened update. */
export function isShortened(record: LogRecord): boolean {
  return record.type === 'event' && record.event.event === 'tool:update' && record.event.data['grown'] !== undefined;
}

/** Removes a `grown` that an agent has sent, which would change what is read. */
function withoutGrown(record: LogRecord): LogRecord {
  if (record.type !== 'event' || record.event.event !== 'tool:update' || !isShortened(record)) return record;
  return { ...record, event: { ...record.event, data: { ...record.event.data, grown: undefined } } };
}

/** Gives shortened updates their content back. */
export class CallGrowthReader {
  private readonly calls = new KnownCalls();

  /** Call in the order of the log. */
  restore(record: LogRecord): LogRecord {
    const restored = this.restoreUpdate(record);
    this.calls.apply(restored);
    return restored;
  }

  private restoreUpdate(record: LogRecord): LogRecord {
    if (record.type !== 'event' || record.event.event !== 'tool:update') return record;
    const { grown, ...data } = record.event.data;
    if (grown === undefined) return record;
    const without: LogRecord = { ...record, event: { ...record.event, data } };
    const steps: readonly Growth[] | undefined = Steps.safeParse(grown).data;
    const members = steps && applyGrowth(this.calls.get(data.call_id), steps);
    // What does not fit is left out, because records were lost before it.
    if (!steps || typeof members !== 'object' || members === null) return without;
    const changed = new Set(steps.map(({ at: [name] }) => name));
    const grownMembers = Object.fromEntries(Object.entries(members).filter(([name]) => changed.has(name)));
    const event = SessionEvent.safeParse({ ...record.event, data: { ...data, ...grownMembers } }).data;
    return event ? { ...record, event } : without;
  }
}
