import * as vscode from 'vscode';
import type { ThreadHead } from '../common/threadPorts';
import { sourceLabels, type ThreadFilters } from '../common/tree/threadFilters';

interface FilterItem extends vscode.QuickPickItem {
  readonly changes?: Partial<ThreadFilters>;
}

/** Lets the user change the filters. Undefined if the user cancels. */
export async function pickFilters(
  filters: ThreadFilters,
  heads: readonly ThreadHead[],
): Promise<Partial<ThreadFilters> | undefined> {
  const modes = [...new Set(heads.flatMap(({ mode }) => mode ?? []))].sort();
  const sources = [...new Set(heads.map(({ source }) => source))];
  const items: FilterItem[] = [
    separator('Show'),
    toggle('Archived threads', filters.showArchived, { showArchived: !filters.showArchived }),
    toggle('Only threads with changed files', filters.onlyChanges, { onlyChanges: !filters.onlyChanges }),
    separator('Mode'),
    toggle('Any mode', filters.mode === undefined, { mode: undefined }),
    ...modes.map((mode) => toggle(mode, filters.mode === mode, { mode })),
    separator('Source'),
    toggle('All sources', filters.source === undefined, { source: undefined }),
    ...sources.map((source) => toggle(capitalize(sourceLabels[source]), filters.source === source, { source })),
    separator('Folders'),
    toggle('This workspace first', filters.scope === 'workspace', { scope: 'workspace' }),
    toggle('All folders', filters.scope === 'all', { scope: 'all' }),
    separator('Group by'),
    toggle('Day', filters.groupBy === 'day', { groupBy: 'day' }),
    toggle('Folder', filters.groupBy === 'folder', { groupBy: 'folder' }),
  ];
  const picked = await vscode.window.showQuickPick(items, {
    title: 'Filter Amp Threads',
    placeHolder: 'Select filters',
  });
  return picked?.changes;
}

function toggle(label: string, isOn: boolean, changes: Partial<ThreadFilters>): FilterItem {
  return { label, ...(isOn ? { iconPath: new vscode.ThemeIcon('check'), description: 'on' } : {}), changes };
}

function separator(label: string): FilterItem {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
