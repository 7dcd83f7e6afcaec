import { appendFile, mkdir, readdir, readFile, rm, stat, truncate } from 'node:fs/promises';
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
const suffix = '.jsonl';

/** Each window appends to a file of its own, so that windows never wait for each other, and reads the files of all. */
export class AgentWritesFolder implements AgentWrites {
  private readonly queue = new KeyedQueue();
  private pendingLines: string[] = [];
  /** The writes of each file, with the size up to which it was read. */
  private readonly readFiles = new Map<string, { readonly bytes: number; readonly writes: readonly AgentWrite[] }>();

  constructor(private readonly deps: AgentWritesFolderDeps) {}

  add(write: NewAgentWrite): void {
    this.pendingLines.push(`${JSON.stringify({ at: this.deps.clock.now(), ...write })}\n`);
    void this.flush();
  }

  since(at: number): Promise<readonly AgentWrite[]> {
    return this.readSince(at, () => true);
  }

  ofOtherWindowsSince(at: number): Promise<readonly AgentWrite[]> {
    return this.readSince(at, (name) => name !== this.ownName);
  }

  private get ownName(): string {
    return `${this.deps.windowId}${suffix}`;
  }

  private async readSince(at: number, isWanted: (name: string) => boolean): Promise<readonly AgentWrite[]> {
    try {
      await this.flush();
      return await this.queue.run('files', async () => {
        const writes: AgentWrite[] = [];
        for (const name of await readdir(this.deps.folder)) {
          if (!name.endsWith(suffix) || !isWanted(name)) continue;
          writes.push(...(await this.readFileOf(name)).filter((one) => one.at >= at));
        }
        return writes;
      });
    } catch (error) {
      // No window has written anything yet, or nothing can be stored, which the conversation says.
      if (errorCode(error) === 'ENOENT') return [];
      this.deps.log.warn(`Cannot read what other windows have written: ${messageOf(error)}`);
      return [];
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

  private async readFileOf(name: string): Promise<readonly AgentWrite[]> {
    const file = join(this.deps.folder, name);
    const { mtimeMs, size } = await stat(file);
    if (this.deps.clock.now() - mtimeMs > maxAgeMs) {
      await rm(file, { force: true });
      this.readFiles.delete(name);
      return [];
    }
    const known = this.readFiles.get(name);
    if (known?.bytes === size) return known.writes;
    const writes = (await readFile(file, 'utf8')).split('\n').flatMap((line): AgentWrite[] => {
      const { data } = StoredWrite.safeParse(line === '' ? undefined : parseJson(line));
      return data ? [{ ...data, text: data.text }] : [];
    });
    this.readFiles.set(name, { bytes: size, writes });
    return writes;
  }
}
