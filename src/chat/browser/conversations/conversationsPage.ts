import type * as z from 'zod/mini';
import { messageOf } from '../../../base/common/errors';
import { Emitter } from '../../../base/common/event';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { ChordFocusGuard } from '../../../webview/browser/chordFocusGuard';
import {
  startHeartbeats,
  type HostConnection,
  type Requester,
  type VsCodeApi,
} from '../../../webview/browser/hostConnection';
import { PageState } from '../../../webview/browser/page/pageState';
import type { RequestType } from '../../../webview/common/protocol';
import type { BackendView, ConversationRow } from '../../common/chatView';
import { ListSettings } from '../../common/list/listSettings';
import { newlyUrgent } from '../../common/list/newlyUrgent';
import {
  conversationsRequests,
  didInvokeConversationsCommand,
  didUpdateConversations,
  type ConversationsUpdate,
} from '../../common/page/conversationsApi';
import { SavedPageState } from '../page/savedPageState';

interface ConversationsPageState {
  /** Whether the first update has arrived. */
  readonly isReady: boolean;
  /** By their ids. A row that has not changed is the same object as before. */
  readonly rows: ReadonlyMap<string, ConversationRow>;
  readonly backends: readonly BackendView[];
  /** Id of the conversation that the chat shows. */
  readonly shownId: string | undefined;
  /** Ids of the repositories in which this window works. */
  readonly repositories: readonly string[];
  readonly settings: ListSettings;
  /** Why the last request for a conversation has failed, by the id of its row. */
  readonly failures: ReadonlyMap<string, string>;
  /** Why a request that is not for one conversation has failed. */
  readonly failure: string | undefined;
  /** Ids of conversations that the user has archived, until the user does something else. */
  readonly justArchived: readonly string[];
  /** What a screen reader says. */
  readonly announcement: string;
}

type PageCommand = 'focus' | 'search';

/** The state of the page of all conversations. Applies updates from the host and sends the user's requests. */
export class ConversationsPage {
  readonly store: PageState<ConversationsPageState>;
  /** Sends a request that is not for one conversation. If it fails, the page shows the error. */
  readonly request: Requester;
  private readonly commandEmitter = new Emitter<PageCommand>(reportError);
  readonly onDidRunCommand = this.commandEmitter.event;
  private readonly savedState: SavedPageState;

  constructor(
    private readonly connection: HostConnection,
    api: Pick<VsCodeApi, 'getState' | 'setState'>,
    private readonly chordGuard: Pick<ChordFocusGuard, 'setPrefixes'>,
  ) {
    this.savedState = new SavedPageState(api);
    this.request = connection.createRequester((error) => this.store.update({ failure: messageOf(error) }));
    this.store = new PageState<ConversationsPageState>({
      isReady: false,
      rows: new Map(),
      backends: [],
      shownId: undefined,
      repositories: [],
      settings: ListSettings.parse(this.savedState.values),
      failures: new Map(),
      failure: undefined,
      justArchived: [],
      announcement: '',
    });
  }

  start(window: Window): void {
    const confirmShown = (): void => void this.request(conversationsRequests.shown, {});
    const applyUpdate = (update: ConversationsUpdate): void => {
      // After the next frame, so that keys which came meanwhile are handled before the host sends more.
      requestAnimationFrame(() => setTimeout(confirmShown));
      this.applyUpdate(update);
    };
    this.connection.setNotificationListener(didUpdateConversations, applyUpdate, confirmShown);
    this.connection.setNotificationListener(didInvokeConversationsCommand, ({ what }) =>
      this.commandEmitter.fire(what),
    );
    this.connection.start(window);
    // After a reload, VS Code restores a tab only if its page has saved a state.
    this.changeSettings({});
    void this.request(conversationsRequests.ready, {});
    startHeartbeats(window, () => void this.request(conversationsRequests.alive, {}));
  }

  changeSettings(changed: Partial<ListSettings>): void {
    const settings = { ...this.store.state.settings, ...changed };
    this.store.update({ settings });
    this.savedState.save(settings);
  }

  /**
   * Sends a request for conversations. Resolves to whether it succeeded. If it fails, the error is shown: in the row of the
   * conversation, if it is only one of the list.
   */
  async requestFor<Params extends z.ZodMiniType, Result extends z.ZodMiniType>(
    [rowId = '', ...others]: readonly string[],
    type: RequestType<Params, Result>,
    params: z.infer<Params>,
  ): Promise<boolean> {
    this.dismissFailure(rowId);
    this.store.update({ justArchived: [] });
    try {
      await this.connection.request(type, params);
      return true;
    } catch (error) {
      const failure = messageOf(error);
      if (others.length > 0 || !this.store.state.rows.has(rowId)) this.store.update({ failure });
      else this.store.update({ failures: new Map(this.store.state.failures).set(rowId, failure) });
      return false;
    }
  }

  dismissFailure(rowId: string): void {
    if (!this.store.state.failures.has(rowId)) return;
    const failures = new Map(this.store.state.failures);
    failures.delete(rowId);
    this.store.update({ failures });
  }

  private applyUpdate(update: ConversationsUpdate): void {
    const { backends, isComplete = false, removed = [], repositories, rows: changed, shown } = update;
    const before = this.store.state;
    if (update.keyChords) this.chordGuard.setPrefixes(update.keyChords);
    const rows = new Map(isComplete ? [] : before.rows);
    for (const row of changed ?? []) rows.set(row.id, row);
    for (const id of removed) {
      rows.delete(id);
      this.dismissFailure(id);
    }
    const announcement = before.isReady ? newlyUrgent(before.rows, changed ?? []) : '';
    this.store.update({
      isReady: true,
      ...((changed ?? update.removed) && { rows }),
      ...(shown !== undefined && { shownId: shown ?? undefined }),
      ...withoutUndefined({ backends, repositories }),
      // A screen reader says only what has changed.
      ...(announcement !== '' && {
        announcement: announcement === before.announcement ? `${announcement}\u00a0` : announcement,
      }),
    });
  }
}
