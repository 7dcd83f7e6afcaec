import * as vscode from 'vscode';
import type { Memento } from '../../base/common/memento';
import { filterWords, parseFilters, type ThreadFilters } from '../common/tree/threadFilters';

const filtersName = 'threads.filters';

export function keptFilters(memento: Memento): ThreadFilters {
  return parseFilters(memento.get(filtersName));
}

export async function keepFilters(memento: Memento, filters: ThreadFilters): Promise<void> {
  await memento.update(filtersName, filters);
}

/** Which commands menus and the palette offer goes by these. */
export function showFilterKeys(filters: ThreadFilters): void {
  const keys = { scope: filters.scope, groupBy: filters.groupBy, isFiltered: filterWords(filters).length > 0 };
  for (const [name, value] of Object.entries(keys)) {
    void vscode.commands.executeCommand('setContext', `backline.threads.${name}`, value);
  }
}
