import { messageOf } from '../../../base/common/errors';
import type { Event } from '../../../base/common/event';
import type { Hunk } from '../../../changes/common/review/hunks';
import type { ReviewSource, TextsOfChange, TextsShownToUser } from '../../../changes/common/review/reviewSource';
import { ChatError, type Chat, type Chats } from '../../common/chatPorts';
import { canUndo } from '../../../transcript/common/shownChanges';
import type { Asides } from '../asides/asides';
import type { KeepActions } from './keepActions';
import type { UndoActions } from './undoActions';

/**
 * The changes of all open conversations. A file that several conversations have changed belongs to the one that was
 * opened last.
 */
export class OpenChatsReview implements ReviewSource {
  constructor(
    private readonly chats: Pick<Chats, 'openChats' | 'onDidChangeFiles'>,
    private readonly undoActions: Pick<UndoActions, 'undoFile' | 'undoAll'>,
    private readonly keepActions: Pick<KeepActions, 'keepAll' | 'keepFile'>,
    private readonly asides: Pick<Asides, 'ask'>,
  ) {}

  get onDidChange(): Event<void> {
    return this.chats.onDidChangeFiles;
  }

  get paths(): readonly string[] {
    return [...new Set(this.chats.openChats.flatMap(reviewable))];
  }

  get formerPaths(): ReadonlyMap<string, string> {
    const formerPaths = new Map<string, string>();
    for (const { fileChanges } of this.chats.openChats) {
      for (const change of fileChanges.list) {
        if (!canUndo(change)) continue;
        if (change.renamedFrom === undefined) formerPaths.delete(change.path);
        else formerPaths.set(change.path, change.renamedFrom);
      }
    }
    return formerPaths;
  }

  async baseline(path: string): Promise<string | null | undefined> {
    return await this.chatOf(path)?.fileChanges.baseline(path);
  }

  async texts(path: string): Promise<TextsOfChange> {
    return (await this.chatOf(path)?.fileChanges.texts(path)) ?? { baseline: undefined, text: undefined };
  }

  async keepHunk(path: string, hunk: Hunk, seen: TextsShownToUser): Promise<void> {
    await this.requireChat(path).fileChanges.keepHunk(path, hunk, seen);
  }

  async undoHunk(path: string, hunk: Hunk, seen: TextsShownToUser): Promise<void> {
    await this.requireChat(path).fileChanges.undoHunk(path, hunk, seen);
  }

  async askAboutHunk(path: string, hunk: Hunk, seen: TextsShownToUser): Promise<void> {
    await this.asides.ask(this.requireChat(path), { change: { path, hunk, seen } });
  }

  async keepFile(path: string): Promise<void> {
    for (const chat of this.chatsOf(path)) await this.keepActions.keepFile(chat, { path });
  }

  async undoFile(path: string): Promise<void> {
    this.requireChat(path);
    for (const chat of this.chatsOf(path).toReversed()) {
      if (!(await this.undoActions.undoFile(chat, { path }))) return;
    }
  }

  async keepAll(): Promise<void> {
    await this.keepActions.keepAll(this.changedChats);
  }

  /** Continues with the other conversations if one fails. @throws Error that names all failures */
  async undoAll(): Promise<void> {
    const chats = this.chats.openChats.filter((chat) => reviewable(chat).length > 0);
    if (chats.length === 0) throw new ChatError('notFound', 'There are no changes to undo.');
    const failures: string[] = [];
    for (const chat of chats) {
      try {
        if (!(await this.undoActions.undoAll(chat))) break;
      } catch (error) {
        failures.push(chats.length === 1 ? messageOf(error) : `“${chat.view.title}”: ${messageOf(error)}`);
      }
    }
    if (failures.length > 0) throw new Error(failures.join('\n'));
  }

  async refresh(paths: ReadonlySet<string>): Promise<void> {
    await Promise.all(this.changedChats.map((chat) => chat.fileChanges.refresh(paths)));
  }

  private get changedChats(): Chat[] {
    return this.chats.openChats.filter(({ fileChanges }) => fileChanges.list.length > 0);
  }

  private chatsOf(path: string): Chat[] {
    return this.chats.openChats.filter((chat) => reviewable(chat).includes(path));
  }

  private chatOf(path: string): Chat | undefined {
    return this.chatsOf(path).at(-1);
  }

  private requireChat(path: string): Chat {
    const chat = this.chatOf(path);
    if (!chat) throw new ChatError('notFound', 'There are no agent changes in this file.');
    return chat;
  }
}

/** Returns the changed paths whose earlier text is known. */
function reviewable({ fileChanges }: Chat): string[] {
  return fileChanges.list.flatMap((change) => (canUndo(change) ? [change.path] : []));
}
