import * as path from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore } from '../../../base/common/disposable';
import { showHiddenCharacters } from '../../../base/common/text/hiddenCharacters';
import {
  restoreCountLabel,
  isPickedByDefault,
  restoreRowLabel,
  type RestoreRow,
} from '../../common/restore/restoreRows';

type RestoreScope = 'both' | 'files' | 'conversation';

interface ScopeQuestion {
  readonly turn: number;
  /** The files that can be restored; undefined if no files can be. */
  readonly rows: readonly RestoreRow[] | undefined;
  /** Why files cannot be restored, or which ones cannot. */
  readonly note: string | undefined;
  /** What has happened in Git since the prompt, and what the user can do about it. */
  readonly gitNote: string | undefined;
}

/** Asks what to restore. Undefined if the user closes the list. */
export async function pickScope({ gitNote, note, rows, turn }: ScopeQuestion): Promise<RestoreScope | undefined> {
  const files = rows && rows.length > 0 ? restoreCountLabel(rows) : undefined;
  const conversation = {
    label: '$(comment-discussion) Conversation Only',
    description: files === undefined ? 'all files are unchanged' : 'files are not changed',
    scope: 'conversation' as const,
  };
  const detail = gitNote === undefined ? {} : { detail: toSafeLabel(gitNote) };
  const items =
    files === undefined
      ? [rows ? conversation : { ...conversation, description: 'files can’t be restored' }]
      : [
          { label: '$(history) Conversation and Files', description: files, scope: 'both' as const, ...detail },
          { label: '$(files) Files Only', description: files, scope: 'files' as const, ...detail },
          conversation,
        ];
  const picked = await vscode.window.showQuickPick(items, {
    title: `Restore to Prompt ${turn}`,
    placeHolder: note ?? 'Select what to restore',
    // The chat may get the focus back from the previous dialog just now, which would close the list.
    ignoreFocusOut: true,
  });
  return picked?.scope;
}

interface FileItem extends vscode.QuickPickItem {
  readonly row?: RestoreRow;
}

interface FileQuestion {
  readonly title: string;
  readonly rows: readonly RestoreRow[];
  /** Absolute paths that will not be restored although they may differ. */
  readonly leftOut: readonly string[];
  /** What a restore of files does not bring back, in a few words. */
  readonly notes: readonly string[];
  /** Shows what would change in a file. Must not reject. */
  readonly openDiff: (path: string) => Promise<void>;
}

const diffButton: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('diff'), tooltip: 'Open Diff' };
const maxLeftOut = 20;

/** Asks which files to restore. Undefined if the user closes the list. */
export async function pickFiles({
  leftOut,
  notes,
  openDiff,
  rows,
  title,
}: FileQuestion): Promise<string[] | undefined> {
  const store = new DisposableStore();
  try {
    const pick = store.add(vscode.window.createQuickPick<FileItem>());
    pick.title = title;
    pick.placeholder = 'Select the files to restore';
    pick.canSelectMany = true;
    pick.matchOnDescription = true;
    // The user can open a diff without closing the list.
    pick.ignoreFocusOut = true;
    const items = rows.map(itemOf);
    pick.items = [...notes.map(separatorOf), ...items, ...leftOutItems(leftOut)];
    pick.selectedItems = items.filter(({ row }) => isPickedByDefault(row));
    store.add(pick.onDidTriggerItemButton(({ item }) => void (item.row && openDiff(item.row.path))));
    return await new Promise<string[] | undefined>((resolve) => {
      store.add(
        pick.onDidAccept(() => {
          resolve(pick.selectedItems.flatMap(({ row }) => (row ? [row.path] : [])));
          pick.hide();
        }),
      );
      store.add(pick.onDidHide(() => resolve(undefined)));
      pick.show();
    });
  } finally {
    store.dispose();
  }
}

const icons: Record<NonNullable<RestoreRow['change']>, string> = {
  modified: 'diff-modified',
  created: 'diff-added',
  deleted: 'diff-removed',
};

function itemOf(row: RestoreRow): FileItem & { readonly row: RestoreRow } {
  const folder = path.dirname(vscode.workspace.asRelativePath(row.path));
  const facts = [restoreRowLabel(row), folder === '.' ? '' : folder].filter((fact) => fact !== '');
  return {
    label: toSafeLabel(path.basename(row.path)),
    description: toSafeLabel(facts.join(' · ')),
    iconPath: new vscode.ThemeIcon(row.change === undefined ? 'diff' : icons[row.change]),
    buttons: [diffButton],
    row,
  };
}

function leftOutItems(leftOut: readonly string[]): FileItem[] {
  if (leftOut.length === 0) return [];
  const names = leftOut.slice(0, maxLeftOut).map((name) => showHiddenCharacters(vscode.workspace.asRelativePath(name)));
  const more = leftOut.length > maxLeftOut ? [`${leftOut.length - maxLeftOut} more`] : [];
  return [...names, ...more].map((name) => separatorOf(`Can’t be restored: ${name}`));
}

function separatorOf(label: string): FileItem {
  return { label: toSafeLabel(label), kind: vscode.QuickPickItemKind.Separator };
}

/** Changes a label so that VS Code does not show `$(name)` as an icon. */
function toSafeLabel(text: string): string {
  return showHiddenCharacters(text).replaceAll('$(', '$\u200B(');
}
