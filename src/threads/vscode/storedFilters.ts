import * as vscode from 'vscode';
import type { Memento } from '../../base/common/memento';
import { describeFilters, parseStoredFilters, type ThreadFilters } from '../common/tree/threadFilters';

const storageKey = 'threads.filters';

export function loadFilters(memento: Memento): ThreadFilters {
  return parseStoredFilters(memento.get(storageKey));
}

export async function storeFilters(memento: Memento, filters: ThreadFilters): Promise<void> {
  await memento.update(storageKey, filters);
}

/** Sets the context keys for menus and the Command Palette. */
export function setFilterContextKeys(filters: ThreadFilters): void {
  const keys = { scope: filters.scope, groupBy: filters.groupBy, isFiltered: describeFilters(filters).length > 0 };
  for (const [name, value] of Object.entries(keys)) {
    void vscode.commands.executeCommand('setContext', `backline.threads.${name}`, value);
  }
}
