import type { TodoItem } from '../../../../transcript/common/entries';
import { isRecord, asList, ownValue, asNonEmptyText } from '../../model/jsonValues';
import { bareToolName } from '../../model/toolNames';

const statusByName: Readonly<Record<string, TodoItem['status']>> = {
  todo: 'pending',
  pending: 'pending',
  'in-progress': 'in_progress',
  in_progress: 'in_progress',
  completed: 'completed',
  done: 'completed',
  cancelled: 'cancelled',
};

/** Whether the tool reads the todos. Such a call shows no list: the transcript has the last write. */
export function isTodoReadTool(name: string): boolean {
  return bareToolName(name).toLowerCase() === 'todo_read';
}

export function todoText({ status, text }: TodoItem): string {
  return status === 'pending' ? text : `${text} (${statusTexts[status]})`;
}

const statusTexts = { in_progress: 'in progress', completed: 'done', cancelled: 'canceled' } as const;

/** Returns the list that a call writes or reads. Undefined for other calls, and for a call without a list. */
export function todosOf(name: string, input: unknown, result: unknown): TodoItem[] | undefined {
  if (!/^todo/i.test(bareToolName(name))) return undefined;
  // A write has the list in its input, and a read has it in its result.
  return itemsOf(input) ?? itemsOf(result);
}

function itemsOf(value: unknown): TodoItem[] | undefined {
  const list = isRecord(value) ? (value['todos'] ?? value['content']) : value;
  if (typeof list === 'string') return markdownItems(list);
  if (!Array.isArray(list)) return undefined;
  const items = asList(list).flatMap((item) => itemOf(item) ?? []);
  return items.length === list.length ? items : undefined;
}

function itemOf(item: unknown): TodoItem | undefined {
  if (typeof item === 'string') return { text: item, status: 'pending' };
  const text = isRecord(item) ? asNonEmptyText(item['content'] ?? item['text']) : undefined;
  if (!isRecord(item) || text === undefined) return undefined;
  const { priority, status } = item;
  return {
    text,
    status: (typeof status === 'string' ? ownValue(statusByName, status) : undefined) ?? 'pending',
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
