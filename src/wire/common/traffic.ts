import type { Disposable } from '../../base/common/disposable';
import { Emitter } from '../../base/common/event';

/** A message on the wire, without its contents, so that it can be shared in a bug report. */
export interface TrafficEntry {
  readonly protocol: 'amp' | 'acp' | 'amplifier' | 'context';
  /** The direction as Backline sees it. */
  readonly direction: 'in' | 'out';
  /** Name of the client, agent or server, as in the log, for example `client 3`. */
  readonly peer: string;
  readonly method: string;
  readonly bytes: number;
  /** Time since the request, in milliseconds. Only responses have it. */
  readonly durationMs?: number;
  readonly error?: number | string;
}

export interface RecordedTraffic extends TrafficEntry {
  /** Time at which the message was recorded, in milliseconds since the epoch. */
  readonly recordedAt: number;
}

/** Receives messages from protocol code. Check `isRecording` first, to avoid unnecessary work when there is no viewer. */
export interface TrafficTap {
  readonly isRecording: boolean;
  record(entry: TrafficEntry): void;
}

export const disabledTrafficTap: TrafficTap = { isRecording: false, record: () => undefined };

/** Records the newest messages (at least `maxEntries`) while it is open. */
export class TrafficLog implements TrafficTap {
  private readonly changeEmitter = new Emitter<void>((error) => this.onListenerError(error));
  readonly onDidChange = this.changeEmitter.event;
  private entries: RecordedTraffic[] = [];
  private watcherCount = 0;
  private droppedCount = 0;

  constructor(
    private readonly now: () => number,
    readonly maxEntries: number,
    private readonly onListenerError: (error: unknown) => void,
  ) {}

  get isRecording(): boolean {
    return this.watcherCount > 0;
  }

  get droppedEntryCount(): number {
    return this.droppedCount;
  }

  get recordedEntries(): readonly RecordedTraffic[] {
    return this.entries;
  }

  /** Starts recording. Dispose the result to stop. When all recordings have stopped, the log is cleared. */
  startRecording(): Disposable {
    this.watcherCount++;
    let closed = false;
    return {
      dispose: () => {
        if (closed) return;
        closed = true;
        this.watcherCount--;
        if (this.watcherCount === 0) this.clear();
      },
    };
  }

  record(entry: TrafficEntry): void {
    if (!this.isRecording) return;
    const { peer, method, error } = entry;
    this.entries.push({
      ...entry,
      peer: toName(peer),
      method: toName(method),
      ...(typeof error === 'string' ? { error: toName(error) } : {}),
      recordedAt: this.now(),
    });
    // Dropped in blocks, to keep the cost per message constant.
    if (this.entries.length > this.maxEntries * 1.25) {
      const excess = this.entries.length - this.maxEntries;
      this.droppedCount += excess;
      this.entries = this.entries.slice(excess);
    }
    this.changeEmitter.fire();
  }

  clear(): void {
    this.entries = [];
    this.droppedCount = 0;
    this.changeEmitter.fire();
  }
}

/** Sanitizes names from peers: removes control characters and limits the length. */
function toName(name: string): string {
  const short = name.length > maxNameLength ? `${name.slice(0, maxNameLength - 1)}…` : name;
  return short.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '\uFFFD');
}

const maxNameLength = 60;
