import type { TodoItem } from '../../common/entries';

interface PlanProgress {
  readonly doneCount: number;
  /** The step that is being done, or else the next one. 1-based number and text. Undefined if all are done. */
  readonly current: { readonly number: number; readonly text: string } | undefined;
}

export function planProgress(items: readonly TodoItem[]): PlanProgress {
  const running = items.findIndex(({ status }) => status === 'in_progress');
  const index = running === -1 ? items.findIndex(({ status }) => status === 'pending') : running;
  const item = items[index];
  return {
    doneCount: items.filter(({ status }) => status === 'completed').length,
    current: item && { number: index + 1, text: item.text },
  };
}
