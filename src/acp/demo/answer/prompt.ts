import { fileURLToPath } from 'node:url';
import { basename, isAbsolute, resolve } from 'node:path';
import { percentDecoded } from '../../../base/common/fileUri';

/** What the user sent: the words, and what came along with them. */
export interface Prompt {
  readonly text: string;
  readonly files: readonly PromptFile[];
  readonly notes: readonly PromptNote[];
  /** Of an answer that was cut off and goes on: how many words were said. */
  readonly saidWords?: number;
}

export interface PromptFile {
  /** Absolute, or the URI when it names no file of this machine. */
  readonly path: string;
  /** Its content, when the client has put it into the prompt. */
  readonly text?: string;
}

/** A text that is no file: a context item, the problems of a file, a selection of something that is nowhere on disk. */
export interface PromptNote {
  /** One line. */
  readonly title: string;
  readonly text: string;
}

/** The parts of an ACP content block that matter here. */
export type PromptBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'resource_link'; readonly uri: string }
  | { readonly type: 'resource'; readonly resource: { readonly uri: string; readonly text?: unknown } }
  | { readonly type: 'image' | 'audio' };

export function toPrompt(blocks: readonly PromptBlock[]): Prompt {
  const texts: string[] = [];
  const files: PromptFile[] = [];
  const notes: PromptNote[] = [];
  for (const block of blocks) {
    if (block.type === 'text') texts.push(block.text);
    else if (block.type === 'resource_link') files.push({ path: pathOfUri(block.uri) });
    else if (block.type === 'resource') {
      const { uri, text } = block.resource;
      const note = typeof text === 'string' ? noteOf(uri, text) : undefined;
      if (note) notes.push(note);
      else files.push({ path: pathOfUri(uri), ...(typeof text === 'string' ? { text } : {}) });
    }
  }
  return { text: texts.join('').trim(), files, notes };
}

/**
 * A text that begins by naming the very file it comes with is about the file, and is not what is in it. Nor is there a text
 * in a folder, whose address ends with a slash.
 */
function noteOf(uri: string, text: string): PromptNote | undefined {
  if (!uri.startsWith('file:')) return { title: percentDecoded(uri.replace(/^backline:/, '')), text };
  const path = pathOfUri(uri).replace(/(?<=.)[\\/]$/, '');
  const [head = '', ...rest] = text.split('\n');
  if (!uri.endsWith('/') && !head.includes(path)) return undefined;
  return { title: head.replaceAll(path, basename(path)).trim(), text: rest.join('\n').trim() };
}

/** The absolute path that a word of a prompt names: `src/a.ts`, `@src/a.ts`, `` `src/a.ts` `` and `file:` URIs. */
export function pathOfWord(word: string, cwd: string): string {
  const bare = word.replace(/^[`'"(<@]+|[`'")>,;:?!]+$/g, '');
  const path = pathOfUri(bare);
  return isAbsolute(path) || path.includes('://') ? path : resolve(cwd, path);
}

function pathOfUri(uri: string): string {
  if (!uri.startsWith('file:')) return uri;
  try {
    return fileURLToPath(uri);
  } catch {
    return uri;
  }
}
