import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import type { NoticeBoard } from '../../../platform/common/noticeBoard';
import type { ChatAlertLevel } from '../../../platform/common/settings';
import type { Chats } from '../chatPorts';
import type { ApprovalWatch } from './approvalWatch';
import type { ShownChats } from './shownChats';
import { unseenEvents, type KnownConversations, type UnseenEvent } from './unseenEvents';

interface ChatNoticesDeps {
  readonly approvals: Pick<ApprovalWatch, 'pendingApprovals' | 'questionOf' | 'onDidChange'>;
  readonly chats: Pick<Chats, 'rows'>;
  readonly shownChats: ShownChats;
  readonly settings: { chatNotifications(): ChatAlertLevel; chatSound(): ChatAlertLevel };
  readonly setWaiting: (isWaiting: boolean) => void;
  readonly notices: Pick<NoticeBoard, 'show'>;
  /** Shows the conversation, and its approval if it still waits. */
  readonly show: (sessionId: string) => Promise<void>;
  readonly playSound: () => void;
}

const maxPromptUnits = 160;

/** Tells the user by messages and sounds what happens in conversations that are not in view. */
export class ChatNotices implements Disposable {
  private readonly disposables = new DisposableStore();
  private known: KnownConversations = new Map();
  private isAnyApprovalPending = false;

  constructor(private readonly deps: ChatNoticesDeps) {}

  start(): void {
    this.disposables.add(this.deps.approvals.onDidChange(() => this.update()));
    this.update();
  }

  /** Must also be called when conversations or pages have changed, and when the window gets or loses the focus. */
  update(): void {
    const { approvals, chats, playSound, settings, shownChats } = this.deps;
    this.setWaiting(approvals.pendingApprovals.length > 0);
    const { known, events } = unseenEvents(this.known, {
      rows: chats.rows,
      questionKey: (id) => approvals.questionOf(id)?.key,
      isShown: (id) => shownChats.has(id),
      isWindowFocused: shownChats.isWindowFocused,
    });
    this.known = known;
    const includes = (level: ChatAlertLevel) => (event: UnseenEvent) => level === 'all' || level === event.kind;
    for (const event of events.filter(includes(settings.chatNotifications()))) this.tell(event);
    if (events.some(includes(settings.chatSound()))) playSound();
  }

  dispose(): void {
    this.disposables.dispose();
    this.setWaiting(false);
  }

  private setWaiting(isWaiting: boolean): void {
    if (isWaiting === this.isAnyApprovalPending) return;
    this.isAnyApprovalPending = isWaiting;
    this.deps.setWaiting(isWaiting);
  }

  private tell(event: UnseenEvent): void {
    const { notices, show, shownChats } = this.deps;
    const { id } = event.row;
    notices.show({
      level: 'info',
      text: this.textOf(event),
      actions: [{ label: 'Show', run: () => show(id) }],
      isCurrent: () => this.known.get(id)?.key === event.key && !(shownChats.has(id) && shownChats.isWindowFocused),
    });
  }

  private textOf({ kind, row: { backendTitle, id, title } }: UnseenEvent): string {
    switch (kind) {
      case 'failed':
        return `“${title}” failed.`;
      case 'done':
        return `“${title}” is done.`;
      case 'needsInput': {
        const { prompt } = this.deps.approvals.questionOf(id) ?? {};
        if (prompt === undefined) return `“${title}” needs your input.`;
        const text = prompt.length > maxPromptUnits ? `${prompt.slice(0, maxPromptUnits)}…` : prompt;
        // There is no button to allow it, because the user cannot read the whole request in a notification.
        return text.startsWith(`${backendTitle} wants to `) ? text : `Request from ${backendTitle}: ${text}`;
      }
    }
  }
}
