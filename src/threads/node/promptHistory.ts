import { open } from 'node:fs/promises';
import * as path from 'node:path';
import { isRecord, textOf } from '../common/json';

/** One prompt of Amp's own history: it says neither when nor in which thread. */
export interface HistoryPrompt {
  readonly text: string;
  /** Absolute, the folder it was written in. */
  readonly folder?: string;
}

/** Only the end of a longer history is read. */
const maxBytes = 4 * 1024 * 1024;

/** Oldest first; nothing when there is no history. `dataFolders` are Amp's, the first one that has a history counts. */
export async function promptHistory(dataFolders: readonly string[]): Promise<readonly HistoryPrompt[]> {
  for (const folder of dataFolders) {
    const lines = await tailOf(path.join(folder, 'history.jsonl'));
    if (lines !== undefined) return lines.split('\n').flatMap(promptOfLine);
    const list = await tailOf(path.join(folder, 'history.json'));
    if (list !== undefined) return promptsOfList(list);
  }
  return [];
}

function promptOfLine(line: string): readonly HistoryPrompt[] {
  if (line.trim() === '') return [];
  const parsed = parse(line);
  // Old lines are the bare prompt.
  return parsed === undefined ? [{ text: line }] : promptOf(parsed);
}

function promptsOfList(text: string): readonly HistoryPrompt[] {
  const parsed = parse(text);
  return Array.isArray(parsed) ? parsed.flatMap(promptOf) : [];
}

function promptOf(value: unknown): readonly HistoryPrompt[] {
  if (typeof value === 'string') return [{ text: value }];
  const text = isRecord(value) ? textOf(value['text']) : undefined;
  const folder = isRecord(value) ? textOf(value['cwd']) : undefined;
  return text === undefined ? [] : [{ text, ...(folder === undefined ? {} : { folder }) }];
}

async function tailOf(file: string): Promise<string | undefined> {
  try {
    await using handle = await open(file, 'r');
    const { size } = await handle.stat();
    const start = Math.max(0, size - maxBytes);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - start), 0, size - start, start);
    const text = buffer.toString('utf8', 0, bytesRead);
    // The first line is cut.
    return start === 0 ? text : text.slice(text.indexOf('\n') + 1);
  } catch {
    return undefined;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
