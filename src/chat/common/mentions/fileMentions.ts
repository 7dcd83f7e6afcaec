import type { PromptAttachment } from '../../../session/common/sessionBackend';
import type { EditorPort } from '../../../editor/common/editorPort';
import type { MentionSource } from './mentionSource';
import type { DraftAttachment, MentionRow } from '../chatView';
import type { FileIndex, IndexedFile } from './fileIndex';
import { findBestPaths } from './fuzzy';
import { estimateTokens } from './mentions';

interface FileMentionsPorts {
  readonly index: Pick<FileIndex, 'files'>;
  readonly editor: Pick<EditorPort, 'resolve' | 'stat'>;
  /** Returns the absolute paths of recently opened files, the most recent first. */
  readonly recentFiles: () => readonly string[];
}

const maxRows = 20;
/** Larger than `maxRows`, because agents may not access some of the files. */
const maxCandidates = maxRows * 2;

/** Files of the workspace, found by fuzzy matching of their paths. Recently opened files come first. */
export class FileMentions implements MentionSource {
  readonly kind = 'file';

  constructor(private readonly ports: FileMentionsPorts) {}

  async search(query: string, signal: AbortSignal): Promise<MentionRow[]> {
    const { index, recentFiles: recent } = this.ports;
    const places = new Map(recent().map((path, place) => [path, place]));
    const bonus = ({ path }: IndexedFile): number => {
      const place = places.get(path);
      return place === undefined ? 0 : Math.max(1, 12 - place);
    };
    const best = findBestPaths(query, await index.files(), { count: maxCandidates, bonus });
    signal.throwIfAborted();
    const rows = await Promise.all(best.map((file) => this.rowIfReadable(file)));
    return rows.flatMap((row) => row ?? []).slice(0, maxRows);
  }

  async resolve({ path }: DraftAttachment): Promise<readonly PromptAttachment[]> {
    if (path === undefined) return [];
    // `stat` throws if the file was deleted; `resolve` would not.
    await this.ports.editor.stat(path);
    return [{ type: 'file', path: await this.ports.editor.resolve(path) }];
  }

  /** Returns the row for a path, for example of a dropped file. @throws EditorError */
  async rowOf(path: string, relative: string): Promise<MentionRow> {
    const { size } = await this.ports.editor.stat(path);
    const title = relative.slice(relative.lastIndexOf('/') + 1);
    const folder = relative.slice(0, Math.max(0, relative.length - title.length - 1));
    return {
      kind: 'file',
      id: `file:${path}`,
      title,
      path,
      tokens: estimateTokens(size),
      ...(folder === '' ? {} : { detail: folder }),
    };
  }

  private rowIfReadable({ path, relative }: IndexedFile): Promise<MentionRow | undefined> {
    // Files that were deleted, or that agents may not access, are left out.
    return this.rowOf(path, relative).catch(() => undefined);
  }
}
