import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { EditorPort } from '../../editor/common/editorPort';
import { findGitRepository } from '../../platform/vscode/git/gitRepository';
import { conflictPoint, findConflicts } from '../common/conflictPoint';
import type { StartingPoint } from '../common/startingPoint';

const ResourceState = z.object({ resourceUri: z.custom<vscode.Uri>((uri) => uri instanceof vscode.Uri) });

/** Collects both sides of merge conflicts, and the text before them. */
export class ConflictCommands {
  constructor(private readonly editor: Pick<EditorPort, 'readText'>) {}

  /**
   * `given`: a URI, or a row of the Source Control view; by default the active file. `line`: 0-based, of one conflict; by default
   * the one at the cursor of the active file, else all of the file. @throws Error, EditorError
   */
  async ofFile(given: unknown, line: unknown): Promise<StartingPoint> {
    const active = vscode.window.activeTextEditor;
    const uri = given instanceof vscode.Uri ? given : z.safeParse(ResourceState, given).data?.resourceUri;
    const file = uri ?? active?.document.uri;
    if (!file) throw new Error('Open a file with a merge conflict first.');
    const { path, text } = await this.editor.readText(file.fsPath, { fromBuffer: 'asIs' });
    const at = typeof line === 'number' ? line : uri ? undefined : active?.selection.active.line;
    const all = findConflicts(text);
    const one = all.find(({ first, last }) => at !== undefined && first <= at && at <= last);
    if (typeof line === 'number' && !one) throw new Error('This conflict has changed. Choose it again.');
    const repository = await findGitRepository(path);
    return conflictPoint({
      shownPath: vscode.workspace.asRelativePath(path),
      path,
      text,
      conflicts: one ? [one] : all,
      branch: repository?.branch,
      baseText: await repository?.textBeforeMerge(path),
    });
  }
}
