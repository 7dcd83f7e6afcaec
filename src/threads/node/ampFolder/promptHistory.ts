import { open } from 'node:fs/promises';
import * as path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { parseJson } from '../../../base/common/parseJson';
import { firstLine, isRecord, textOf } from '../../common/model/jsonValues';

/** Only the end of a longer history is read. */
const maxBytes = 4 * 1024 * 1024;
/** An old history is one list, which cannot be read in parts: a longer one is left alone. */
const maxListBytes = 512 * 1024;
/** A longer line is a pasted file, not worth the time to parse it. */
const maxLineBytes = 256 * 1024;
/** The window does something else after so much reading. */
const sliceMs = 4;
const maxPromptUnits = 200;

/** Where prompts were written: absolute folders by the first line of the prompt. */
type PromptFolders = ReadonlyMap<string, string>;

/** Amp's own history of prompts, which says neither when nor in which thread. Read again only when its file has changed. */
export class PromptHistory {
  private known: { readonly key: string; readonly folders: Promise<PromptFolders> } | undefined;

  /** Amp's, absolute; the first one that has a history counts. */
  constructor(private readonly dataFolders: readonly string[]) {}

  /** Empty when there is no history. */
  async folders(): Promise<PromptFolders> {
    for (const folder of this.dataFolders) {
      for (const name of ['history.jsonl', 'history.json']) {
        const found = await this.inFile(path.join(folder, name));
        if (found) return found;
      }
    }
    return new Map();
  }

  private async inFile(file: string): Promise<PromptFolders | undefined> {
    try {
      await using handle = await open(file, 'r');
      const { size, mtimeMs } = await handle.stat();
      const key = `${size} ${mtimeMs} ${file}`;
      if (this.known?.key === key) return await this.known.folders;
      const start = Math.max(0, size - maxBytes);
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - start), 0, size - start, start);
      const bytes = buffer.subarray(0, bytesRead);
      const folders = file.endsWith('.json') ? Promise.resolve(ofList(bytes)) : ofLines(bytes, start > 0);
      this.known = { key, folders };
      return await folders;
    } catch {
      return undefined;
    }
  }
}

async function ofLines(bytes: Buffer, isCut: boolean): Promise<PromptFolders> {
  const folders = new Map<string, string>();
  let sliceEnd = performance.now() + sliceMs;
  for (let at = isCut ? bytes.indexOf('\n') + 1 : 0; at < bytes.length;) {
    const newline = bytes.indexOf('\n', at);
    const end = newline < 0 ? bytes.length : newline;
    if (end - at <= maxLineBytes) note(folders, parseJson(bytes.toString('utf8', at, end)));
    at = end + 1;
    if (performance.now() < sliceEnd) continue;
    await setImmediate();
    sliceEnd = performance.now() + sliceMs;
  }
  return folders;
}

function ofList(bytes: Buffer): PromptFolders {
  const folders = new Map<string, string>();
  const list = bytes.length <= maxListBytes ? parseJson(bytes.toString('utf8')) : undefined;
  if (Array.isArray(list)) for (const item of list) note(folders, item);
  return folders;
}

/** Old prompts are bare texts, which say nothing of a folder. Of two with the same first line the later one counts. */
function note(folders: Map<string, string>, prompt: unknown): void {
  if (!isRecord(prompt)) return;
  const [text, folder] = [textOf(prompt['text']), textOf(prompt['cwd'])];
  const line = firstLine(text ?? '', maxPromptUnits);
  if (line !== '' && folder !== undefined) folders.set(line, folder);
}
