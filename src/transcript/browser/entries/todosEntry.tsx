import type { EntryOf, TodoItem } from '../../common/entries';
import { todoIcons } from './entryIcons';
import { UntrustedText } from '../parts/untrustedText';

const statusLabels: Record<TodoItem['status'], string> = {
  pending: 'to do',
  in_progress: 'in progress',
  completed: 'done',
  cancelled: 'canceled',
};

/** Shows the agent's plan as a checklist. */
export function TodosEntry({ entry: { items } }: { entry: EntryOf<'todos'> }) {
  const done = items.filter(({ status }) => status === 'completed').length;
  return (
    <div class="todos" role="group" aria-label="Plan">
      <div class="todos-head">
        <span>Plan</span>
        <span class="quiet">{`${done} of ${items.length} done`}</span>
      </div>
      <ul>
        {items.map((item, index) => (
          <TodoRow key={index} {...item} />
        ))}
      </ul>
    </div>
  );
}

function TodoRow({ text, status, priority }: TodoItem) {
  const Picture = todoIcons[status];
  return (
    <li class={`todo todo-${status}`}>
      <Picture />
      <span class="visually-hidden">{`${statusLabels[status]}: `}</span>
      <span class="todo-text" dir="auto">
        <UntrustedText text={text} />
      </span>
      {priority === 'high' && <span class="quiet">high priority</span>}
    </li>
  );
}
