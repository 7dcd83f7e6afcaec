import { Emitter } from '../../../base/common/event';
import type { Notice } from '../../../platform/common/noticeBoard';
import type { NoticeView } from '../chatView';

/** Notices that the chat shows above the composer until the user answers or dismisses them. */
export class PageNotices {
  private readonly emitter = new Emitter<void>((error) => this.onError(error));
  readonly onDidChange = this.emitter.event;
  private readonly notices = new Map<string, Notice>();
  private lastId = 0;

  constructor(private readonly onError: (error: unknown) => void) {}

  get views(): readonly NoticeView[] {
    return [...this.notices].map(([id, { actions, level, text }]) => ({
      id,
      level,
      text,
      actions: actions.map(({ label }) => label),
    }));
  }

  /** A notice that says the same as an earlier one replaces it. Returns true. */
  add(notice: Notice): true {
    for (const [id, { text }] of this.notices) if (text === notice.text) this.notices.delete(id);
    this.notices.set(`${++this.lastId}`, notice);
    this.emitter.fire();
    return true;
  }

  /** Removes the notice, and runs one of its actions if the user has chosen one. */
  async answer(id: string, label?: string): Promise<void> {
    const notice = this.notices.get(id);
    if (!notice) return;
    this.notices.delete(id);
    this.emitter.fire();
    await notice.actions.find((action) => action.label === label)?.run();
  }

  dispose(): void {
    this.emitter.dispose();
  }
}
