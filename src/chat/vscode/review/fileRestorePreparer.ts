import { realpath } from 'node:fs/promises';
import { join, relative } from 'node:path';
import * as vscode from 'vscode';
import { messageOf } from '../../../base/common/errors';
import { truncateList } from '../../../base/common/lists';
import { isEditorError, type EditorPort } from '../../../editor/common/editorPort';
import type { RestorePreview, SkippedFile, WorkspaceCheckpoints } from '../../../changes/common/workspaceCheckpoints';
import { isInside } from '../../../editor/common/boundary';
import { findUnsavedFiles } from '../../../platform/vscode/openFiles';
import type { Dialogs } from '../dialogs';
import { protectionIfWritable } from '../protectionIfWritable';

interface FilesToRestoreDeps {
  readonly editor: Pick<EditorPort, 'readText' | 'protectionOf' | 'save'>;
  readonly checkpoints: Pick<WorkspaceCheckpoints, 'textAfterRestore'> | undefined;
  readonly dialogs: Pick<Dialogs, 'confirm'>;
}

interface SavedFiles {
  /** Whether a file was saved. A preview is then outdated. */
  readonly hasSaved: boolean;
  /** Files that could not be saved, so that they must not be restored. */
  readonly refused: readonly SkippedFile[];
}

const maxNames = 10;

/** Prepares the files of a restore: asks about protected files, and saves unsaved text. */
export class FileRestorePreparer {
  constructor(private readonly deps: FilesToRestoreDeps) {}

  /**
   * Returns the absolute paths of files with unsaved changes in any kind of editor: as the editor has it, possibly that of a link,
   * without links, and inside a workspace folder. Never rejects.
   */
  async findUnsaved(): Promise<ReadonlySet<string>> {
    const withoutLinks = async (path: string): Promise<string> => await realpath(path).catch(() => path);
    const open = [...findUnsavedFiles().keys()];
    const real = await Promise.all(open.map(withoutLinks));
    const paths = new Set([...open, ...real]);
    if (open.length === 0) return paths;
    for (const { uri } of vscode.workspace.workspaceFolders ?? []) {
      const folder = await withoutLinks(uri.fsPath);
      for (const path of real) {
        if (isInside(path, folder, false)) paths.add(join(uri.fsPath, relative(folder, path)));
      }
    }
    return paths;
  }

  /** Asks about protected files, if any. Returns their paths, or undefined if the user refuses. */
  async confirmProtected(
    paths: readonly string[],
    preview: RestorePreview | undefined,
  ): Promise<ReadonlySet<string> | undefined> {
    const reasons = new Map<string, string>();
    const all = await Promise.all(
      paths.map(async (path) => [path, await this.protectionReasonFor(path, preview)] as const),
    );
    for (const [path, reason] of all) if (reason !== undefined) reasons.set(path, reason);
    if (reasons.size === 0) return new Set();
    const lines = [...reasons].map(([path, reason]) => `${vscode.workspace.asRelativePath(path)}: ${reason}`);
    const isConfirmed = await this.deps.dialogs.confirm({
      message: reasons.size === 1 ? 'Restore a protected file?' : `Restore ${reasons.size} protected files?`,
      detail: truncateList(lines, maxNames).join('\n'),
      action: 'Restore',
    });
    return isConfirmed ? new Set(reasons.keys()) : undefined;
  }

  /** Saves unsaved text, so that the checkpoint with which the restore can be undone contains it. */
  async saveUnsaved(paths: readonly string[]): Promise<SavedFiles> {
    const unsaved = await this.findUnsaved();
    const refused: SkippedFile[] = [];
    let hasSaved = false;
    for (const path of paths) {
      if (!unsaved.has(path)) continue;
      try {
        await this.deps.editor.save(path);
        hasSaved = true;
        if ((await this.findUnsaved()).has(path))
          refused.push({ path, reason: 'Its unsaved text could not be saved.' });
      } catch (error) {
        refused.push({ path, reason: messageOf(error) });
      }
    }
    return { hasSaved, refused };
  }

  private async protectionReasonFor(path: string, preview: RestorePreview | undefined): Promise<string | undefined> {
    const { checkpoints, editor } = this.deps;
    // Texts are only read if the file may be protected, because reading takes time.
    const protection = await protectionIfWritable(editor, path);
    if (!protection) return undefined;
    const after = preview && (await checkpoints?.textAfterRestore(preview, path).catch(() => undefined));
    if (typeof after !== 'string') return protection.reason;
    return (await protectionIfWritable(editor, path, { before: await this.textNow(path), after }))?.reason;
  }

  private async textNow(path: string): Promise<string | undefined> {
    try {
      return (await this.deps.editor.readText(path)).text;
    } catch (error) {
      if (isEditorError(error)) return undefined;
      throw error;
    }
  }
}
