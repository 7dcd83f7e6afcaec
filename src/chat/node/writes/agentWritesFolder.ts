import type { Stats } from 'node:fs';
import { appendFile, mkdir, open, readdir, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { KeyedQueue, type Clock } from '../../../base/common/async';
import { errorCode, messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import { parseJson } from '../../../base/common/parseJson';
import type { AgentWrite, AgentWrites, NewAgentWrite } from '../../common/writes/agentWrites';

interface AgentWritesFolderDeps {
  /** Absolute path of a folder that all windows share. */
  readonly folder: string;
  /** Name of this window's file, unique among all windows. */
  readonly windowId: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Logger;
}

const StoredWrite = z.object({
  at: z.number(),
  conversation: z.string(),
  path: z.string(),
  text: z.string().nullable().optional(),
});

/** Older writes matter to nobody: checkpoints are not kept that long. */
const maxAgeMs = 30 * 24 * 60 * 60 * 1000;
/** Maximum size of the file of one window, in bytes. A larger one starts again. */
const maxFileBytes = 8 * 1024 * 1024;
/** File systems store times less exactly than the clock. */
const mtimeErrorMs = 10_000;
const suffix = '.jsonl';
const lineFeed = 0x0a;

/** A part of a file, up to its last whole line. */
interface ReadPart {
  readonly writes: readonly AgentWrite[];
  /** Number of bytes of the file before the first line that was not read. */
  readonly end: number;
}

/** Each window appends to a file of its own, so that windows never wait for each other, and reads the files of all. */
export class AgentWritesFolder implements AgentWrites {
  private readonly queue = new KeyedQueue();
  private pendingLines: string[] = [];
  /** Up to where the file of each other window was read, in bytes. Undefined before the first time. */
  private readBytesByName: Map<string, number> | undefined;

  constructor(private readonly deps: AgentWritesFolderDeps) {}

  add(write: NewAgentWrite): void {
    this.pendingLines.push(`${JSON.stringify({ at: this.deps.clock.now(), ...write })}\n`);
    void this.flush();
  }

  async since(at: number): Promise<readonly AgentWrite[]> {
    await this.flush();
    const all: AgentWrite[] = [];
    await this.queue.run('files', () =>
      this.forEachFile(async (name, { mtimeMs }) => {
        // A file that nobody has written since then has nothing newer.
        if (mtimeMs + mtimeErrorMs < at) return;
        for (const write of (await this.readFrom(name, 0)).writes) if (write.at >= at) all.push(write);
      }),
    );
    return oldestFirst(all);
  }

  async readOtherWindows(onWrite: (write: AgentWrite) => void): Promise<void> {
    await this.queue.run('files', async () => {
      const known = this.readBytesByName;
      const read = new Map(known);
      const writes: AgentWrite[] = [];
      await this.forEachFile(async (name, { size }) => {
        const from = known?.get(name) ?? 0;
        if (name === this.ownName || (known && from === size)) return;
        const part = known ? await this.readFrom(name, from) : { end: size, writes: [] };
        read.set(name, part.end);
        writes.push(...part.writes);
      });
      this.readBytesByName = read;
      for (const write of oldestFirst(writes)) onWrite(write);
    });
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
      const writes = buffer
        .toString('utf8', 0, length)
        .split('\n')
        .flatMap((line): AgentWrite[] => {
          const { data } = StoredWrite.safeParse(line === '' ? undefined : parseJson(line));
          return data ? [{ ...data, text: data.text }] : [];
        });
      return { writes, end: start + length };
    } finally {
      await file.close();
    }
  }
}

function oldestFirst(writes: readonly AgentWrite[]): readonly AgentWrite[] {
  return writes.toSorted((one, other) => one.at - other.at);
}
