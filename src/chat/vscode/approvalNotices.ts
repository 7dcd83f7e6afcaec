import { countOf } from '../../base/common/countOf';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import type { Messages } from '../../platform/vscode/messages';
import type { ApprovalWatch, WaitingApproval } from '../common/page/approvalWatch';
import type { ShownChats } from '../common/page/shownChats';

interface ApprovalNoticesOptions {
  readonly approvals: ApprovalWatch;
  readonly shown: ShownChats;
  readonly setBadge: (value: number, tooltip: string) => void;
  readonly setWaiting: (isWaiting: boolean) => void;
  readonly messages: Pick<Messages, 'info'>;
  readonly show: (approval: WaitingApproval) => Promise<void>;
}

const maxPrompt = 160;

/** Reports pending approvals that no visible page shows: a badge on the view, and one message for each. */
export class ApprovalNotices implements Disposable {
  private readonly store = new DisposableStore();
  private readonly told = new Set<string>();
  private isWaiting = false;

  constructor(private readonly options: ApprovalNoticesOptions) {}

  start(): void {
    this.store.add(this.options.approvals.onDidChange(() => this.look()));
    this.look();
  }

  /** Also called when a page is shown or hidden. */
  look(): void {
    const { waiting } = this.options.approvals;
    const keys = new Set(waiting.map(({ key }) => key));
    for (const key of this.told) if (!keys.has(key)) this.told.delete(key);
    this.options.setBadge(waiting.length, countOf(waiting.length, 'pending approval'));
    this.tellWaiting(waiting.length > 0);
    for (const approval of waiting) this.tell(approval);
  }

  dispose(): void {
    this.store.dispose();
    this.told.clear();
    this.tellWaiting(false);
  }

  private tellWaiting(isWaiting: boolean): void {
    if (isWaiting === this.isWaiting) return;
    this.isWaiting = isWaiting;
    this.options.setWaiting(isWaiting);
  }

  private tell(approval: WaitingApproval): void {
    const { shown, messages, show } = this.options;
    const { key, chat, prompt } = approval;
    // A shown approval may be hidden later without an answer; it is reported then.
    if (this.told.has(key) || shown.has(chat.id)) return;
    this.told.add(key);
    const text = prompt.length > maxPrompt ? `${prompt.slice(0, maxPrompt)}…` : prompt;
    // No button allows it here, where the user cannot read it in full.
    messages.info(`${chat.view.backendTitle} asks: ${text}`, { label: 'Show', run: () => show(approval) });
  }
}
