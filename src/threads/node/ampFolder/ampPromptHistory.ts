import { open } from 'node:fs/promises';
import * as path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { parseJson } from '../../../base/common/parseJson';
import { firstLine, isRecord, asNonEmptyText } from '../../common/model/jsonValues';

/** Maximum size that is read, in bytes. Only the end of a longer history is read. */
const maxBytes = 4 * 1024 * 1024;
/** Maximum size of an old history, in bytes: a JSON list, which cannot be read in parts. Larger ones are ignored. */
const maxListBytes = 512 * 1024;
/** Maximum length of a line, in bytes. Longer lines contain pasted files and are skipped. */
const maxLineBytes = 256 * 1024;
/** Time after which reading yields to the event loop. */
const sliceMs = 4;
const maxPromptUnits = 200;

/** Absolute paths of the folders in which prompts were written, by the first line of the prompt. */
type FolderByPrompt = ReadonlyMap<string, string>;

/** Reads Amp's prompt history, without times and thread ids. The file is read again only after a change. */
export class AmpPromptHistory {
  private cache: { readonly key: string; readonly folderByPrompt: Promise<FolderByPrompt> } | undefined;

  /** `dataFolders` are absolute paths. The first folder with a history is used. */
  constructor(private readonly dataFolders: readonly string[]) {}

  /** Returns the folders. Empty if there is no history. */
  async folderByPrompt(): Promise<FolderByPrompt> {
    for (const folder of this.dataFolders) {
      for (const name of ['history.jsonl', 'history.json']) {
        const folderByPrompt = await this.readFile(path.join(folder, name));
        if (folderByPrompt) return folderByPrompt;
      }
    }
    return new Map();
  }

  private async readFile(file: string): Promise<FolderByPrompt | undefined> {
    try {
      await using handle = await open(file, 'r');
      const { size, mtimeMs } = await handle.stat();
      const key = `${size} ${mtimeMs} ${file}`;
      if (this.cache?.key === key) return await this.cache.folderByPrompt;
      const start = Math.max(0, size - maxBytes);
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - start), 0, size - start, start);
      const bytes = buffer.subarray(0, bytesRead);
      const folderByPrompt = file.endsWith('.json') ? Promise.resolve(parseList(bytes)) : parseLines(bytes, start > 0);
      this.cache = { key, folderByPrompt };
      return await folderByPrompt;
    } catch {
      return undefined;
    }
  }
}

async function parseLines(bytes: Buffer, isCut: boolean): Promise<FolderByPrompt> {
  const folders = new Map<string, string>();
  let sliceEnd = performance.now() + sliceMs;
  for (let at = isCut ? bytes.indexOf('\n') + 1 : 0; at < bytes.length;) {
    const newline = bytes.indexOf('\n', at);
    const end = newline < 0 ? bytes.length : newline;
    if (end - at <= maxLineBytes) addPrompt(folders, parseJson(bytes.toString('utf8', at, end)));
    at = end + 1;
    if (performance.now() < sliceEnd) continue;
    await setImmediate();
    sliceEnd = performance.now() + sliceMs;
  }
  return folders;
}

function parseList(bytes: Buffer): FolderByPrompt {
  const folders = new Map<string, string>();
  const list = bytes.length <= maxListBytes ? parseJson(bytes.toString('utf8')) : undefined;
  if (Array.isArray(list)) for (const item of list) addPrompt(folders, item);
  return folders;
}

/** Adds a prompt with a folder (old builds have none). A later one with the same first line replaces it. */
function addPrompt(folders: Map<string, string>, prompt: unknown): void {
  if (!isRecord(prompt)) return;
  const [text, folder] = [asNonEmptyText(prompt['text']), asNonEmptyText(prompt['cwd'])];
  const line = firstLine(text ?? '', maxPromptUnits);
  if (line !== '' && folder !== undefined) folders.set(line, folder);
}
