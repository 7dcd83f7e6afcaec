import type { PromptAttachment } from '../../../session/common/sessionBackend';
import { toFileUri } from '../../../base/common/addresses/fileUri';
import { fileNameOf } from '../../../base/common/text/fileNameOf';
import type { EditorPort } from '../../../editor/common/editorPort';
import type { MentionSource } from './mentionSource';
import type { DraftAttachment, MentionRow } from '../chatView';
import type { FileIndex } from './fileIndex';
import { findBestPaths, type PathCandidate } from './fuzzy';
import { filterReadableItems } from './mentions';

interface FolderMentionsPorts {
  readonly index: Pick<FileIndex, 'files'>;
  readonly editor: Pick<EditorPort, 'resolve' | 'stat'>;
}

interface Folder extends PathCandidate {
  readonly path: string;
}

const maxRows = 8;
const maxListed = 300;

/** Folders of the workspace. The prompt contains a list of their files. */
export class FolderMentions implements MentionSource {
  readonly kind = 'folder';

  constructor(private readonly ports: FolderMentionsPorts) {}

  async search(query: string, signal: AbortSignal): Promise<MentionRow[]> {
    // Without a query, files are more useful than folders.
    if (query.trim() === '') return [];
    const best = findBestPaths(query, await this.allFolders(), { count: maxRows * 2, bonus: () => 0 });
    signal.throwIfAborted();
    const readable = await filterReadableItems(this.ports.editor, best);
    return readable.slice(0, maxRows).map(({ path, relative }) => this.rowOf(path, relative));
  }

  async resolve({ path }: DraftAttachment): Promise<readonly PromptAttachment[]> {
    if (path === undefined) return [];
    // `stat` throws if the folder was deleted; `resolve` would not.
    await this.ports.editor.stat(path);
    const folder = await this.ports.editor.resolve(path);
    const { names, more } = await this.listFilesIn(folder);
    const rest = more > 0 ? [`… and ${more} more`] : [];
    const text = [`Files in ${folder}:`, ...names, ...rest].join('\n');
    return [{ type: 'text', uri: `${toFileUri(folder)}/`, title: fileNameOf(folder), text }];
  }

  rowOf(path: string, relative: string): MentionRow {
    const folder = relative.slice(0, Math.max(0, relative.lastIndexOf('/')));
    const title = `${fileNameOf(path)}/`;
    return { kind: 'folder', id: `folder:${path}`, title, path, ...(folder === '' ? {} : { detail: folder }) };
  }

  /** Returns all folders that contain files, directly or in subfolders. */
  private async allFolders(): Promise<Iterable<Folder>> {
    const found = new Map<string, Folder>();
    for (const { path, relative } of await this.ports.index.files()) {
      let absolute = parentOf(path);
      for (let name = parentOf(relative); name !== '' && !found.has(absolute); name = parentOf(name)) {
        found.set(absolute, { path: absolute, relative: name, lower: name.toLowerCase() });
        absolute = parentOf(absolute);
      }
    }
    return found.values();
  }

  private async listFilesIn(folder: string): Promise<{ names: string[]; more: number }> {
    const files = [...(await this.ports.index.files())];
    const below = files.filter(({ path }) => path.startsWith(`${folder}/`) || path.startsWith(`${folder}\\`));
    const readable = await filterReadableItems(this.ports.editor, below.slice(0, maxListed));
    return {
      names: readable.map(({ path }) => path.slice(folder.length + 1)),
      more: Math.max(0, below.length - maxListed),
    };
  }
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.search(/[\\/][^\\/]*$/)));
}
