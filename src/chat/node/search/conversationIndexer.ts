import { readdirSync, statSync } from 'node:fs';
import * as path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../../base/common/async';
import { errorCode, messageOf } from '../../../base/common/errors';
import type { FilePort } from '../../../base/node/filePort';
import type { FileVersionKey } from '../../../texts/node/files/fileKey';
import type { DocumentToIndex } from '../../../texts/node/segmentBuilder';
import { TextIndex } from '../../../texts/node/textIndex';
import { isConversationId, logFileName, olderWorkspaceName } from '../conversationNames';
import type { FoundTexts, TextSearchPlace } from './textSearch';

/** Maximum number of conversations that a search finds. */
const maxFound = 200;
/** A search waits until logs of this size are read, in bytes. They are what was written in the last minutes. */
const maxAwaitedBytes = 8 * 1024 * 1024;
/** After a look at the folders, the next one waits this many times as long as that took. */
const scanPause = 10;
/** How long work lasts at least before it pauses, in milliseconds. */
const stepMs = 20;
/** A log of this size, in bytes, is read again at most once in this time, as one that is being written changes all the time. */
const largeBytes = 32 * 1024 * 1024;
const largePauseMs = 60_000;
/** How often an update is tried while another window writes the index, and how long it waits in between, in milliseconds. */
const maxTries = 60;
const retryMs = 1_000;

interface IndexerDeps extends TextSearchPlace {
  readonly files: FilePort;
  readonly clock: Clock;
  readonly warn: (message: string) => void;
}

/**
 * The full-text index of all conversations. Reads only logs that have changed, the newest first, with half of one processor.
 * Partly works synchronously, so use it only in a worker.
 */
export class ConversationIndexer {
  private readonly index: TextIndex;
  private building: Promise<boolean> | undefined;
  private nextScanAt = -Infinity;
  private fileCount = 0;
  /** When logs were changed last that could not be read, by their path. */
  private readonly unreadable = new Map<string, number>();
  /** What was read last of each log, and when. */
  private readonly lastRead = new Map<string, { readonly file: FileVersionKey; readonly at: number }>();
  private resumedAt = 0;
  /** Whether a search waits for the build. */
  private isAwaited = false;

  constructor(private readonly deps: IndexerDeps) {
    const { folder, warn } = deps;
    this.index = new TextIndex({ folder, warn, read: (file) => this.read(file), pause: () => this.pause() });
    this.index.load();
  }

  /** See `TextSearch.update`. Also finds what has changed just before the call. */
  async update(): Promise<void> {
    for (let tries = 0; tries < maxTries; tries++) {
      if (tries > 0) await sleep(retryMs);
      await sleep(Math.max(0, this.nextScanAt - this.deps.clock.monotonicNow()));
      this.scan();
      if (await this.build()) return;
    }
  }

  async search(query: string): Promise<FoundTexts> {
    this.scan();
    const bytes = this.index.unindexedFiles.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    if (bytes > 0 && bytes <= maxAwaitedBytes && !this.building) {
      this.isAwaited = true;
      await this.build().finally(() => (this.isAwaited = false));
    }
    const hits = this.index.search({ query, limit: maxFound, nowMs: this.deps.clock.now() });
    const found = new Map<string, FoundTexts['hits'][number]>();
    for (const { documentId: conversation, entryId, snippet } of hits) {
      if (!found.has(conversation)) found.set(conversation, { conversation, entryId, snippet });
    }
    const left = this.index.unindexedFiles.length;
    const progress = left > 0 ? { left: { done: this.fileCount - left, total: this.fileCount } } : {};
    return { hits: [...found.values()], ...progress };
  }

  /** Resolves to false if another window builds the index. */
  private async build(): Promise<boolean> {
    this.resumedAt = this.deps.clock.monotonicNow();
    this.building ??= this.index
      .build(() => undefined)
      .then(({ isDone }) => isDone)
      .finally(() => (this.building = undefined));
    return await this.building;
  }

  /** Undefined if it cannot be read. Then it is not tried again until it has changed. */
  private async read(file: FileVersionKey): Promise<DocumentToIndex | undefined> {
    try {
      // Only loaded when there is something to read.
      const { readLogTexts } = await import('./logTexts');
      this.lastRead.set(file.path, { file, at: this.deps.clock.monotonicNow() });
      return await readLogTexts(this.deps.files, file);
    } catch (error) {
      this.deps.warn(`Cannot search ${file.path}: ${messageOf(error)}`);
      this.unreadable.set(file.path, file.mtimeMs);
      this.nextScanAt = -Infinity;
      return undefined;
    }
  }

  /** Lets requests be answered, and other programs work. */
  private async pause(): Promise<void> {
    const { clock } = this.deps;
    const workedMs = clock.monotonicNow() - this.resumedAt;
    if (workedMs < stepMs) return;
    await sleep(this.isAwaited ? 0 : workedMs);
    this.resumedAt = clock.monotonicNow();
  }

  private paced(file: FileVersionKey, now: number): FileVersionKey {
    const last = file.sizeBytes >= largeBytes ? this.lastRead.get(file.path) : undefined;
    return last && now - last.at < largePauseMs ? last.file : file;
  }

  private scan(): void {
    const { clock, root, warn } = this.deps;
    const startedAt = clock.monotonicNow();
    if (startedAt < this.nextScanAt) return;
    try {
      const files = logFilesIn(root)
        .filter(({ mtimeMs, path: file }) => this.unreadable.get(file) !== mtimeMs)
        .map((file) => this.paced(file, startedAt))
        .sort((one, other) => other.mtimeMs - one.mtimeMs);
      this.fileCount = files.length;
      this.index.setFiles(files, () => true);
    } catch (error) {
      // What is indexed can still be searched.
      warn(`Cannot look for conversations: ${messageOf(error)}`);
    }
    const now = clock.monotonicNow();
    this.nextScanAt = now + (now - startedAt) * scanPause;
  }
}

/** Returns the logs of all conversations, also of those that versions before have stored. @throws errors of Node.js */
function logFilesIn(root: string): FileVersionKey[] {
  const names = namesIn(root);
  const older = names.filter((name) => olderWorkspaceName.test(name)).map((name) => path.join(root, name));
  return [root, ...older].flatMap((folder) =>
    (folder === root ? names : namesIn(folder)).flatMap((name) => {
      if (!isConversationId(name) || (folder === root && olderWorkspaceName.test(name))) return [];
      const file = path.join(folder, name, logFileName);
      const stats = statSync(file, { throwIfNoEntry: false });
      return stats ? [{ path: file, sizeBytes: stats.size, mtimeMs: stats.mtimeMs }] : [];
    }),
  );
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
