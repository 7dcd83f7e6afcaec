import { readdir, readFile, stat } from 'node:fs/promises';
import * as path from 'node:path';
import { parseJson } from '../../../base/common/parseJson';
import { isRecord, textOf, timeOf } from '../../common/model/jsonValues';
import { isThreadId, type AmpPlaces } from './ampData';

interface Hint {
  readonly threadId: string;
  readonly at: number;
}

const maxBytes = 1024 * 1024;

/** The thread that Amp would continue, by whatever file its builds have kept it in: the latest one wins. */
export async function currentThread(places: AmpPlaces): Promise<string | undefined> {
  const hints = await Promise.all([
    ...places.data.flatMap((folder) => [sessionHints(folder), lastThreadHints(path.join(folder, 'last-threads'))]),
    plainHint(places.lastThreadFile),
  ]);
  const latest = hints
    .flat()
    .sort((a, b) => b.at - a.at)
    .at(0);
  return latest?.threadId;
}

async function sessionHints(folder: string): Promise<readonly Hint[]> {
  const file = await jsonOf(path.join(folder, 'session.json'));
  if (!isRecord(file?.json)) return [];
  const byTerminal = isRecord(file.json['lastThreadByTerminal'])
    ? Object.values(file.json['lastThreadByTerminal'])
    : [];
  const hints = byTerminal.flatMap((entry) =>
    isRecord(entry) ? hint(entry['lastThreadId'], timeOf(entry['updatedAt']) ?? 0) : [],
  );
  return hints.length > 0 ? hints : hint(file.json['lastThreadId'], file.mtimeMs);
}

async function lastThreadHints(folder: string): Promise<readonly Hint[]> {
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => name.endsWith('-session.json')).slice(0, 200);
  const found = await Promise.all(files.map((name) => jsonOf(path.join(folder, name))));
  return found.flatMap((file) => (file ? hint(file.json, file.mtimeMs) : []));
}

async function plainHint(file: string): Promise<readonly Hint[]> {
  const found = await textOfFile(file);
  return found ? hint(found.text.trim(), found.mtimeMs) : [];
}

function hint(threadId: unknown, at: number): readonly Hint[] {
  const id = textOf(threadId);
  return id !== undefined && isThreadId(id) ? [{ threadId: id, at }] : [];
}

async function jsonOf(file: string): Promise<{ json: unknown; mtimeMs: number } | undefined> {
  const found = await textOfFile(file);
  return found && { json: parseJson(found.text), mtimeMs: found.mtimeMs };
}

async function textOfFile(file: string): Promise<{ text: string; mtimeMs: number } | undefined> {
  try {
    const { size, mtimeMs } = await stat(file);
    return size > maxBytes ? undefined : { text: await readFile(file, 'utf8'), mtimeMs };
  } catch {
    return undefined;
  }
}
