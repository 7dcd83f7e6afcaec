import * as vscode from 'vscode';
import { countOf } from '../../../base/common/countOf';
import type { SkippedFile } from '../../../changes/common/workspaceCheckpoints';

const maxNames = 5;

/** Says which files were not restored, and why. */
export function skippedText(skipped: readonly SkippedFile[]): string {
  const names = skipped
    .slice(0, maxNames)
    .map(({ path, reason }) => `${vscode.workspace.asRelativePath(path)}: ${reason}`);
  const more = skipped.length > maxNames ? [`… and ${skipped.length - maxNames} more`] : [];
  return [`${countOf(skipped.length, 'file')} could not be restored.`, ...names, ...more].join(' ');
}
