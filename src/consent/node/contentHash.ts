import { createHash } from 'node:crypto';
import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import * as z from 'zod';
import { canonicalJson } from '../../base/common/canonicalJson';
import { isOnOtherMachine } from '../../base/common/uncPath';
import { isBelow } from '../../base/node/isBelow';

/** SHA-256 in hex of a value of JSON, whatever the order of its members. @throws for what cannot be told from other values */
export function hashOf(value: unknown): string {
  const text = canonicalJson(value);
  if (text === undefined) throw new Error('Its settings are nested too deeply or are not valid JSON.');
  return createHash('sha256').update(text).digest('hex');
}

export interface HashedFile {
  /** Absolute, as it was named. */
  readonly file: string;
  /** SHA-256 in hex. */
  readonly hash: string;
}

export interface NamedFilesOptions {
  /** Absolute; where relative names start from. */
  readonly cwd: string;
  /** Absolute paths of the workspace's folders. */
  readonly folders: readonly string[];
  /** Without what programs such as npm run of the folder although nobody names it. */
  readonly onlyNamed?: boolean;
  /** Of another system, for tests. */
  readonly system?: FileSystem;
}

export interface FileSystem {
  /** What is inside what, and what a relative name means. */
  readonly paths: path.PlatformPath;
  readonly realpath: (file: string) => Promise<string>;
  readonly readText: (file: string) => Promise<string>;
  readonly isFile: (file: string) => Promise<boolean>;
  readonly chunks: (file: string) => Promise<AsyncIterable<Uint8Array>>;
}

const thisSystem: FileSystem = {
  paths: path,
  realpath: (file) => fs.realpath(file),
  readText: (file) => fs.readFile(file, 'utf8'),
  isFile: async (file) => (await fs.stat(file)).isFile(),
  chunks: async (file) => (await fs.open(file)).createReadStream(),
};

const mostFiles = 64;
/** What these programs run is said in a file that the command line does not name. */
const impliedFiles: Readonly<Record<string, readonly string[]>> = {
  npm: ['package.json'],
  npx: ['package.json'],
  pnpm: ['package.json'],
  pnpx: ['package.json'],
  yarn: ['package.json'],
  bun: ['package.json'],
  bunx: ['package.json'],
  make: ['GNUmakefile', 'makefile', 'Makefile'],
  just: ['justfile', 'Justfile', '.justfile'],
  deno: ['deno.json', 'deno.jsonc', 'package.json'],
};

/** What programs try behind a name that no file has as it is. */
const endings = ['.js', '.mjs', '.cjs', '.json', '.node'];
/** What of a folder runs when it is named; a `main` of its `package.json` besides. */
const entryFiles = ['package.json', 'index.js', 'index.mjs', 'index.cjs', 'index.json', 'index.node', '__main__.py'];
const PackageMain = z.object({ main: z.string().min(1) });

/**
 * The files inside the workspace that words of a command line name, as they are now. A name that no file has is passed
 * over: once there is one, the result is another. No other machine is asked for a file, unless the workspace is there.
 * @throws Error for what cannot be looked at: what is not known cannot be allowed
 */
export async function hashNamedFiles(
  words: readonly string[],
  { cwd, folders, onlyNamed = false, system = thisSystem }: NamedFilesOptions,
): Promise<readonly HashedFile[]> {
  const files = new NamedFiles(folders, system);
  const names = new Set<string>();
  for (const word of words) {
    const program = system.paths.basename(word).replace(/\.(?:cmd|exe|bat)$/i, '');
    const implied = !onlyNamed && Object.hasOwn(impliedFiles, program) ? (impliedFiles[program] ?? []) : [];
    const whole = [word, ...implied].map((name) => ({ name, isHost: false }));
    for (const { name, isHost } of [...whole, ...namesIn(word)]) {
      if (name === '' || name.includes('\0')) continue;
      const named = system.paths.resolve(cwd, name);
      // What the user's own settings name on a server is not of the workspace.
      if ((onlyNamed || isHost) && !files.mayBeAsked(named)) continue;
      for (const file of await files.behind(named)) names.add(file);
    }
  }
  const found: HashedFile[] = [];
  const isOfWorkspace = await files.ofWorkspace();
  for (const file of names) {
    const real = await files.realOf(file);
    if (!isOfWorkspace(file) && !isOfWorkspace(real)) continue;
    const hash = await files.hash(real);
    if (hash !== undefined) found.push({ file, hash });
    if (found.length > mostFiles) throw new Error(`It names more than ${mostFiles} files of the workspace.`);
  }
  return found.sort((one, other) => (one.file < other.file ? -1 : 1));
}

/** Between what command lines put around a name of a file. Windows would take the host of an address, `https://host/…`, for a server. */
function namesIn(word: string): { name: string; isHost: boolean }[] {
  return [...word.matchAll(/[^\s'"`=;:,|&()<>]+/g)].map(({ 0: name, index }) => ({
    name,
    isHost:
      name.startsWith('//') &&
      /(?:^|[^a-z0-9])(?:https?|wss?|ftp|git|ssh|git\+(?:https?|ssh)|npm|jsr|data):$/i.test(word.slice(0, index)),
  }));
}

/** The disk, asked only for what is on this machine or in the workspace. */
class NamedFiles {
  constructor(
    private readonly folders: readonly string[],
    private readonly system: FileSystem,
  ) {}

  /** Asks nobody. */
  mayBeAsked(file: string): boolean {
    return !isOnOtherMachine(file) || this.folders.some((folder) => isBelow(file, folder, this.system.paths));
  }

  /** Every file that may run when a program is given this path; not all of them need to be there. */
  async behind(named: string): Promise<readonly string[]> {
    const { paths } = this.system;
    const main = await this.mainOf(paths.join(named, 'package.json'));
    return main === undefined
      ? this.inPlaceOf(named)
      : [...this.inPlaceOf(named), ...this.inPlaceOf(paths.resolve(named, main))];
  }

  /** The file itself where there is nothing. */
  async realOf(file: string): Promise<string> {
    this.check(file);
    return await this.system.realpath(file).catch(() => file);
  }

  async ofWorkspace(): Promise<(file: string) => boolean> {
    const real = await Promise.all(this.folders.map((folder) => this.system.realpath(folder).catch(() => folder)));
    const roots = [...this.folders, ...real];
    return (file) => roots.some((root) => isBelow(file, root, this.system.paths));
  }

  /** Undefined when there is no file. @throws when it is there and cannot be read */
  async hash(file: string): Promise<string | undefined> {
    if (!(await this.system.isFile(file).catch(() => false))) return undefined;
    const hash = createHash('sha256');
    for await (const chunk of await this.system.chunks(file)) hash.update(chunk);
    return hash.digest('hex');
  }

  private inPlaceOf(named: string): string[] {
    const { paths } = this.system;
    return [named, ...endings.map((ending) => named + ending), ...entryFiles.map((name) => paths.join(named, name))];
  }

  /** What cannot be read as a package has no `main` for who runs it either. */
  private async mainOf(packageFile: string): Promise<string | undefined> {
    this.check(packageFile);
    try {
      return PackageMain.safeParse(JSON.parse(await this.system.readText(packageFile))).data?.main;
    } catch {
      return undefined;
    }
  }

  private check(file: string): void {
    if (this.mayBeAsked(file)) return;
    throw new Error(
      `It names ${file}, which is on another machine. Copy it into the workspace, or name it in your settings.`,
    );
  }
}
