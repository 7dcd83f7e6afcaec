import * as vscode from 'vscode';
import type { Clock } from '../../../base/common/async';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import { waitWithProgress } from '../../../platform/vscode/waitWithProgress';
import { AsideCleanup } from '../../common/asides/asideCleanup';
import { quoteChangeForAside, quoteForAside, type ChangeInQuestion } from '../../common/asides/quoteForAside';
import type { Chat, Chats } from '../../common/chatPorts';
import type { MentionRow } from '../../common/chatView';
import type { ChatPages } from '../pages/chatPages';

interface AsidesDeps {
  readonly chats: Pick<Chats, 'delete' | 'fork' | 'openAsides' | 'setMarks'>;
  readonly pages: Pick<ChatPages, 'all' | 'hasUnrestoredTabs' | 'onDidChange' | 'openInTab'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What a side question is about, besides the conversation. */
interface AsideSubject {
  /** Text of an answer. */
  readonly quote?: string | undefined;
  /** What is selected in an editor. */
  readonly selection?: MentionRow | undefined;
  /** A change of the agent. Its path is absolute. */
  readonly change?: ChangeInQuestion | undefined;
}

/** Side questions: conversations beside another one that only read, and that are deleted with their tab unless they are kept. */
export class Asides implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly cleanup: AsideCleanup;
  /** Ids of those that this window holds, so that no other one deletes them. */
  private readonly held = new Set<string>();

  constructor(private readonly deps: AsidesDeps) {
    const { pages } = deps;
    this.cleanup = this.disposables.add(
      new AsideCleanup({ ...deps, pages: () => pages.all, mayShowMore: () => pages.hasUnrestoredTabs }),
    );
  }

  /** Call when the conversations are known. */
  start(): void {
    this.disposables.add(this.deps.pages.onDidChange(() => this.update()));
    this.cleanup.start();
    this.update();
  }

  /** Opens a side question about a conversation in a tab beside it. @throws ChatError, BackendError */
  async ask(about: Chat, { change, quote = '', selection }: AsideSubject): Promise<void> {
    if (about.view.aside) throw new Error('This already is a side question. Ask it here.');
    if (about.sentPromptTexts.length === 0)
      throw new Error('This conversation has no prompts yet. Ask your question in it.');
    const { chats, pages } = this.deps;
    const forking = chats.fork(about.id, undefined, 'aside');
    const aside = await waitWithProgress('Preparing the side question', forking);
    if (!aside) {
      void forking.then(({ id }) => this.discard(id)).catch(() => undefined);
      return;
    }
    const text = change
      ? quoteChangeForAside({ ...change, path: vscode.workspace.asRelativePath(change.path) })
      : quoteForAside(quote);
    aside.saveDraft({ text, attachments: selection ? [selection] : [] });
    try {
      (await pages.openInTab(aside.id, vscode.ViewColumn.Beside)).focusComposer();
    } catch (error) {
      await this.discard(aside.id);
      throw error;
    }
  }

  /** Makes a side question a conversation of the list. @throws ChatError */
  async keep({ id, view: { aside } }: Chat): Promise<void> {
    if (aside) await this.deps.chats.setMarks(id, { keptAside: aside });
  }

  dispose(): void {
    this.disposables.dispose();
  }

  private update(): void {
    const { log, pages } = this.deps;
    this.cleanup.update();
    for (const { chat } of pages.all) {
      if (!chat?.view.aside || this.held.has(chat.id)) continue;
      this.held.add(chat.id);
      chat.restores.claim().catch((error: unknown) => log.info(`A side question is not held: ${messageOf(error)}`));
    }
  }

  /** Never rejects. */
  private async discard(id: string): Promise<void> {
    await this.deps.chats.delete(id).catch((error: unknown) => this.deps.log.info(`Not deleted: ${messageOf(error)}`));
  }
}
