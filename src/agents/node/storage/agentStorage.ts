import { randomBytes } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { rmSync } from 'node:fs';
import * as path from 'node:path';
import { pause, type Clock } from '../../../base/common/async';
import { errorCode, messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import { parseJson } from '../../../base/common/parseJson';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import { InstalledIndex, VersionManifest } from '../../common/install/versionManifest';
import { replaceFile } from '../../../base/node/replaceFile';
import { currentOwner, formatOwner, isOwnerAlive, parseOwner } from './windowOwner';

/** A version of an agent on disk. */
export interface StoredVersion {
  readonly manifest: VersionManifest;
  /** Absolute path. */
  readonly folder: string;
  /** The names of further accounts, if this is the installed version. */
  readonly accounts?: readonly string[];
}

interface StorageOptions {
  /** Absolute path. Only Backline uses this folder. */
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Logger;
}

const manifestName = 'backline-agent.json';
const agentIdPattern = /^[a-z][a-z0-9-]{0,63}$/;
/** Age after which leftovers of windows on other computers are removed. No installation takes that long. */
const foreignAgeMs = 24 * 60 * 60_000;
const heldCodes: ReadonlySet<string> = new Set(['EPERM', 'EBUSY', 'EACCES']);
const maxMoves = 10;
const moveRetryMs = 100;
const removal = { recursive: true, force: true, maxRetries: 3, retryDelay: 100 } as const;

/**
 * The files of installed agents, which all windows share.
 *
 * - `<id>/<version>/`: one version, with a manifest
 * - `installed.json`: which version of each agent is the installed one, and its accounts
 * - `.staging/<window>-…/`: unfinished installations, and folders that are being removed
 * - `.windows/<window>`: the windows that run
 * - `.npm/<version>/`: npm, if it had to be downloaded
 */
export class AgentStorage {
  readonly npmFolder: string;
  readonly lockFile: string;
  readonly indexFile: string;
  private readonly stagingFolder: string;
  private readonly windowsFolder: string;
  private readonly owner = formatOwner(currentOwner());

  constructor(private readonly options: StorageOptions) {
    const { folder } = options;
    this.npmFolder = path.join(folder, '.npm');
    this.lockFile = path.join(folder, 'install.lock');
    this.indexFile = path.join(folder, 'installed.json');
    this.stagingFolder = path.join(folder, '.staging');
    this.windowsFolder = path.join(folder, '.windows');
  }

  get folder(): string {
    return this.options.folder;
  }

  /** Creates the folders and records that this window is running. @throws errors of Node.js */
  async open(): Promise<void> {
    await mkdir(this.stagingFolder, { recursive: true, mode: 0o700 });
    await mkdir(this.windowsFolder, { recursive: true, mode: 0o700 });
    await writeFile(path.join(this.windowsFolder, this.owner), '');
  }

  /** Never throws. */
  close(): void {
    try {
      rmSync(path.join(this.windowsFolder, this.owner), { force: true });
    } catch (error) {
      this.options.log.debug(`The note of this window stays: ${messageOf(error)}`);
    }
  }

  /** Creates a folder for unfinished files. @throws errors of Node.js */
  async makeStaging(): Promise<string> {
    const folder = path.join(this.stagingFolder, `${this.owner}-${randomBytes(4).toString('hex')}`);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return folder;
  }

  /** Removes a staging folder. Never rejects: leftovers are removed at a later start. */
  async discard(folder: string): Promise<void> {
    await rm(folder, removal).catch((error: unknown) =>
      this.options.log.warn(`'${folder}' could not be removed yet: ${messageOf(error)}`),
    );
  }

  /** The installed version of each agent. If the index is damaged, the newest version of each agent counts. Never rejects. */
  async readInstalled(): Promise<readonly StoredVersion[]> {
    const text = await readFile(this.indexFile, 'utf8').catch(() => undefined);
    const index = text === undefined ? undefined : InstalledIndex.safeParse(parseJson(text)).data;
    if (index) {
      const versions = await Promise.all(
        Object.entries(index.agents).map(async ([id, { accounts, folder }]) => {
          const version = await this.readVersion(id, path.join(this.folder, id, folder));
          return version && { ...version, ...withoutUndefined({ accounts }) };
        }),
      );
      return versions.filter((version) => version !== undefined);
    }
    const versions = await this.readAllVersions();
    if (text !== undefined && versions.length > 0)
      this.options.log.warn('The list of installed agents is damaged, and was made anew from their folders.');
    const newest = new Map<string, StoredVersion>();
    for (const version of versions) {
      const known = newest.get(version.manifest.id);
      if (!known || known.manifest.installedAt < version.manifest.installedAt) newest.set(version.manifest.id, version);
    }
    return [...newest.values()];
  }

  /** @throws errors of Node.js; the old list stays */
  async writeInstalled(versions: readonly StoredVersion[]): Promise<void> {
    const agents = versions.map(({ accounts = [], folder, manifest }) => {
      const named = accounts.length > 0 ? { accounts: [...accounts] } : {};
      return [manifest.id, { folder: path.basename(folder), ...named }] as const;
    });
    const index: InstalledIndex = { schemaVersion: 1, agents: Object.fromEntries(agents) };
    await replaceFile(this.indexFile, `${JSON.stringify(index, undefined, 2)}\n`);
  }

  /** Moves a finished version from staging into its place. @throws errors of Node.js */
  async place(staged: string, manifest: VersionManifest): Promise<StoredVersion> {
    await writeFile(path.join(staged, manifestName), `${JSON.stringify(manifest, undefined, 2)}\n`, { flush: true });
    const parent = path.join(this.folder, manifest.id);
    await mkdir(parent, { recursive: true, mode: 0o700 });
    const names = new Set(await readdir(parent));
    let name = manifest.version;
    // The same version is already there, and an agent may be running from its folder.
    for (let count = 2; names.has(name); count++) name = `${manifest.version}_${count}`;
    const folder = path.join(parent, name);
    await this.moveFolder(staged, folder);
    return { manifest, folder };
  }

  /** Moves a version to staging, then removes it. Returns its size in bytes. @throws errors of Node.js */
  async removeVersion({ folder }: StoredVersion): Promise<number> {
    const bytes = await folderSizeOf(folder);
    const target = path.join(await this.makeStaging(), 'removed');
    await this.moveFolder(folder, target);
    // Fails if the folder contains other versions.
    await rmdir(path.dirname(folder)).catch(() => undefined);
    await this.discard(path.dirname(target));
    return bytes;
  }

  /** All versions on the disk, of one agent or of all. Never rejects. */
  async readAllVersions(onlyId?: string): Promise<readonly StoredVersion[]> {
    const ids = onlyId === undefined ? await this.names(this.folder) : [onlyId];
    const folders = await Promise.all(
      ids
        .filter((id) => agentIdPattern.test(id))
        .map(async (id) =>
          (await this.names(path.join(this.folder, id))).map((name) => [id, path.join(this.folder, id, name)] as const),
        ),
    );
    const versions = await Promise.all(folders.flat().map(([id, folder]) => this.readVersion(id, folder)));
    return versions.filter((version) => version !== undefined);
  }

  /** Removes unfinished installations of windows that were closed. Never rejects. */
  async removeLeftovers(): Promise<void> {
    for (const name of await this.names(this.stagingFolder)) {
      const folder = path.join(this.stagingFolder, name);
      if (await this.isAbandoned(name, folder)) await this.discard(folder);
    }
    for (const name of await this.names(this.windowsFolder)) {
      const file = path.join(this.windowsFolder, name);
      if (await this.isAbandoned(name, file)) await this.discard(file);
    }
  }

  /** Whether another window runs that started before `time`, in milliseconds since the epoch. Never rejects. */
  async hasOlderWindow(time: number): Promise<boolean> {
    const others = (await this.names(this.windowsFolder)).filter((name) => name !== this.owner);
    return others.some((name) => {
      const owner = parseOwner(name);
      return owner !== undefined && isOwnerAlive(owner) !== false && owner.startedAt * 1000 <= time;
    });
  }

  /** Tries again, because antivirus programs on Windows lock new files for a moment. @throws errors of Node.js */
  private async moveFolder(from: string, to: string): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await rename(from, to);
        return;
      } catch (error) {
        if (attempt === maxMoves || !heldCodes.has(errorCode(error) ?? '')) throw error;
        await pause(this.options.clock, moveRetryMs);
      }
    }
  }

  private async isAbandoned(name: string, file: string): Promise<boolean> {
    if (name.startsWith(this.owner)) return false;
    const owner = parseOwner(name);
    const isAlive = owner && isOwnerAlive(owner);
    if (isAlive !== undefined) return !isAlive;
    const found = await lstat(file).catch(() => undefined);
    return found !== undefined && this.options.clock.now() - found.mtimeMs > foreignAgeMs;
  }

  private async readVersion(id: string, folder: string): Promise<StoredVersion | undefined> {
    const text = await readFile(path.join(folder, manifestName), 'utf8').catch(() => undefined);
    const manifest = text === undefined ? undefined : VersionManifest.safeParse(parseJson(text)).data;
    if (manifest?.id === id) return { manifest, folder };
    this.options.log.debug(`'${folder}' is not used: it holds no agent that is whole.`);
    return undefined;
  }

  private async names(folder: string): Promise<readonly string[]> {
    try {
      return await readdir(folder);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT' && errorCode(error) !== 'ENOTDIR')
        this.options.log.warn(`'${folder}' could not be read: ${messageOf(error)}`);
      return [];
    }
  }
}

/** The size of all files below a folder, in bytes. Links are not followed. Never rejects. */
export async function folderSizeOf(file: string): Promise<number> {
  const found = await lstat(file).catch(() => undefined);
  if (!found) return 0;
  if (!found.isDirectory()) return found.size;
  let bytes = 0;
  for (const name of await readdir(file).catch(() => [])) bytes += await folderSizeOf(path.join(file, name));
  return bytes;
}
