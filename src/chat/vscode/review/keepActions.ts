import { countWithNoun } from '../../../base/common/text/countWithNoun';
import type { ReviewProgress } from '../../../changes/common/review/reviewedMarks';
import type { Chat } from '../../common/chatPorts';
import type { Dialogs } from '../dialogs';
import type { ShownFile } from './undoActions';

const keepAll = 'Keep All';
const review = 'Review';

interface KeepActionsDeps {
  readonly reviewed: Pick<ReviewProgress, 'count' | 'forget'>;
  readonly dialogs: Pick<Dialogs, 'choose'>;
  /** Shows progress if the work takes long. Resolves to undefined if the user cancels. */
  readonly wait: <T>(title: string, work: Promise<T>) => Promise<T | undefined>;
  readonly showNextUnreviewed: () => PromiseLike<unknown>;
}

/** Keeps changes of conversations. */
export class KeepActions {
  constructor(private readonly deps: KeepActionsDeps) {}

  async keepFile(chat: Chat, { path, renamedFrom }: ShownFile): Promise<void> {
    await chat.keepChanges(path);
    if (renamedFrom !== undefined) await chat.keepChanges(renamedFrom);
    await this.deps.reviewed.forget(renamedFrom === undefined ? [path] : [path, renamedFrom]);
  }

  /** Keeps all changes of these conversations. Asks if the user has not reviewed some of them. */
  async keepAll(chats: readonly Chat[]): Promise<void> {
    const { dialogs, reviewed, showNextUnreviewed, wait } = this.deps;
    const paths = [...new Set(chats.flatMap(({ fileChanges }) => fileChanges.list.map(({ path }) => path)))];
    const counts = await wait('Counting the changes that are not reviewed', reviewed.count(paths));
    if (!counts) return;
    const left = counts.total - counts.reviewed;
    if (left > 0) {
      const message = `${countWithNoun(left, 'change')} ${left === 1 ? 'is' : 'are'} not reviewed. Keep all?`;
      const answer = await dialogs.choose({ message, actions: [keepAll, review] });
      if (answer === review) await showNextUnreviewed();
      if (answer !== keepAll) return;
    }
    for (const chat of chats) await chat.keepChanges();
    await reviewed.forget(paths);
  }
}
