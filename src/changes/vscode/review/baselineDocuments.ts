import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import { textSchemes } from '../../../manifest';
import type { ReviewSource } from '../../common/review/reviewSource';

/** Files without the changes that are to be reviewed, as read-only documents for VS Code's diffs. */
export class BaselineDocuments implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly changed = this.disposables.add(new vscode.EventEmitter<vscode.Uri>());
  /** By path: what VS Code was given last. */
  private readonly textByPath = new Map<string, string>();

  constructor(private readonly source: Pick<ReviewSource, 'baseline'>) {
    this.disposables.add(
      vscode.workspace.registerTextDocumentContentProvider(textSchemes.baseline, {
        onDidChange: this.changed.event,
        provideTextDocumentContent: ({ fsPath }) => this.read(fsPath),
      }),
    );
  }

  uriOf(path: string): vscode.Uri {
    return vscode.Uri.file(path).with({ scheme: textSchemes.baseline });
  }

  /** Empty for a file that did not exist. */
  async read(path: string): Promise<string> {
    const text = (await this.source.baseline(path)) ?? '';
    this.textByPath.set(path, text);
    return text;
  }

  /** Shows the baseline as it is now where VS Code shows an older one. Never rejects. */
  async update(path: string): Promise<void> {
    const shown = this.textByPath.get(path);
    if (shown !== undefined && shown !== (await this.read(path).catch(() => shown))) {
      this.changed.fire(this.uriOf(path));
    }
  }

  dispose(): void {
    this.disposables.dispose();
    this.textByPath.clear();
  }
}
