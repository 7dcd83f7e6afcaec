import { randomBytes } from 'node:crypto';
import * as path from 'node:path';
import type { FileLock } from '../../../base/node/fileLock';
import type { FilePort } from '../../../base/node/filePort';
import { logVersion, type LogRecord } from '../../common/conversation/logRecord';
import { CallGrowthWriter } from '../../common/log/callGrowth';
import { readonlyError } from '../conversationAccess';
import { LogReader } from './logReader';

/** Size of the pieces that are written, in UTF-16 units. */
const pieceUnits = 1024 * 1024;

/**
 * Writes a log again without the updates that later ones replace, and puts it in the place of the old one at once. Resolves
 * to its size in bytes, or to undefined if the log is left as it is: because it contains something that cannot be read, or
 * if `mayReplace` says so. Call only while this window has the lock. @throws errors of the file port
 */
export async function compactLog(
  files: FilePort,
  file: string,
  mayReplace: (readBytes: number) => Promise<boolean>,
): Promise<number | undefined> {
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  const target = new CompactedLog(files, temporary);
  try {
    await removeLeftovers(files, file);
    const reader = new LogReader(files, file);
    const { damage } = await reader.read((records) => target.add(records));
    if (damage !== undefined || !target.hasVersion) return undefined;
    await target.flush();
    if (!(await mayReplace(reader.endOffset))) return undefined;
    await files.replaceWith(temporary, file);
    return target.size;
  } finally {
    await files.remove(temporary);
  }
}

/**
 * Compacts the log of a conversation to which no window writes, and to which none writes meanwhile. `follower` is a reader that
 * has read it; the log is left as it is if there is more than that. Resolves to whether it was compacted.
 * @throws ChatError `readonly` if another window writes to it, and errors of the file port
 */
export async function compactUnusedLog(
  files: FilePort,
  file: string,
  lock: FileLock,
  follower?: LogReader,
): Promise<boolean> {
  try {
    if (!(await lock.acquire())) throw readonlyError('theirs');
    const size = await compactLog(
      files,
      file,
      async (readBytes) =>
        (follower === undefined || readBytes === follower.endOffset) && (await lock.ensureHeld()) === 'held',
    );
    if (size !== undefined) await follower?.continueAt(size);
    return size !== undefined;
  } finally {
    await lock.release();
  }
}

/** Removes what windows have left that crashed here. */
async function removeLeftovers(files: FilePort, file: string): Promise<void> {
  const { base, dir } = path.parse(file);
  const names = await files.listNames(dir);
  const leftovers = names.filter((name) => name.startsWith(`${base}.`) && name.endsWith('.tmp'));
  await Promise.all(leftovers.map((name) => files.remove(path.join(dir, name))));
}

class CompactedLog {
  private readonly callGrowth = new CallGrowthWriter();
  private pendingText = '';
  size = 0;
  /** Whether older versions of Backline see in the log that they can't read it. */
  hasVersion = false;

  constructor(
    private readonly files: FilePort,
    private readonly file: string,
  ) {}

  async add(records: readonly LogRecord[]): Promise<void> {
    for (const record of records) {
      this.hasVersion ||= record.type === 'begin';
      const shortened = this.callGrowth.shorten(record);
      // The events of an older version were normalized when they were read.
      const written = shortened?.type === 'begin' ? { ...shortened, version: logVersion } : shortened;
      if (written) this.pendingText += `${JSON.stringify(written)}\n`;
      if (this.pendingText.length >= pieceUnits) await this.flush();
    }
  }

  async flush(): Promise<void> {
    const bytes = Buffer.from(this.pendingText);
    this.pendingText = '';
    await this.files.writeAtAndTruncate(this.file, this.size, bytes);
    this.size += bytes.length;
  }
}
