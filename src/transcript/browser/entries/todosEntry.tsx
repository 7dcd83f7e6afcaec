import type { EntryOf, TodoItem } from '../../common/entries';
import { planProgress } from './planProgress';
import { todoIcons } from './entryIcons';
import { Disclosure } from '../parts/disclosure';
import { UntrustedText } from '../parts/untrustedText';

const statusLabels: Record<TodoItem['status'], string> = {
  pending: 'to do',
  in_progress: 'in progress',
  completed: 'done',
  cancelled: 'canceled',
};

/** Shows the agent's plan as one line, with its steps on request. */
export function TodosEntry({ entry: { items } }: { entry: EntryOf<'todos'> }) {
  return (
    <Disclosure
      class="todos"
      summary={
        <>
          <span>Plan</span>
          <span class="quiet">{`${planProgress(items).doneCount} of ${items.length} done`}</span>
        </>
      }
    >
      <PlanSteps items={items} />
    </Disclosure>
  );
}

export function PlanSteps({ items }: { items: readonly TodoItem[] }) {
  return (
    <ul class="plan-steps">
      {items.map((item, index) => (
        <PlanStep key={index} {...item} />
      ))}
    </ul>
  );
}

function PlanStep({ text, status, priority }: TodoItem) {
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
