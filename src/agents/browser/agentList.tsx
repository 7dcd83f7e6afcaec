import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { groupTitles, type CardGroup } from '../common/page/agentSearch';
import { AgentCardRow } from './agentCard';
import type { AgentsPage } from './agentsPage';

interface AgentListProps {
  readonly page: AgentsPage;
  readonly groups: readonly CardGroup[];
  /** Called when the focus moves up from the first card. */
  readonly onLeave: () => void;
}

/** The cards by group. One card is in the tab order, and the arrow keys move between cards. */
export function AgentList({ page, groups, onLeave }: AgentListProps) {
  const list = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState<string>();
  const keys = groups.flatMap(({ cards }) => cards.map(({ key }) => key));
  const current = active !== undefined && keys.includes(active) ? active : keys[0];

  const focused = useRef<HTMLElement | undefined>(undefined);
  // A card that moves to another group is rendered again and keeps the focus.
  useLayoutEffect(() => {
    if (!focused.current || focused.current.isConnected) return;
    focused.current = undefined;
    if (document.activeElement === document.body) focusCard(keys.indexOf(active ?? ''));
  });

  const focusCard = (index: number): void => {
    const key = keys[index];
    const row = [...(list.current?.querySelectorAll<HTMLElement>('.agent') ?? [])].find(
      ({ dataset }) => dataset['key'] === key,
    );
    row?.focus();
    row?.scrollIntoView({ block: 'nearest' });
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    const { target } = event;
    if (!(target instanceof HTMLElement) || !target.classList.contains('agent')) return;
    const index = keys.indexOf(target.dataset['key'] ?? '');
    if (event.key === 'Escape' || (event.key === 'ArrowUp' && index === 0)) onLeave();
    else if (event.key === 'ArrowDown') focusCard(Math.min(index + 1, keys.length - 1));
    else if (event.key === 'ArrowUp') focusCard(index - 1);
    else if (event.key === 'Home') focusCard(0);
    else if (event.key === 'End') focusCard(keys.length - 1);
    else return;
    event.preventDefault();
  };

  return (
    <div
      ref={list}
      class="agent-groups"
      onKeyDown={onKeyDown}
      onFocusCapture={({ target }) => {
        focused.current = target instanceof HTMLElement ? target : undefined;
      }}
      onBlurCapture={({ relatedTarget }) => {
        if (relatedTarget) focused.current = undefined;
      }}
    >
      {groups.map(({ cards, group }) => (
        <section key={group} aria-labelledby={`group-${group}`}>
          <h2 id={`group-${group}`}>
            {groupTitles[group]} <span class="agents-count">{cards.length}</span>
          </h2>
          <ul>
            {cards.map((card) => (
              <AgentCardRow
                key={card.key}
                card={card}
                page={page}
                isActive={card.key === current}
                onFocus={() => setActive(card.key)}
              />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
