import * as vscode from 'vscode';
import { commandIds } from '../../../manifest';
import type { ReviewSource } from '../../common/review/reviewSource';
import { hunksOf, rangeOfHunk } from './fileHunks';

/** Shows Keep and Undo above each change if `backline.review.codeLens` is on. */
export class HunkLenses implements vscode.CodeLensProvider {
  private readonly changeEmitter = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.changeEmitter.event;

  constructor(
    private readonly reviewSource: ReviewSource,
    private readonly isEnabled: () => boolean,
  ) {}

  refresh(): void {
    this.changeEmitter.fire();
  }

  async provideCodeLenses(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    const file = this.isEnabled() ? await hunksOf(this.reviewSource, document) : undefined;
    if (!file) return [];
    return file.hunks.flatMap((hunk) => {
      const range = rangeOfHunk(hunk, document);
      const target = [document.uri, hunk];
      return [
        new vscode.CodeLens(range, { title: 'Keep', command: commandIds.reviewKeepHunk, arguments: target }),
        new vscode.CodeLens(range, { title: 'Undo', command: commandIds.reviewUndoHunk, arguments: target }),
      ];
    });
  }

  dispose(): void {
    this.changeEmitter.dispose();
  }
}
