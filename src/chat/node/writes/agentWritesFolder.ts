import type { Stats } from 'node:fs';
import { appendFile, mkdir, open, readdir, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { KeyedQueue, type Clock } from '../../../base/common/async';
import { errorCode, messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import { parseJson } from '../../../base/common/parseJson';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import { isProcessAlive } from '../../../base/node/isProcessAlive';
import type {
  AgentWrite,
  AgentWrites,
  AnnouncedWrite,
  NewAgentWrite,
  ToldWrite,
} from '../../common/writes/agentWrites';

interface AgentWritesFolderDeps {
  /** Absolute path of a folder that all windows share. */
  readonly folder: string;
  /** Name of this window's file, unique among all windows. */
  readonly windowId: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Logger;
  /** Id of the process of this window. */
  readonly pid?: number;
  /** Whether the process of a window still runs. */
  readonly isAlive?: (pid: number) => boolean;
}

/** An earlier version of Backline tells a deleted file without text as "state none". */
const ContentId = z
  .string()
  .nullable()
  .optional()
  .transform((id) => (id === 'state none' ? null : id));
const Written = z.object({
  at: z.number(),
  conversation: z.string(),
  path: z.string(),
  text: ContentId,
  state: ContentId,
  /** Id of the announcement that this ends. */
  id: z.string().optional(),
});
/**
 * An earlier version of Backline in another window reads an announcement as a write, ignores withdrawals and what lost writes
 * may have left, and does not record what its own lost writes may have left.
 */
const StoredLine = z.union([
  Written.extend({ phase: z.literal('announced'), id: z.string(), pid: z.number() }),
  Written.extend({ phase: z.literal('lost'), id: z.string() }),
  z.object({ at: z.number(), phase: z.literal('withdrawn'), id: z.string() }),
  z.object({ at: z.number(), phase: z.literal('lost'), id: z.string() }),
  Written.extend({ phase: z.undefined().optional() }),
]);
type StoredLine = z.infer<typeof StoredLine>;

/** Older writes matter to nobody: checkpoints are not kept that long. */
const maxAgeMs = 30 * 24 * 60 * 60 * 1000;
/** Maximum size of the file of one window, in bytes. A larger one starts again. */
const maxFileBytes = 8 * 1024 * 1024;
/** No write takes longer. A process that has got the id of an ended one must not keep its announcements alive. */
const maxAnnouncedMs = 60 * 60 * 1000;
/** File systems store times less exactly than the clock. */
const mtimeErrorMs = 10_000;
const suffix = '.jsonl';
const lineFeed = 0x0a;

/** A part of a file, up to its last whole line. */
interface ReadPart {
  readonly lines: readonly StoredLine[];
  /** Number of bytes of the file before the first line that was not read. */
  readonly end: number;
}

/** Each window appends to a file of its own, so that windows never wait for each other, and reads the files of all. */
export class AgentWritesFolder implements AgentWrites {
  private readonly queue = new KeyedQueue();
  private pendingLines: string[] = [];
  private announcedCount = 0;
  /** The next read of what other windows have told. Undefined when it has begun. */
  private nextRead: Promise<void> | undefined;
  /** Up to where the file of each other window was read, in bytes. Undefined before the first time. */
  private readBytesByName: Map<string, number> | undefined;
  /** What other windows are about to write, by the full id. */
  private readonly announcedById = new Map<string, { readonly at: number; readonly pid: number }>();

  constructor(private readonly deps: AgentWritesFolderDeps) {}

  add(write: NewAgentWrite): void {
    this.append({ ...write });
    void this.flush();
  }

  async announce(writes: readonly NewAgentWrite[]): Promise<readonly AnnouncedWrite[]> {
    const { pid = process.pid } = this.deps;
    const announced = writes.map((write): AnnouncedWrite => {
      const id = String(++this.announcedCount);
      this.append({ ...write, phase: 'announced', id, pid });
      return {
        end: (written) => {
          if (written === 'nothing') this.append({ phase: 'withdrawn', id });
          else if ('left' in written) this.append({ ...written.left, phase: 'lost', id });
          else this.append({ ...written, id });
          void this.flush();
        },
      };
    });
    await this.flush();
    return announced;
  }

  async since(at: number): Promise<readonly AgentWrite[]> {
    await this.flush();
    const all: AgentWrite[] = [];
    await this.queue.run('files', () =>
      this.forEachFile(async (name, { mtimeMs }) => {
        // A file that nobody has written since then has nothing newer.
        if (mtimeMs + mtimeErrorMs < at) return;
        const { lines } = await this.readFrom(name, 0);
        const ended = new Set(
          lines.flatMap(({ id, phase }) => (phase === undefined || phase === 'withdrawn' ? (id ?? []) : [])),
        );
        for (const line of lines) {
          if (!isWritten(line) || line.at < at) continue;
          if (line.phase !== 'announced' || !ended.has(line.id)) all.push(writeOf(line));
        }
      }),
    );
    return oldestFirst(all);
  }

  async readOtherWindows(onTold: (told: ToldWrite) => void): Promise<void> {
    // A scan asks for each file. There can be thousands of them, and hundreds of windows.
    this.nextRead ??= this.queue.run('files', async () => {
      this.nextRead = undefined;
      await this.readNow(onTold);
    });
    await this.nextRead;
  }

  private async readNow(onTold: (told: ToldWrite) => void): Promise<void> {
    const known = this.readBytesByName;
    const read = new Map(known);
    const told: { readonly at: number; readonly told: ToldWrite }[] = [];
    await this.forEachFile(async (name, { mtimeMs, size }) => {
      const from = known?.get(name) ?? 0;
      if (name === this.ownName || (known && from === size)) return;
      const isOld = this.deps.clock.now() - mtimeMs > maxAnnouncedMs;
      const part = known || !isOld ? await this.readFrom(name, from) : { end: size, lines: [] };
      read.set(name, part.end);
      for (const line of part.lines) told.push({ at: line.at, told: this.toldBy(name, line) });
    });
    this.readBytesByName = read;
    const sorted = oldestFirst(told).map((one) => one.told);
    const isNew = (one: ToldWrite): boolean =>
      known !== undefined || (one.kind === 'announced' && this.announcedById.has(one.id));
    for (const one of [...sorted.filter(isNew), ...this.takeLost()]) onTold(one);
  }

  /** Converts a line of another window, whose ids are only unique there. */
  private toldBy(name: string, line: StoredLine): ToldWrite {
    if (line.phase === undefined && line.id === undefined) return { kind: 'made', write: writeOf(line) };
    const id = `${name} ${line.id}`;
    if (line.phase === 'announced') {
      this.announcedById.set(id, line);
      return { kind: 'announced', id, write: writeOf(line) };
    }
    this.announcedById.delete(id);
    if (line.phase === 'withdrawn') return { kind: 'withdrawn', id };
    if (line.phase === 'lost') return { kind: 'lost', id, ...(isWritten(line) ? { left: writeOf(line) } : {}) };
    return { kind: 'made', id, write: writeOf(line) };
  }

  /** Returns the announcements of windows that have ended since. */
  private takeLost(): ToldWrite[] {
    const { clock, isAlive = isProcessAlive } = this.deps;
    const lost = [...this.announcedById].filter(
      ([, { at, pid }]) => clock.now() - at > maxAnnouncedMs || !isAlive(pid),
    );
    for (const [id] of lost) this.announcedById.delete(id);
    return lost.map(([id]) => ({ kind: 'lost', id }));
  }

  private append(line: Record<string, unknown>): void {
    this.pendingLines.push(`${JSON.stringify({ at: this.deps.clock.now(), ...line })}\n`);
  }

  private get ownName(): string {
    return `${this.deps.windowId}${suffix}`;
  }

  /** Removes files that are too old, and calls `task` for each other one. Never rejects. */
  private async forEachFile(task: (name: string, stats: Stats) => Promise<void>): Promise<void> {
    const { clock, folder, log } = this.deps;
    const report = (error: unknown): void => {
      // No window has written anything yet, or another one has removed an old file.
      if (errorCode(error) === 'ENOENT') return;
      log.warn(`Cannot read what other windows have written: ${messageOf(error)}`);
    };
    const names = await readdir(folder).catch((error: unknown) => {
      report(error);
      return [];
    });
    for (const name of names) {
      if (!name.endsWith(suffix)) continue;
      try {
        const file = join(folder, name);
        const stats = await stat(file);
        if (clock.now() - stats.mtimeMs > maxAgeMs) await rm(file, { force: true });
        else await task(name, stats);
      } catch (error) {
        report(error);
      }
    }
  }

  /** Writes what is pending. Never rejects. */
  private async flush(): Promise<void> {
    const { folder, log } = this.deps;
    await this.queue.run('files', async () => {
      const lines = this.pendingLines;
      if (lines.length === 0) return;
      this.pendingLines = [];
      const file = join(folder, this.ownName);
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        const { size } = await stat(file).catch(() => ({ size: 0 }));
        if (size > maxFileBytes) await truncate(file);
        await appendFile(file, lines.join(''), { mode: 0o600 });
      } catch (error) {
        log.warn(`Cannot tell other windows what an agent has written: ${messageOf(error)}`);
      }
    });
  }

  /** Reads a file from this byte on, or from its beginning if its window has started it again. */
  private async readFrom(name: string, from: number): Promise<ReadPart> {
    const file = await open(join(this.deps.folder, name), 'r');
    try {
      const { size } = await file.stat();
      const start = size < from ? 0 : from;
      const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
      const length = buffer.subarray(0, bytesRead).lastIndexOf(lineFeed) + 1;
      const lines = buffer
        .toString('utf8', 0, length)
        .split('\n')
        .flatMap((line) => StoredLine.safeParse(line === '' ? undefined : parseJson(line)).data ?? []);
      return { lines, end: start + length };
    } finally {
      await file.close();
    }
  }
}

function isWritten<Line extends StoredLine>(line: Line): line is Extract<Line, { readonly path: string }> {
  return 'path' in line;
}

function writeOf({ at, conversation, path, state, text }: z.infer<typeof Written>): AgentWrite {
  return { at, conversation, path, text, ...withoutUndefined({ state }) };
}

function oldestFirst<T extends { readonly at: number }>(some: readonly T[]): readonly T[] {
  return some.toSorted((one, other) => one.at - other.at);
}
