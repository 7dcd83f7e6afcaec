import { readdir, readFile, stat } from 'node:fs/promises';
import * as path from 'node:path';
import { parseJson } from '../../../base/common/parseJson';
import { isThreadId } from '../../common/heads/heads';
import { isRecord, asNonEmptyText, asTimeMs } from '../../common/model/jsonValues';
import type { AmpPaths } from './ampData';

interface Hint {
  readonly threadId: string;
  readonly updatedAt: number;
}

const maxBytes = 1024 * 1024;

/** Returns the id of the thread that Amp would continue: the most recent one in any of Amp's state files. */
export async function findCurrentThreadId(paths: AmpPaths): Promise<string | undefined> {
  const hints = await Promise.all([
    ...paths.dataFolders.flatMap((folder) => [
      sessionHints(folder),
      lastThreadHints(path.join(folder, 'last-threads')),
    ]),
    plainTextHints(paths.lastThreadFile),
  ]);
  const [latest] = hints.flat().sort((one, other) => other.updatedAt - one.updatedAt);
  return latest?.threadId;
}

async function sessionHints(folder: string): Promise<readonly Hint[]> {
  const file = await readJson(path.join(folder, 'session.json'));
  if (!isRecord(file?.json)) return [];
  const byTerminal = isRecord(file.json['lastThreadByTerminal'])
    ? Object.values(file.json['lastThreadByTerminal'])
    : [];
  const hints = byTerminal.flatMap((entry) =>
    isRecord(entry) ? hintsOf(entry['lastThreadId'], asTimeMs(entry['updatedAt']) ?? 0) : [],
  );
  return hints.length > 0 ? hints : hintsOf(file.json['lastThreadId'], file.mtimeMs);
}

async function lastThreadHints(folder: string): Promise<readonly Hint[]> {
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => name.endsWith('-session.json')).slice(0, 200);
  const found = await Promise.all(files.map((name) => readJson(path.join(folder, name))));
  return found.flatMap((file) => (file ? hintsOf(file.json, file.mtimeMs) : []));
}

async function plainTextHints(file: string): Promise<readonly Hint[]> {
  const found = await readText(file);
  return found ? hintsOf(found.text.trim(), found.mtimeMs) : [];
}

function hintsOf(threadId: unknown, updatedAt: number): readonly Hint[] {
  const id = asNonEmptyText(threadId);
  return id !== undefined && isThreadId(id) ? [{ threadId: id, updatedAt }] : [];
}

async function readJson(file: string): Promise<{ json: unknown; mtimeMs: number } | undefined> {
  const found = await readText(file);
  return found && { json: parseJson(found.text), mtimeMs: found.mtimeMs };
}

async function readText(file: string): Promise<{ text: string; mtimeMs: number } | undefined> {
  try {
    const { size, mtimeMs } = await stat(file);
    return size > maxBytes ? undefined : { text: await readFile(file, 'utf8'), mtimeMs };
  } catch {
    return undefined;
  }
}
