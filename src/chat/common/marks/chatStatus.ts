import type { FeatureStatus, StatusAction } from '../../../base/common/feature';
import { commandIds, settingIds } from '../../../manifest';
import { manageTrustAction, openSettingsAction } from '../../../platform/common/statusActions';
import type { BackendView } from '../chatView';
import type { ChatMarks } from './chatMarks';

interface ChatStatusInput {
  readonly isTrusted: boolean;
  readonly chosen: BackendView | undefined;
  readonly isPreferredMissing: boolean;
  readonly marks: ChatMarks;
}

interface ChatStatusActions {
  readonly open: StatusAction;
  readonly pickBackend: StatusAction;
  readonly showNext: StatusAction;
  readonly openSettings: StatusAction;
  readonly manageTrust: StatusAction;
}

export const chatStatusActions: ChatStatusActions = {
  open: { label: 'Open Chat', command: commandIds.chatOpen },
  pickBackend: { label: 'Choose Agent', command: commandIds.chatPickBackend },
  showNext: { label: 'Show Next Conversation That Needs Attention', command: commandIds.conversationsNextNeedsInput },
  openSettings: openSettingsAction(settingIds.chatBackend),
  manageTrust: manageTrustAction,
};

/** Returns the chat's entry in the status list. Problems that need the user come first. */
export function chatStatus(
  { isTrusted, chosen, isPreferredMissing, marks }: ChatStatusInput,
  actions: ChatStatusActions,
): Pick<FeatureStatus, 'state' | 'summary' | 'actions' | 'highlight'> {
  if (!isTrusted) {
    const summary = 'Agents don’t start in an untrusted workspace. You can still read conversations.';
    return { state: 'off', summary, actions: [actions.manageTrust, actions.open] };
  }
  const { calling, statusBar: highlight } = marks;
  const marked = highlight && { highlight, summary: sentencesOf(highlight.lines) };
  if (marked?.highlight.isUrgent === true) {
    return { state: 'ready', ...marked, actions: [actions.open, actions.showNext] };
  }
  if (isPreferredMissing) {
    const summary = 'The setting backline.chat.backend names an agent that doesn’t exist. Choose another one.';
    return { state: 'attention', summary, actions: [actions.pickBackend, actions.openSettings] };
  }
  return {
    state: 'ready',
    summary: backendSentence(chosen),
    ...marked,
    actions: [actions.open, ...(calling.length === 0 ? [] : [actions.showNext]), actions.pickBackend],
  };
}

function backendSentence(chosen: BackendView | undefined): string {
  return chosen ? `New conversations use ${chosen.title}.` : 'No agent selected.';
}

function sentencesOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}.`).join(' ');
}
