import { countWithNoun } from '../../../base/common/text/countWithNoun';
import { Emitter } from '../../../base/common/event';
import type { Notice } from '../../../platform/common/noticeBoard';
import type { NoticeView } from '../chatView';

/** At most this many notices are shown. A line above them stands for the older ones. */
const maxShown = 3;
const olderId = 'older';
const showAll = 'Show All';

/** Notices that the chat shows above the composer until the user answers or dismisses them, or until they are out of date. */
export class PageNotices {
  private readonly emitter = new Emitter<void>((error) => this.onError(error));
  readonly onDidChange = this.emitter.event;
  /** Oldest first. */
  private readonly notices = new Map<string, Notice>();
  private lastId = 0;
  private isExpanded = false;

  constructor(private readonly onError: (error: unknown) => void) {}

  get views(): readonly NoticeView[] {
    const { olderIds } = this;
    const views = [...this.notices].map(([id, { actions, level, text }]) => ({
      id,
      level,
      text,
      actions: actions.map(({ label }) => label),
    }));
    if (olderIds.length === 0) return views;
    const text = `There ${olderIds.length === 1 ? 'is' : 'are'} ${countWithNoun(olderIds.length, 'older notice')}.`;
    return [{ id: olderId, level: 'info', text, actions: [showAll] }, ...views.slice(olderIds.length)];
  }

  /** A notice that says the same as an earlier one replaces it. Returns true. */
  add(notice: Notice): true {
    this.remove((earlier) => earlier.text === notice.text || !isCurrent(earlier));
    this.notices.set(`${++this.lastId}`, notice);
    this.emitter.fire();
    return true;
  }

  /**
   * Removes what is out of date. If no page of the chat is visible, also removes what the user can answer and passes it to
   * `passOn`, because they may not come back.
   */
  update(isAnyPageVisible: boolean, passOn: (notice: Notice) => void): void {
    const removed = this.remove((notice) => !isCurrent(notice));
    const unanswered = isAnyPageVisible ? [] : this.remove(({ actions }) => actions.length > 0);
    if (removed.length + unanswered.length > 0) this.emitter.fire();
    for (const notice of unanswered) passOn(notice);
  }

  /** Removes the notice, and runs one of its actions if the user has chosen one. */
  async answer(id: string, label?: string): Promise<void> {
    if (id === olderId) {
      this.answerOlder(label);
      return;
    }
    const notice = this.notices.get(id);
    if (!notice) return;
    this.delete(id);
    this.emitter.fire();
    await notice.actions.find((action) => action.label === label)?.run();
  }

  dispose(): void {
    this.emitter.dispose();
  }

  private get olderIds(): readonly string[] {
    return this.isExpanded ? [] : [...this.notices.keys()].slice(0, -maxShown);
  }

  private answerOlder(label: string | undefined): void {
    if (label === showAll) this.isExpanded = true;
    else for (const id of this.olderIds) this.delete(id);
    this.emitter.fire();
  }

  private remove(isMeant: (notice: Notice) => boolean): readonly Notice[] {
    const meant = [...this.notices].filter(([, notice]) => isMeant(notice));
    for (const [id] of meant) this.delete(id);
    return meant.map(([, notice]) => notice);
  }

  private delete(id: string): void {
    this.notices.delete(id);
    if (this.notices.size <= maxShown) this.isExpanded = false;
  }
}

function isCurrent(notice: Notice): boolean {
  return notice.isCurrent?.() !== false;
}
