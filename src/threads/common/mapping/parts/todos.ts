import type { TodoItem } from '../../../../transcript/common/entries';
import { isRecord, listOf, ownOf, textOf } from '../../model/jsonValues';
import { bareToolName } from '../../model/toolNames';

const statuses: Readonly<Record<string, TodoItem['status']>> = {
  todo: 'pending',
  pending: 'pending',
  'in-progress': 'in_progress',
  in_progress: 'in_progress',
  completed: 'completed',
  done: 'completed',
  cancelled: 'cancelled',
};

/** What is read was written before, and is in the transcript already. */
export function isTodoReading(name: string): boolean {
  return bareToolName(name).toLowerCase() === 'todo_read';
}

/** In words, for a call that reads a list. */
export function todoWords({ status, text }: TodoItem): string {
  return status === 'pending' ? text : `${text} (${statusWords[status]})`;
}

const statusWords = { in_progress: 'in progress', completed: 'done', cancelled: 'cancelled' } as const;

/** The list that a call about todos writes or reads; undefined for other calls, and for one that has no list yet. */
export function todosOf(name: string, input: unknown, result: unknown): TodoItem[] | undefined {
  if (!/^todo/i.test(bareToolName(name))) return undefined;
  // What was written is the list that holds; a reading has it in its result.
  return itemsOf(input) ?? itemsOf(result);
}

function itemsOf(value: unknown): TodoItem[] | undefined {
  const list = isRecord(value) ? (value['todos'] ?? value['content']) : value;
  if (typeof list === 'string') return markdownItems(list);
  if (!Array.isArray(list)) return undefined;
  const items = listOf(list).flatMap((item) => itemOf(item) ?? []);
  return items.length === list.length ? items : undefined;
}

function itemOf(item: unknown): TodoItem | undefined {
  if (typeof item === 'string') return { text: item, status: 'pending' };
  const text = isRecord(item) ? textOf(item['content'] ?? item['text']) : undefined;
  if (!isRecord(item) || text === undefined) return undefined;
  const { priority, status } = item;
  return {
    text,
    status: (typeof status === 'string' ? ownOf(statuses, status) : undefined) ?? 'pending',
    ...(priority === 'high' || priority === 'medium' || priority === 'low' ? { priority } : {}),
  };
}

function markdownItems(text: string): TodoItem[] | undefined {
  const items = text.split('\n').flatMap((line): TodoItem[] => {
    const match = /^\s*(?:[-*+]|\d+[.)])\s+\[([ xX~/-])\]\s+(.+)$/.exec(line);
    if (!match) return [];
    const mark = match[1] ?? ' ';
    const status = /x/i.test(mark) ? 'completed' : mark === ' ' ? 'pending' : 'in_progress';
    return [{ text: match[2] ?? '', status }];
  });
  return items.length > 0 ? items : undefined;
}
