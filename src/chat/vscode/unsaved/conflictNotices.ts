import * as vscode from 'vscode';
import { Coalescer, type Clock } from '../../../base/common/async';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import type { NoticeAction, NoticeBoard } from '../../../platform/common/noticeBoard';
import type { Messages } from '../../../platform/vscode/messages';
import { formatFileNames } from '../../../base/common/lists';
import type { VirtualDocuments } from '../review/virtualDocuments';
import type { ConflictWatch, UnsavedConflict } from './conflictWatch';
import { deleteFileAndKeepText, keepUnsavedText, readDiskText, revertToDiskText } from './textVersions';

export interface ConflictNoticesDeps {
  readonly watch: Pick<ConflictWatch, 'conflicts' | 'onDidChange' | 'acceptDiskAsBase'>;
  /** Read-only documents that show the texts of agents. */
  readonly documents: VirtualDocuments;
  readonly messages: Pick<Messages, 'info' | 'warning' | 'error'>;
  readonly notices: Pick<NoticeBoard, 'warning'>;
  readonly clock: Clock;
}

/** How long to wait for more conflicts, so that files that are written together are reported in one message. */
const reportDelayMs = 250;

/** Notifies the user of files that an agent wrote while they had unsaved text. Files found together share a message. */
export class ConflictNotices implements Disposable {
  private readonly disposables = new DisposableStore();
  /** Conflicts that were reported. A conflict that is resolved and occurs again is reported again. */
  private readonly reportedDocuments = new Set<vscode.TextDocument>();

  private readonly updateCoalescer: Coalescer;

  constructor(private readonly deps: ConflictNoticesDeps) {
    this.updateCoalescer = this.disposables.add(
      new Coalescer(deps.clock, reportDelayMs, () => this.reportNewConflicts()),
    );
  }

  start(): void {
    this.disposables.add(this.deps.watch.onDidChange(() => this.updateCoalescer.schedule()));
  }

  dispose(): void {
    this.disposables.dispose();
    this.reportedDocuments.clear();
  }

  private reportNewConflicts(): void {
    const { conflicts } = this.deps.watch;
    const documents = new Set(conflicts.map(({ document }) => document));
    for (const document of this.reportedDocuments)
      if (!documents.has(document)) this.reportedDocuments.delete(document);
    const added = conflicts.filter(({ document }) => !this.reportedDocuments.has(document));
    for (const { document } of added) this.reportedDocuments.add(document);
    const byAgent = Map.groupBy(added, ({ agent }) => agent);
    for (const [agent, found] of byAgent) this.report(agent, found);
  }

  private report(agent: string, conflicts: readonly UnsavedConflict[]): void {
    const isDeleted = conflicts.every(({ disk }) => disk === null);
    const names = formatFileNames(conflicts.map(nameOf));
    const text = `${agent} ${isDeleted ? 'deleted' : 'changed'} ${names} on disk while you had unsaved changes in the editor.`;
    const compare = { label: 'Compare', run: () => this.compare(agent, conflicts) };
    this.deps.notices.warning(text, compare, ...this.choices(conflicts));
  }

  private choices(conflicts: readonly UnsavedConflict[]): NoticeAction[] {
    const label = conflicts.length === 1 ? 'Use Agent’s Version' : 'Use Agent’s Versions';
    return [
      { label, run: () => this.resolveConflicts(conflicts, (conflict) => this.applyAgentsVersion(conflict)) },
      { label: 'Keep Mine', run: () => this.resolveConflicts(conflicts, (conflict) => this.keepMine(conflict)) },
    ];
  }

  private async compare(agent: string, conflicts: readonly UnsavedConflict[]): Promise<void> {
    const open = this.stillUnresolved(conflicts);
    if (open.length === 0) return;
    const sides = await Promise.all(
      open.map(async ({ document }) => {
        const { uri } = document;
        return { left: this.deps.documents.add(uri.fsPath, (await readDiskText(document)) ?? ''), right: uri };
      }),
    );
    const [only] = sides;
    if (only && sides.length === 1) {
      const title = `${vscode.workspace.asRelativePath(only.right)} (${agent}’s version ↔ yours)`;
      await vscode.commands.executeCommand('vscode.diff', only.left, only.right, title);
    } else {
      const resources = sides.map(({ left, right }) => [right, left, right]);
      await vscode.commands.executeCommand('vscode.changes', `${agent}’s versions ↔ yours`, resources);
    }
    // VS Code closes the message when the user selects a button, so a new message offers the others.
    this.deps.messages.warning(
      `Which version of ${formatFileNames(open.map(nameOf))} do you want?`,
      ...this.choices(open),
    );
  }

  private async resolveConflicts(
    conflicts: readonly UnsavedConflict[],
    apply: (conflict: UnsavedConflict) => Promise<void>,
  ): Promise<void> {
    const { messages } = this.deps;
    const open = this.stillUnresolved(conflicts);
    if (open.length === 0) {
      messages.info(`${formatFileNames(conflicts.map(nameOf))} is no longer open, so there is nothing to decide.`);
      return;
    }
    for (const conflict of open) {
      await apply(conflict).catch((error: unknown) => messages.error(messageOf(error)));
    }
  }

  private async applyAgentsVersion(conflict: UnsavedConflict): Promise<void> {
    const { messages } = this.deps;
    const name = formatFileNames([nameOf(conflict)]);
    if (conflict.disk === null) {
      const place = await deleteFileAndKeepText(conflict.document);
      const find = (): unknown => vscode.commands.executeCommand('workbench.action.localHistory.restoreViaPicker');
      if (place === 'untitledEditor') messages.info(`${name} was deleted. Your text is in a new untitled editor.`);
      else
        messages.info(`${name} was deleted. Your text is in the local history.`, {
          label: 'Open Local History',
          run: find,
        });
    } else {
      await revertToDiskText(conflict.document);
      messages.info(`${name} now has ${conflict.agent}’s version. Use Undo to get your text back.`);
    }
  }

  private async keepMine({ disk, document }: UnsavedConflict): Promise<void> {
    // If the file does not exist, VS Code saves the text without a question.
    if (disk !== null) await keepUnsavedText(document);
    this.deps.watch.acceptDiskAsBase(document.uri.fsPath);
  }

  /** Returns the current state of those conflicts that are not resolved yet. */
  private stillUnresolved(conflicts: readonly UnsavedConflict[]): UnsavedConflict[] {
    const documents = new Set(conflicts.map(({ document }) => document));
    return this.deps.watch.conflicts.filter(({ document }) => documents.has(document));
  }
}

function nameOf({ document }: Pick<UnsavedConflict, 'document'>): string {
  return vscode.workspace.asRelativePath(document.uri);
}
