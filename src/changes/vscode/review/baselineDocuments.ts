import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import { textSchemes } from '../../../manifest';
import type { ReviewSource } from '../../common/review/reviewSource';

/** Provides the baselines of files as read-only documents for VS Code's diff editors. */
export class BaselineDocuments implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly changeEmitter = this.disposables.add(new vscode.EventEmitter<vscode.Uri>());
  /** The text that was last provided to VS Code, by path. */
  private readonly textByPath = new Map<string, string>();

  constructor(private readonly reviewSource: Pick<ReviewSource, 'baseline'>) {
    this.disposables.add(
      vscode.workspace.registerTextDocumentContentProvider(textSchemes.baseline, {
        onDidChange: this.changeEmitter.event,
        provideTextDocumentContent: ({ fsPath }) => this.read(fsPath),
      }),
    );
  }

  uriOf(path: string): vscode.Uri {
    return vscode.Uri.file(path).with({ scheme: textSchemes.baseline });
  }

  /** Whether a file has a baseline to compare with. Never rejects. */
  async hasBaseline(path: string): Promise<boolean> {
    return (await this.reviewSource.baseline(path).catch(() => undefined)) !== undefined;
  }

  /** Returns the baseline. It is empty for a file that did not exist. */
  async read(path: string): Promise<string> {
    const text = (await this.reviewSource.baseline(path)) ?? '';
    this.textByPath.set(path, text);
    return text;
  }

  /** Notifies VS Code if the baseline of a file has changed. Never rejects. */
  async update(path: string): Promise<void> {
    const shown = this.textByPath.get(path);
    if (shown !== undefined && shown !== (await this.read(path).catch(() => shown))) {
      this.changeEmitter.fire(this.uriOf(path));
    }
  }

  dispose(): void {
    this.disposables.dispose();
    this.textByPath.clear();
  }
}
