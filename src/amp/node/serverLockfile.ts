import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import * as path from 'node:path';
import { KeyedQueue } from '../../base/common/async';
import type { Disposable } from '../../base/common/disposable';
import { errorCode, messageOf, userMessageOf } from '../../base/common/errors';
import { parseJson } from '../../base/common/parseJson';
import { isProcessAlive } from '../../base/node/isProcessAlive';
import type { Logger } from '../../base/common/log';
import { Lockfile } from '../common/ampSchema';

export interface ServerLockfileOptions {
  /** Absolute path; see `ampLockfileFolders`. The lockfiles of other editors are also there. */
  readonly folder: string;
  /** Name of the editor in Backline's lockfiles. Lockfiles with other names belong to other editors. */
  readonly ideName: string;
  readonly pid: number;
  readonly log: Logger;
}

const lockfileKey = 'lockfile';
const maxLockfileBytes = 64 * 1024;

/** Temporary files do not end in `.json`, because clients delete incomplete lockfiles. */
const temporaryFileName = /^backline-(\d+)-[0-9a-f]+\.tmp$/u;

/**
 * The lockfile of one server. It is replaced atomically. `dispose` removes it, even if a write is in progress. What happens
 * before the file is there is synchronous: the CLI waits for it, and each asynchronous call would wait while other extensions
 * start.
 */
export class ServerLockfile implements Disposable {
  private readonly writeQueue = new KeyedQueue();
  private currentLockfile: Lockfile | undefined;
  private isDisposed = false;

  constructor(private readonly options: ServerLockfileOptions) {}

  /** Creates the folder. @throws Error that explains what to do if it cannot be created or belongs to another user */
  createFolder(): void {
    const { folder } = this.options;
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const { mode, uid } = statSync(folder);
      // Windows has no user ids, so the check is skipped there.
      const ownUid = process.getuid?.();
      if (ownUid === undefined) return;
      if (uid !== ownUid) throw new Error('its folder belongs to another user, who could read the token in it');
      if ((mode & 0o077) !== 0) chmodSync(folder, 0o700);
    } catch (error) {
      throw this.toUserError(error);
    }
  }

  /** Removes lockfiles of Backline's servers that have crashed. Never removes those of other editors. Never rejects. */
  async removeStale(): Promise<void> {
    const names = await readdir(this.options.folder).catch(() => []);
    await Promise.all(names.map((name) => this.removeIfStale(name)));
  }

  /** Whether `<port>.json` belongs to another running process, even if that process listens on another port. */
  isLockfileTaken(port: number): boolean {
    const lockfile = readLockfile(this.lockfilePath(port));
    return lockfile !== undefined && lockfile.pid !== this.options.pid && isProcessAlive(lockfile.pid);
  }

  /** Writes or replaces the lockfile. Concurrent calls run one after another. @throws Error that explains what to do */
  write(port: number, authToken: string, workspaceFolders: readonly string[]): Promise<void> {
    const { pid, ideName } = this.options;
    const lockfile: Lockfile = { port, authToken, pid, workspaceFolders: [...workspaceFolders], ideName };
    return this.writeQueue.run(lockfileKey, () => this.replaceFile(lockfile));
  }

  /** Resolves when no write is in progress any more. */
  whenIdle(): Promise<void> {
    return this.writeQueue.whenIdle(lockfileKey);
  }

  /** Removes the lockfile if it is still the one that this object has written. */
  dispose(): void {
    this.isDisposed = true;
    const { currentLockfile } = this;
    this.currentLockfile = undefined;
    if (!currentLockfile) return;
    const file = this.lockfilePath(currentLockfile.port);
    try {
      const current = parseLockfile(readFileSync(file, 'utf8'));
      if (current?.authToken === currentLockfile.authToken) rmSync(file, { force: true });
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return;
      this.options.log.warn(`Could not remove the lockfile ${file}: ${messageOf(error)}`);
    }
  }

  private async replaceFile(lockfile: Lockfile): Promise<void> {
    const temporary = path.join(
      this.options.folder,
      `backline-${this.options.pid}-${randomBytes(8).toString('hex')}.tmp`,
    );
    try {
      // No other code can run between these steps.
      if (this.isDisposed) return;
      writeFileSync(temporary, JSON.stringify(lockfile), { mode: 0o600, flag: 'wx' });
      renameSync(temporary, this.lockfilePath(lockfile.port));
      this.currentLockfile = lockfile;
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined);
      throw this.toUserError(error);
    }
  }

  private async removeIfStale(name: string): Promise<void> {
    const file = path.join(this.options.folder, name);
    const temporary = temporaryFileName.exec(name);
    let pid = temporary ? Number(temporary[1]) : undefined;
    if (name.endsWith('.json')) {
      const lockfile = readLockfile(file);
      if (lockfile?.ideName === this.options.ideName) pid = lockfile.pid;
    }
    if (pid === undefined || isProcessAlive(pid)) return;
    try {
      await rm(file, { force: true });
      this.options.log.info(`Removed ${name}: its process ${pid} has ended`);
    } catch (error) {
      this.options.log.warn(`Could not remove the stale lockfile ${file}: ${messageOf(error)}`);
    }
  }

  private lockfilePath(port: number): string {
    return path.join(this.options.folder, `${port}.json`);
  }

  private toUserError(error: unknown): Error {
    const { folder } = this.options;
    return new Error(
      `The Amp CLI cannot find this window, because its lockfile cannot be written: ${userMessageOf(error).replace(/\.$/u, '')}. ` +
        `Make sure that you own ${folder} and can write to it, then run “Backline: Restart Amp Server”.`,
      { cause: error },
    );
  }
}

function readLockfile(file: string): Lockfile | undefined {
  try {
    const info = statSync(file, { throwIfNoEntry: false });
    if (!info?.isFile() || info.size > maxLockfileBytes) return undefined;
    return parseLockfile(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

function parseLockfile(text: string): Lockfile | undefined {
  return Lockfile.safeParse(parseJson(text)).data;
}
