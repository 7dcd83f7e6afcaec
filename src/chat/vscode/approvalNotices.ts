import { countWithNoun } from '../../base/common/countWithNoun';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import type { Messages } from '../../platform/vscode/messages';
import type { ApprovalWatch, WaitingApproval } from '../common/page/approvalWatch';
import type { ShownChats } from '../common/page/shownChats';

interface ApprovalNoticesDeps {
  readonly approvals: ApprovalWatch;
  readonly shownChats: ShownChats;
  readonly setBadge: (value: number, tooltip: string) => void;
  readonly setWaiting: (isWaiting: boolean) => void;
  readonly messages: Pick<Messages, 'info'>;
  readonly showApproval: (approval: WaitingApproval) => Promise<void>;
}

const maxPromptUnits = 160;

/** Reports pending approvals that no visible page shows: by a badge on the view, and one message for each. */
export class ApprovalNotices implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly notifiedKeys = new Set<string>();
  private isAnyApprovalPending = false;

  constructor(private readonly deps: ApprovalNoticesDeps) {}

  start(): void {
    this.disposables.add(this.deps.approvals.onDidChange(() => this.update()));
    this.update();
  }

  /** Must also be called when a page is shown or hidden. */
  update(): void {
    const { pendingApprovals: waiting } = this.deps.approvals;
    const keys = new Set(waiting.map(({ key }) => key));
    for (const key of this.notifiedKeys) if (!keys.has(key)) this.notifiedKeys.delete(key);
    this.deps.setBadge(waiting.length, countWithNoun(waiting.length, 'pending approval'));
    this.setWaiting(waiting.length > 0);
    for (const approval of waiting) this.notify(approval);
  }

  dispose(): void {
    this.disposables.dispose();
    this.notifiedKeys.clear();
    this.setWaiting(false);
  }

  private setWaiting(isWaiting: boolean): void {
    if (isWaiting === this.isAnyApprovalPending) return;
    this.isAnyApprovalPending = isWaiting;
    this.deps.setWaiting(isWaiting);
  }

  private notify(approval: WaitingApproval): void {
    const { shownChats, messages, showApproval } = this.deps;
    const { key, chat, prompt } = approval;
    // A visible approval may be hidden later without an answer. Then it is reported.
    if (this.notifiedKeys.has(key) || shownChats.has(chat.id)) return;
    this.notifiedKeys.add(key);
    const text = prompt.length > maxPromptUnits ? `${prompt.slice(0, maxPromptUnits)}…` : prompt;
    // There is no button to allow it, because the user cannot read the whole request in a notification.
    const { backendTitle } = chat.view;
    const message = text.startsWith(`${backendTitle} wants to `) ? text : `Request from ${backendTitle}: ${text}`;
    messages.info(message, { label: 'Show', run: () => showApproval(approval) });
  }
}
