import type { Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import { messageOf, userMessageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import { countWithNoun } from '../../../base/common/text/countWithNoun';
import { ChatError, type Chats } from '../chatPorts';
import { forEachConversation } from './forEachConversation';
import { isRunning } from './rowState';

/** So many are not deleted without a question, also if it can be taken back. */
const manyConversations = 10;
/** How long the user can take a deletion back. */
const undoMs = 30_000;
/** A deletion that is older, and whose window was closed or killed meanwhile, is carried out by any window. */
const leftoverMs = 60_000;

interface DeletedConversationsDeps {
  readonly chats: Pick<
    Chats,
    'rows' | 'onDidChange' | 'deleted' | 'setMarks' | 'stopTurn' | 'closeUnused' | 'delete' | 'titleOf'
  >;
  readonly dialogs: { confirm(question: { message: string; detail: string; action: string }): Promise<boolean> };
  /** Says what has happened, with a button. Resolves to whether the user has pressed it, when the message is gone. */
  readonly offer: (text: string, button: string) => Promise<boolean>;
  /** `tryAgain`: what the user can do about it. */
  readonly reportError: (text: string, tryAgain?: () => void) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

interface Deletion {
  readonly id: string;
  readonly title: string;
}

/**
 * Deletes conversations so that the user can take that back for a while: until then they are only marked, and no list and no
 * page of any window shows them.
 */
export class DeletedConversations implements Disposable {
  /** Those that this window has marked and not removed yet. */
  private readonly undoable = new Set<string>();
  private leftoverTimer: Disposable | undefined;
  private subscription: Disposable | undefined;
  private readonly undoTimers = new Set<Disposable>();

  constructor(private readonly deps: DeletedConversationsDeps) {}

  /** Removes what a window has left that was killed. Call when the conversations are known. */
  start(): void {
    this.subscription = this.deps.chats.onDidChange(() => this.update());
    void this.removeLeftovers();
  }

  /**
   * Deletes conversations, and asks before that about those with which it cannot be taken back or whose agent works. Resolves to
   * whether the user wants that. @throws an error for the user if some could not be deleted
   */
  async delete(sessionIds: readonly string[]): Promise<boolean> {
    const { chats } = this.deps;
    const rowById = new Map(chats.rows.map((row) => [row.id, row]));
    const found = sessionIds.flatMap((id) => {
      const row = rowById.get(id);
      const title = row?.title ?? chats.titleOf(id);
      return title === undefined ? [] : [{ id, title, row }];
    });
    const remote = found.filter(({ row }) => !row);
    const busyCount = found.filter(({ id }) => this.isWorking(id)).length;
    const isAsked = busyCount > 0 || remote.length > 0 || found.length >= manyConversations;
    if (found.length === 0) throw new ChatError('notFound', 'The conversation no longer exists.');
    if (isAsked && !(await this.confirm(found, busyCount, remote.length > 0))) return false;
    const marked: Deletion[] = [];
    try {
      await forEachConversation(found, 'deleted', async (one) => {
        await this.stopIfWorking(one.id);
        if (await this.markOrDelete(one)) marked.push(one);
      });
    } finally {
      if (marked.length > 0) void this.offerUndo(marked);
    }
    return true;
  }

  dispose(): void {
    this.subscription?.dispose();
    this.subscription = undefined;
    this.leftoverTimer?.dispose();
    for (const timer of this.undoTimers) timer.dispose();
    this.undoTimers.clear();
  }

  private isWorking(id: string): boolean {
    const row = this.deps.chats.rows.find((one) => one.id === id);
    return row !== undefined && isRunning(row);
  }

  /** The turn may have ended, or another one may have begun, since the user was asked. @throws an error for the user */
  private async stopIfWorking(id: string): Promise<void> {
    if (!this.isWorking(id)) return;
    await this.deps.chats.stopTurn(id).catch((error: unknown) => {
      if (this.isWorking(id)) throw error;
    });
  }

  private async confirm(found: readonly Deletion[], busyCount: number, isFinal: boolean): Promise<boolean> {
    const [first] = found;
    const isOne = found.length === 1;
    const message =
      isOne && first ? `Delete “${first.title}”?` : `Delete ${countWithNoun(found.length, 'conversation')}?`;
    const what = isOne ? 'The conversation' : 'The conversations';
    const agents = busyCount === 1 ? 'The agent' : `${busyCount} agents`;
    const stops = busyCount > 0 ? `${agents} will be stopped. ` : '';
    const end = isFinal
      ? `${what} will be permanently deleted, including the agent’s own copy if the agent supports this.`
      : 'You can undo this for half a minute.';
    return await this.deps.dialogs.confirm({
      message,
      detail: `${stops}${end} File changes are kept.`,
      action: 'Delete',
    });
  }

  /** Returns whether the conversation is only marked, so that this can be taken back. @throws ChatError */
  private async markOrDelete({ id, row, title }: Deletion & { readonly row: unknown }): Promise<boolean> {
    const { chats, dialogs } = this.deps;
    if (row) {
      try {
        await chats.setMarks(id, { isDeleted: true });
        this.undoable.add(id);
        return true;
      } catch (error) {
        // On a full disk, nothing can be marked, but much can be deleted.
        if (!(error instanceof ChatError) || error.code !== 'storage') throw error;
        const message = `Delete “${title}” permanently?`;
        const detail = `It could not be deleted in a way that can be undone. ${error.message}`;
        if (!(await dialogs.confirm({ message, detail, action: 'Delete' }))) return false;
      }
    }
    await chats.delete(id);
    return false;
  }

  /** Carries the deletions out as soon as they can no longer be taken back. Never rejects. */
  private async offerUndo(deletions: readonly Deletion[]): Promise<void> {
    const { clock, offer } = this.deps;
    const [first] = deletions;
    const isOne = deletions.length === 1;
    const text = isOne && first ? `Deleted “${first.title}”.` : `Deleted ${deletions.length} conversations.`;
    const removeAll = async (): Promise<void> => {
      // Unless that was taken back or is under way.
      for (const { id } of deletions) if (this.undoable.delete(id)) await this.remove(id);
    };
    const timer = clock.setTimer(undoMs, () => void removeAll());
    this.undoTimers.add(timer);
    const isTakenBack = await offer(text, 'Undo').catch(() => false);
    // A window that is being closed leaves them to another one.
    if (!this.undoTimers.delete(timer)) return;
    timer.dispose();
    if (isTakenBack) await this.takeBack(deletions);
    else await removeAll();
  }

  /** Never rejects. */
  private async takeBack(deletions: readonly Deletion[]): Promise<void> {
    const { chats, reportError } = this.deps;
    try {
      await forEachConversation(deletions, 'brought back', async ({ id, title }) => {
        if (!this.undoable.has(id)) throw new ChatError('notFound', `“${title}” has already been deleted.`);
        await chats.setMarks(id, { isDeleted: false });
        this.undoable.delete(id);
      });
    } catch (error) {
      // They are not removed meanwhile.
      const left = deletions.filter(({ id }) => this.undoable.has(id));
      reportError(userMessageOf(error), left.length > 0 ? () => void this.takeBack(left) : undefined);
    }
  }

  /** Removes a conversation, or leaves it to a later time if another window writes to it. Never rejects. */
  private async remove(id: string): Promise<void> {
    const { chats, log } = this.deps;
    await chats.delete(id).catch((error: unknown) => log.info(`A conversation is deleted later: ${messageOf(error)}`));
  }

  private update(): void {
    const { chats } = this.deps;
    const { deleted } = chats;
    for (const { id } of deleted) chats.closeUnused(id);
    if (deleted.length > 0)
      this.leftoverTimer ??= this.deps.clock.setTimer(leftoverMs, () => void this.removeLeftovers());
  }

  /** Removes what other windows have marked and not removed. Never rejects. */
  private async removeLeftovers(): Promise<void> {
    const { chats, clock } = this.deps;
    this.leftoverTimer?.dispose();
    this.leftoverTimer = undefined;
    const isLeft = ({ deletedAt, id }: { id: string; deletedAt: number }): boolean =>
      !this.undoable.has(id) && clock.now() - deletedAt >= leftoverMs;
    for (const { id } of chats.deleted.filter(isLeft)) await this.remove(id);
    if (this.subscription) this.update();
  }
}
