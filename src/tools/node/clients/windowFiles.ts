import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readFile, readdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import * as z from 'zod/mini';
import { parseJson } from '../../../base/common/parseJson';
import { isInsideFolder } from '../../../base/node/isInsideFolder';
import { isProcessAlive } from '../../../base/node/isProcessAlive';

const WindowFile = z.object({
  version: z.literal(1),
  /** Process ID of the extension host. */
  pid: z.int(),
  /** Milliseconds since the epoch. */
  startedAt: z.number(),
  /** Absolute paths of the workspace folders. */
  folders: z.array(z.string()),
  url: z.string().check(z.regex(/^http:\/\/127\.0\.0\.1:\d{1,5}\/mcp$/)),
  authorization: z.string().check(z.regex(/^Bearer [\w-]+$/)),
});
/** The file with which programs find the MCP server of a window. Only the user can read it. */
type WindowFile = z.infer<typeof WindowFile>;

const maxFiles = 200;
const maxFileBytes = 64 * 1024;

/** Writes the file of a window, and removes those of windows that were killed. Returns its path. @throws Error of the file system */
export async function writeWindowFile(folder: string, window: WindowFile): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  await removeStaleFiles(folder);
  const file = path.join(folder, `${window.pid}-${randomUUID()}.json`);
  const unfinished = `${file}.tmp`;
  await writeFile(unfinished, JSON.stringify(window), { mode: 0o600, flag: 'wx' });
  await rename(unfinished, file);
  return file;
}

/**
 * Returns the window whose workspace contains the folder `cwd`, or is inside it. Prefers the closest folder, then the
 * newest window. Ignores files of other users. Never rejects.
 */
export async function findWindowOfFolder(folder: string, cwd: string): Promise<WindowFile | undefined> {
  const windows = await Promise.all(
    (await readWindowFiles(folder)).map(async (window) => ({
      window,
      // The current folder of a process has no links in its path.
      folders: await Promise.all(window.folders.map((each) => realpath(each).catch(() => each))),
    })),
  );
  const found = windows.flatMap(({ folders, window }) => {
    const distances = folders.flatMap((each) => distanceBetween(cwd, each) ?? []);
    return distances.length > 0 ? [{ window, distance: Math.min(...distances) }] : [];
  });
  found.sort((a, b) => a.distance - b.distance || b.window.startedAt - a.window.startedAt);
  return found[0]?.window;
}

/** Number of folders between two folders; undefined if neither contains the other. */
function distanceBetween(one: string, other: string): number | undefined {
  const isRelated = one === other || isInsideFolder(one, other) || isInsideFolder(other, one);
  if (!isRelated) return undefined;
  return path
    .relative(one, other)
    .split(path.sep)
    .filter((name) => name !== '').length;
}

/** Removes finished and unfinished files, by the ids of their processes. */
async function removeStaleFiles(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = /^(\d+)-.*\.json(?:\.tmp)?$/.exec(name)?.[1];
    if (pid !== undefined && !isProcessAlive(Number(pid))) await rm(path.join(folder, name), { force: true });
  }
}

async function readWindowFiles(folder: string): Promise<readonly WindowFile[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json'));
  const files = names.slice(0, maxFiles).map((name) => path.join(folder, name));
  const windows = await Promise.all(files.map((file) => readWindowFile(file).catch(() => undefined)));
  return windows.filter((window) => window !== undefined);
}

async function readWindowFile(file: string): Promise<WindowFile | undefined> {
  const info = await stat(file);
  const isOurs = process.getuid === undefined || info.uid === process.getuid();
  if (!isOurs || !info.isFile() || info.size > maxFileBytes) return undefined;
  const { data } = WindowFile.safeParse(parseJson(await readFile(file, 'utf8')));
  return data;
}
