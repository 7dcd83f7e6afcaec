import type { Disposable } from '../../base/common/disposable';
import { Emitter } from '../../base/common/event';

/** One message on the wire, without its contents: what may be shown and copied into a bug report. */
export interface TrafficEntry {
  readonly protocol: 'amp' | 'acp' | 'amplifier' | 'context';
  /** Seen from Backline. */
  readonly direction: 'in' | 'out';
  /** Which client, agent or server, as in the log, for example `client 3`. */
  readonly peer: string;
  readonly method: string;
  readonly bytes: number;
  /** From request to answer, on the answer's entry. */
  readonly ms?: number;
  /** The error code of an answer that is an error. */
  readonly error?: number | string;
}

export interface RecordedTraffic extends TrafficEntry {
  /** Milliseconds since the epoch. */
  readonly time: number;
}

/** Where protocol code reports its messages. Ask `isOpen` first: nothing is recorded until somebody watches. */
export interface TrafficTap {
  readonly isOpen: boolean;
  record(entry: TrafficEntry): void;
}

export const closedTap: TrafficTap = { isOpen: false, record: () => undefined };

/** The newest `maxEntries` messages, while somebody watches. */
export class TrafficLog implements TrafficTap {
  private readonly emitter = new Emitter<void>((error) => this.onListenerError(error));
  readonly onDidChange = this.emitter.event;
  private entries: RecordedTraffic[] = [];
  private watchers = 0;
  private droppedCount = 0;

  constructor(
    private readonly now: () => number,
    readonly maxEntries: number,
    private readonly onListenerError: (error: unknown) => void,
  ) {}

  get isOpen(): boolean {
    return this.watchers > 0;
  }

  /** How many older messages had to go. */
  get dropped(): number {
    return this.droppedCount;
  }

  get recorded(): readonly RecordedTraffic[] {
    return this.entries;
  }

  /** Starts recording; the caller disposes the result to stop. The last one to stop empties the log. */
  open(): Disposable {
    this.watchers++;
    let closed = false;
    return {
      dispose: () => {
        if (closed) return;
        closed = true;
        this.watchers--;
        if (this.watchers === 0) this.clear();
      },
    };
  }

  record(entry: TrafficEntry): void {
    if (!this.isOpen) return;
    const { peer, method, error } = entry;
    this.entries.push({
      ...entry,
      peer: toName(peer),
      method: toName(method),
      ...(typeof error === 'string' ? { error: toName(error) } : {}),
      time: this.now(),
    });
    // Dropping in blocks keeps the cost of a message constant.
    if (this.entries.length > this.maxEntries * 1.25) {
      const excess = this.entries.length - this.maxEntries;
      this.droppedCount += excess;
      this.entries = this.entries.slice(excess);
    }
    this.emitter.fire();
  }

  clear(): void {
    this.entries = [];
    this.droppedCount = 0;
    this.emitter.fire();
  }
}

/** Names come from peers: none may break out of its line, fill the page or the memory. */
function toName(name: string): string {
  const short = name.length > maxNameLength ? `${name.slice(0, maxNameLength - 1)}…` : name;
  return short.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '\uFFFD');
}

const maxNameLength = 60;
