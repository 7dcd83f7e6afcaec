import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, realpath, stat } from 'node:fs/promises';
import * as path from 'node:path';
import { pipeline } from 'node:stream/promises';
import * as z from 'zod';
import { canonicalJson } from '../../base/common/canonicalJson';
import { isBelow } from '../../base/node/isBelow';

/** SHA-256 in hex of a value of JSON, whatever the order of its members. @throws for what cannot be told from other values */
export function hashOf(value: unknown): string {
  const text = canonicalJson(value);
  if (text === undefined) throw new Error('Its entry in the settings is nested too deeply, or is no JSON.');
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
}

const mostFiles = 64;
/** What command lines put around a name of a file. */
const separators = /[\s'"`=;:,|&()<>]+/;
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
 * over: once there is one, the result is another.
 */
export async function hashNamedFiles(
  words: readonly string[],
  { cwd, folders, onlyNamed = false }: NamedFilesOptions,
): Promise<readonly HashedFile[]> {
  const names = new Set<string>();
  for (const word of words) {
    const program = path.basename(word).replace(/\.(?:cmd|exe|bat)$/i, '');
    const implied = !onlyNamed && Object.hasOwn(impliedFiles, program) ? (impliedFiles[program] ?? []) : [];
    for (const name of [word, ...word.split(separators), ...implied]) {
      if (name === '' || name.includes('\0')) continue;
      for (const file of await filesBehind(path.resolve(cwd, name))) names.add(file);
    }
  }
  const roots = [...folders, ...(await Promise.all(folders.map(realOf)))];
  const found: HashedFile[] = [];
  for (const file of names) {
    const real = await realOf(file);
    if (!roots.some((root) => isBelow(file, root) || isBelow(real, root))) continue;
    const hash = await hashFile(real);
    if (hash !== undefined) found.push({ file, hash });
    if (found.length > mostFiles) throw new Error(`It names more than ${mostFiles} files of the workspace.`);
  }
  return found.sort((one, other) => (one.file < other.file ? -1 : 1));
}

/** Every file that may run when a program is given this path; not all of them need to be there. */
async function filesBehind(named: string): Promise<readonly string[]> {
  const files = inPlaceOf(named);
  const main = await mainOf(path.join(named, 'package.json'));
  return main === undefined ? files : [...files, ...inPlaceOf(path.resolve(named, main))];
}

function inPlaceOf(named: string): string[] {
  return [named, ...endings.map((ending) => named + ending), ...entryFiles.map((name) => path.join(named, name))];
}

/** What cannot be read as a package has no `main` for who runs it either. */
async function mainOf(packageFile: string): Promise<string | undefined> {
  try {
    return PackageMain.safeParse(JSON.parse(await readFile(packageFile, 'utf8'))).data?.main;
  } catch {
    return undefined;
  }
}

async function realOf(file: string): Promise<string> {
  return await realpath(file).catch(() => file);
}

/** Undefined when there is no file. @throws when it is there and cannot be read: what is not known cannot be allowed */
async function hashFile(file: string): Promise<string | undefined> {
  const facts = await stat(file).catch(() => undefined);
  if (!facts?.isFile()) return undefined;
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
