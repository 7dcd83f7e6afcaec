import type { Clock } from '../../../base/common/async';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import type { NoticeBoard } from '../../../platform/common/noticeBoard';
import type { ChatAlertLevel } from '../../../platform/common/settings';
import type { Chats } from '../chatPorts';
import type { ApprovalWatch } from './approvalWatch';
import type { ShownChats } from './shownChats';
import { unseenEvents, type KnownConversations, type UnseenEvent } from './unseenEvents';

interface ChatNoticesDeps {
  readonly approvals: Pick<ApprovalWatch, 'pendingApprovals' | 'questionOf' | 'onDidChange'>;
  readonly chats: Pick<Chats, 'rows' | 'claimNotice'>;
  readonly shownChats: ShownChats;
  readonly settings: {
    chatNotifications(): ChatAlertLevel;
    chatSystemNotifications(): ChatAlertLevel;
    chatSound(): ChatAlertLevel;
  };
  readonly setWaiting: (isWaiting: boolean) => void;
  readonly notices: Pick<NoticeBoard, 'show'>;
  /** Shows the conversation, and its approval if it still waits. */
  readonly show: (sessionId: string) => Promise<void>;
  /** Shows a notification of the operating system. Others can read it, also while the screen is locked. */
  readonly notifySystem: (text: string) => void;
  readonly playSound: () => void;
  readonly clock: Pick<Clock, 'now' | 'setTimer'>;
}

const maxPromptUnits = 160;
const oneWords = { needsInput: 'needs your input', failed: 'failed', done: 'is done' } as const;
const severalWords = { needsInput: 'need your input', failed: 'failed', done: 'are done' } as const;

/** Tells the user by messages and sounds what happens in conversations that are not in view. */
export class ChatNotices implements Disposable {
  private readonly disposables = new DisposableStore();
  private known: KnownConversations = new Map();
  private isAnyApprovalPending = false;
  private timer: Disposable | undefined;

  constructor(private readonly deps: ChatNoticesDeps) {}

  start(): void {
    this.disposables.add(this.deps.approvals.onDidChange(() => this.update()));
    this.update();
  }

  /** Must also be called when conversations or pages have changed, and when the window gets or loses the focus. */
  update(): void {
    const { approvals, chats, clock, shownChats } = this.deps;
    this.setWaiting(approvals.pendingApprovals.length > 0);
    this.timer?.dispose();
    const now = clock.now();
    const { known, events, nextAt } = unseenEvents(this.known, {
      now,
      rows: chats.rows,
      questionKey: (id) => approvals.questionOf(id)?.key,
      isShown: (id) => shownChats.has(id),
      isWindowFocused: shownChats.isWindowFocused,
    });
    this.known = known;
    if (nextAt !== undefined) this.timer = clock.setTimer(nextAt - now, () => this.update());
    if (events.length > 0) void this.claimAndTell(events);
  }

  /** Tells what no other window has told, several of a kind together. Never rejects. */
  private async claimAndTell(events: readonly UnseenEvent[]): Promise<void> {
    const { chats, playSound, settings } = this.deps;
    const claims = await Promise.all(events.map(({ id }) => chats.claimNotice(id)));
    const due = events.filter((event, index) => claims[index] && !event.isSilent && this.isCurrent(event));
    const includes = (level: ChatAlertLevel) => (event: UnseenEvent) => level === 'all' || level === event.kind;
    const told = Map.groupBy(due.filter(includes(settings.chatNotifications())), ({ kind }) => kind);
    for (const ofKind of told.values()) this.tell(ofKind);
    if (!this.deps.shownChats.isWindowFocused)
      this.tellSystem(due.filter(includes(settings.chatSystemNotifications())));
    if (due.some(includes(settings.chatSound()))) playSound();
  }

  private isCurrent({ key, row: { id } }: UnseenEvent): boolean {
    const { shownChats } = this.deps;
    return this.known.get(id)?.key === key && !(shownChats.has(id) && shownChats.isWindowFocused);
  }

  dispose(): void {
    this.disposables.dispose();
    this.timer?.dispose();
    this.setWaiting(false);
  }

  private setWaiting(isWaiting: boolean): void {
    if (isWaiting === this.isAnyApprovalPending) return;
    this.isAnyApprovalPending = isWaiting;
    this.deps.setWaiting(isWaiting);
  }

  private tell(events: readonly UnseenEvent[]): void {
    const [first, ...others] = events;
    if (!first) return;
    const { notices, show } = this.deps;
    notices.show({
      level: 'info',
      text: others.length === 0 ? this.textOf(first) : titlesOf(first, others),
      actions: [{ label: 'Show', run: () => show((events.find((one) => this.isCurrent(one)) ?? first).row.id) }],
      isCurrent: () => events.some((one) => this.isCurrent(one)),
    });
  }

  private tellSystem(events: readonly UnseenEvent[]): void {
    for (const [first, ...others] of Map.groupBy(events, ({ kind }) => kind).values())
      if (first) this.deps.notifySystem(titlesOf(first, others));
  }

  private textOf(event: UnseenEvent): string {
    const { backendTitle, id, isInOtherWindow, need } = event.row;
    const { prompt = isInOtherWindow ? need?.text : undefined } = this.deps.approvals.questionOf(id) ?? {};
    if (event.kind !== 'needsInput' || prompt === undefined) return titlesOf(event, []);
    const text = prompt.length > maxPromptUnits ? `${prompt.slice(0, maxPromptUnits)}…` : prompt;
    // There is no button to allow it, because the user cannot read the whole request in a notification.
    return text.startsWith(`${backendTitle} wants to `) ? text : `Request from ${backendTitle}: ${text}`;
  }
}

/** Says no more of events of the same kind than a title. */
function titlesOf({ kind, row: { title } }: UnseenEvent, others: readonly UnseenEvent[]): string {
  const count = others.length + 1;
  return count === 1 ? `“${title}” ${oneWords[kind]}.` : `${count} conversations ${severalWords[kind]}.`;
}
