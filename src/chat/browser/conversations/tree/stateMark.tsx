import type { ComponentChild } from 'preact';
import type { ConversationRow } from '../../../common/chatView';

type State = ConversationRow['state'];

/** How a state is drawn: each has a shape of its own, so that nobody needs to tell colors apart. */
const marks: Record<State, ComponentChild> = {
  waiting: (
    <>
      <circle cx="8" cy="8" r="6" fill="currentColor" />
      <path d="M8 4.75v4M8 11v.1" class="mark-cut" />
    </>
  ),
  busy: <circle cx="8" cy="8" r="5" class="mark-line mark-ring" />,
  unread: <circle cx="8" cy="8" r="4" fill="currentColor" />,
  failed: <path d="M4 4l8 8M12 4l-8 8" class="mark-line" />,
  interrupted: <path d="M6 4v8M10 4v8" class="mark-line" />,
  idle: <circle cx="8" cy="8" r="2.5" class="mark-line mark-idle" />,
};

export const stateWords: Record<State, string> = {
  waiting: 'Needs your input',
  busy: 'Working',
  unread: 'Done, not seen',
  failed: 'Failed',
  interrupted: 'Interrupted',
  idle: 'Idle',
};

export function StateMark({ state }: { state: State }) {
  return (
    <span class={`mark is-${state}`} title={stateWords[state]}>
      <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
        {marks[state]}
      </svg>
      <span class="visually-hidden">{`${stateWords[state]}: `}</span>
    </span>
  );
}
