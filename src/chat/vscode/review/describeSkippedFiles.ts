import * as vscode from 'vscode';
import { countWithNoun } from '../../../base/common/text/countWithNoun';
import { truncateList } from '../../../base/common/lists';
import type { SkippedFile } from '../../../changes/common/workspaceCheckpoints';

const maxNames = 5;

/** Describes which files were not restored, and why. */
export function describeSkippedFiles(skipped: readonly SkippedFile[]): string {
  const files = skipped.map(({ path, reason }) => `${vscode.workspace.asRelativePath(path)}: ${reason}`);
  return [`${countWithNoun(skipped.length, 'file')} could not be restored.`, ...truncateList(files, maxNames)].join(
    ' ',
  );
}
