import { createHash } from 'node:crypto';
import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import * as z from 'zod';
import { canonicalJson } from '../../base/common/canonicalJson';
import { isRemotePath } from '../../base/common/addresses/uncPath';
import { isInsideFolder } from '../../base/node/isInsideFolder';

/** Returns the SHA-256 (hex) of a JSON value, whatever the order of members. @throws Error without canonical text */
export function hashJson(value: unknown): string {
  const text = canonicalJson(value);
  if (text === undefined) throw new Error('Its settings are nested too deeply or are not valid JSON.');
  return createHash('sha256').update(text).digest('hex');
}

export interface HashedFile {
  /** Absolute path as written, without resolving links. */
  readonly file: string;
  readonly hash: string;
}

export interface CommandLineFilesOptions {
  /** Base folder of relative names, as an absolute path. */
  readonly cwd: string;
  readonly folders: readonly string[];
  /** Whether to hash only files in the command line, and skip files that programs such as npm run in addition. */
  readonly onlyNamed?: boolean;
  readonly system?: FileSystem;
}

export interface FileSystem {
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

const maxFiles = 64;
/** Files that determine what these programs run although they are not in the command line. */
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

/** Extensions that programs try if there is no file with the exact name. */
const endings = ['.js', '.mjs', '.cjs', '.json', '.node'];
/** Files that may run when a program is given their folder, in addition to `main` in its `package.json`. */
const entryFiles = ['package.json', 'index.js', 'index.mjs', 'index.cjs', 'index.json', 'index.node', '__main__.py'];
const PackageMain = z.object({ main: z.string().min(1) });

/**
 * Hashes the workspace files that are named in the words of a command line. Skips missing files. Accesses other
 * machines only if the workspace is on them. @throws Error if a file cannot be read, because unknown content cannot be
 * allowed
 */
export async function hashCommandLineFiles(
  words: readonly string[],
  { cwd, folders, onlyNamed = false, system = thisSystem }: CommandLineFilesOptions,
): Promise<readonly HashedFile[]> {
  const files = new NamedFileFinder(folders, system);
  const names = new Set<string>();
  for (const word of words) {
    const program = system.paths.basename(word).replace(/\.(?:cmd|exe|bat)$/i, '');
    const implied = !onlyNamed && Object.hasOwn(impliedFiles, program) ? (impliedFiles[program] ?? []) : [];
    const whole = [word, ...implied].map((name) => ({ name, isHost: false }));
    for (const { name, isHost } of [...whole, ...namesIn(word)]) {
      if (name === '' || name.includes('\0')) continue;
      const named = system.paths.resolve(cwd, name);
      // In the user settings, paths on other machines are skipped, because they do not belong to the workspace.
      if ((onlyNamed || isHost) && !files.isLocalOrInWorkspace(named)) continue;
      for (const file of await files.candidatesFor(named)) names.add(file);
    }
  }
  const found: HashedFile[] = [];
  const isOfWorkspace = await files.createIsInWorkspace();
  for (const file of names) {
    const real = await files.resolveLinks(file);
    if (!isOfWorkspace(file) && !isOfWorkspace(real)) continue;
    const hash = await files.hash(real);
    if (hash !== undefined) found.push({ file, hash });
    if (found.length > maxFiles)
      throw new Error(`It refers to more than ${maxFiles} files of the workspace. Name fewer files.`);
  }
  return found.sort((one, other) => (one.file < other.file ? -1 : 1));
}

/** Splits a word at punctuation. `isHost`: the host of a URL (`//host/…`), for Windows a server. */
function namesIn(word: string): { name: string; isHost: boolean }[] {
  return [...word.matchAll(/[^\s'"`=;:,|&()<>]+/g)].map(({ 0: name, index }) => ({
    name,
    isHost:
      name.startsWith('//') &&
      /(?:^|[^a-z0-9])(?:https?|wss?|ftp|git|ssh|git\+(?:https?|ssh)|npm|jsr|data):$/i.test(word.slice(0, index)),
  }));
}

/** Accesses only files that are on this machine or in the workspace. */
class NamedFileFinder {
  constructor(
    private readonly workspaceFolders: readonly string[],
    private readonly fileSystem: FileSystem,
  ) {}

  /** Whether the file is on this machine or in the workspace. Decides by the path alone. */
  isLocalOrInWorkspace(file: string): boolean {
    return (
      !isRemotePath(file) || this.workspaceFolders.some((folder) => isInsideFolder(file, folder, this.fileSystem.paths))
    );
  }

  /** Returns all files that may run when a program is given this path. Some of them may not exist. */
  async candidatesFor(namedPath: string): Promise<readonly string[]> {
    const { paths } = this.fileSystem;
    const main = await this.readPackageMain(paths.join(namedPath, 'package.json'));
    return main === undefined
      ? this.variantsOf(namedPath)
      : [...this.variantsOf(namedPath), ...this.variantsOf(paths.resolve(namedPath, main))];
  }

  /** Resolves links in a path. Returns it unchanged if the file does not exist. */
  async resolveLinks(file: string): Promise<string> {
    this.assertLocalOrInWorkspace(file);
    return await this.fileSystem.realpath(file).catch(() => file);
  }

  async createIsInWorkspace(): Promise<(file: string) => boolean> {
    const real = await Promise.all(
      this.workspaceFolders.map((folder) => this.fileSystem.realpath(folder).catch(() => folder)),
    );
    const roots = [...this.workspaceFolders, ...real];
    return (file) => roots.some((root) => isInsideFolder(file, root, this.fileSystem.paths));
  }

  /** Returns the hash of a file. Undefined if it does not exist. @throws Error if it cannot be read */
  async hash(file: string): Promise<string | undefined> {
    if (!(await this.fileSystem.isFile(file).catch(() => false))) return undefined;
    const hash = createHash('sha256');
    for await (const chunk of await this.fileSystem.chunks(file)) hash.update(chunk);
    return hash.digest('hex');
  }

  private variantsOf(namedPath: string): string[] {
    const { paths } = this.fileSystem;
    return [
      namedPath,
      ...endings.map((ending) => namedPath + ending),
      ...entryFiles.map((name) => paths.join(namedPath, name)),
    ];
  }

  /** Returns the field `main` of a package.json. Undefined if the file is invalid, because Node.js ignores such a file. */
  private async readPackageMain(packageFile: string): Promise<string | undefined> {
    this.assertLocalOrInWorkspace(packageFile);
    try {
      return PackageMain.safeParse(JSON.parse(await this.fileSystem.readText(packageFile))).data?.main;
    } catch {
      return undefined;
    }
  }

  private assertLocalOrInWorkspace(file: string): void {
    if (this.isLocalOrInWorkspace(file)) return;
    throw new Error(
      `It refers to ${file}, which is on another machine. Copy the file into the workspace, or define the entry in your user settings.`,
    );
  }
}
