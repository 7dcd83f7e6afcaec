import { fileURLToPath } from 'node:url';
import { basename, isAbsolute, resolve } from 'node:path';
import { decodePercentEscapes } from '../../../base/common/addresses/fileUri';

export interface Prompt {
  readonly text: string;
  readonly files: readonly PromptFile[];
  readonly notes: readonly PromptAttachedText[];
  /** The number of words that were already sent, if an interrupted answer continues. */
  readonly saidWordCount?: number;
}

export interface PromptFile {
  /** Absolute path of the file, or the URI if it is not a local file. */
  readonly path: string;
  readonly text?: string;
}

/** An attached text without a file, for example a context item, problems or an untitled selection. */
export interface PromptAttachedText {
  /** Title on a single line. */
  readonly title: string;
  readonly text: string;
}

export type PromptBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'resource_link'; readonly uri: string }
  | { readonly type: 'resource'; readonly resource: { readonly uri: string; readonly text?: unknown } }
  | { readonly type: 'image' | 'audio' };

export function toPrompt(blocks: readonly PromptBlock[]): Prompt {
  const texts: string[] = [];
  const files: PromptFile[] = [];
  const notes: PromptAttachedText[] = [];
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

/** Converts an attached text to a note if its first line names the file, or if the URI is a folder (ends with `/`). */
function noteOf(uri: string, text: string): PromptAttachedText | undefined {
  if (!uri.startsWith('file:')) return { title: decodePercentEscapes(uri.replace(/^backline:/, '')), text };
  const path = pathOfUri(uri).replace(/(?<=.)[\\/]$/, '');
  const [head = '', ...rest] = text.split('\n');
  if (!uri.endsWith('/') && !head.includes(path)) return undefined;
  return { title: head.replaceAll(path, basename(path)).trim(), text: rest.join('\n').trim() };
}

/** Resolves a path in a prompt: `src/a.ts`, `@src/a.ts`, `` `src/a.ts` `` or a `file:` URI. */
export function resolvePromptPath(word: string, cwd: string): string {
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
