import { countWithNoun } from '../../../base/common/countWithNoun';
import type { FeatureStatus, StatusAction } from '../../../base/common/feature';
import type { BackendView, ConversationRow } from '../chatView';

interface ChatStatusInput {
  readonly isTrusted: boolean;
  readonly chosen: BackendView | undefined;
  readonly isPreferredMissing: boolean;
  readonly rows: readonly ConversationRow[];
  readonly waiting: number;
}

export interface ChatStatusActions {
  readonly open: StatusAction;
  readonly pickBackend: StatusAction;
  readonly showApproval: StatusAction;
  readonly openSettings: StatusAction;
  readonly manageTrust: StatusAction;
}

/** Returns the chat's entry in the status list. Problems that need the user come first. */
export function chatStatus(
  { isTrusted, chosen, isPreferredMissing, rows, waiting }: ChatStatusInput,
  actions: ChatStatusActions,
): Pick<FeatureStatus, 'state' | 'summary' | 'actions'> {
  if (!isTrusted) {
    const summary = 'Agents don’t start in an untrusted workspace. You can still read conversations.';
    return { state: 'off', summary, actions: [actions.manageTrust, actions.open] };
  }
  if (waiting > 0) {
    const summary = `${countWithNoun(waiting, 'approval is', 'approvals are')} waiting for you.`;
    return { state: 'ready', summary, actions: [actions.showApproval, actions.open] };
  }
  if (isPreferredMissing) {
    const summary = 'The setting backline.chat.backend names an agent that doesn’t exist. Choose another one.';
    return { state: 'attention', summary, actions: [actions.pickBackend, actions.openSettings] };
  }
  return {
    state: 'ready',
    summary: [backendSentence(chosen), ...activitySentences(rows)].join(' '),
    actions: [actions.open, actions.pickBackend],
  };
}

function backendSentence(chosen: BackendView | undefined): string {
  return chosen ? `New conversations use ${chosen.title}.` : 'No agent selected.';
}

function activitySentences(rows: readonly ConversationRow[]): string[] {
  const count = (state: ConversationRow['state']): number => rows.filter((row) => row.state === state).length;
  const [busy, unread] = [count('busy'), count('unread')];
  return [
    ...(busy > 0 ? [`${countWithNoun(busy, 'answer')} in progress.`] : []),
    ...(unread > 0 ? [`${countWithNoun(unread, 'unread answer')}.`] : []),
  ];
}
