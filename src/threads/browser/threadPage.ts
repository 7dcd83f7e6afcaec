import * as z from 'zod/mini';
import { messageOf } from '../../base/common/errors';
import { Emitter } from '../../base/common/event';
import { withoutUndefined } from '../../base/common/withoutUndefined';
import type { FoldingRequest, TranscriptActions } from '../../transcript/browser/transcriptActions';
import type { FindEntries } from '../../transcript/browser/find/useFoundEntries';
import { TranscriptModel } from '../../transcript/browser/list/transcriptModel';
import {
  startHeartbeats,
  type Requester,
  type HostConnection,
  type VsCodeApi,
} from '../../webview/browser/hostConnection';
import { PageState } from '../../webview/browser/page/pageState';
import {
  didRequestFindOrJump,
  didUpdate,
  threadRequests,
  type OutlineItem,
  type ThreadUpdate,
  type ThreadHeaderView,
} from '../common/page/threadApi';

interface ThreadPageState {
  /** Whether the host has sent any data. */
  readonly isReady: boolean;
  readonly thread: ThreadHeaderView | undefined;
  readonly outline: readonly OutlineItem[];
  /** Why the last read of the thread failed. */
  readonly problem: string | undefined;
  /** Whether the thread has a file to open in an editor. */
  readonly hasFile: boolean;
  /** The error of a failed request, until the user dismisses it. */
  readonly failure: string | undefined;
  readonly times: 'relative' | 'absolute';
  readonly isOutlineShown: boolean;
  readonly isFinding: boolean;
  /** Undefined until the user expands or collapses all sections. */
  readonly folding: FoldingRequest | undefined;
}

/** The state that VS Code stores for the page. */
const StoredState = z.object({
  times: z.catch(z.enum(['relative', 'absolute']), 'relative'),
  isOutlineShown: z.catch(z.boolean(), false),
});

const invalidUpdateText =
  'This thread has content that Backline can’t read. The latest messages are not shown. You can open its file as JSON.';

/** The state and the requests of the page, without its UI. */
export class ThreadPage extends PageState<ThreadPageState> {
  readonly transcript = new TranscriptModel();
  readonly actions: TranscriptActions;
  /** Sends a request to the host. If it fails, the page shows the error. */
  readonly ask: Requester;
  private readonly jumpEmitter = new Emitter<string>(reportError);
  /** Fires with the id of a loaded entry to which the page should scroll. */
  readonly onDidRequestJump = this.jumpEmitter.event;
  private readonly unreadEmitter = new Emitter<string>(reportError);
  /** Fires with the id of the first entry that is new since the user's last visit. */
  readonly onDidMarkUnread = this.unreadEmitter.event;
  /** Searches the whole thread, including entries that are not loaded. */
  readonly find: FindEntries = async (query) => (await this.ask(threadRequests.find, { query }))?.found ?? [];
  private jumpCount = 0;

  constructor(
    private readonly hostConnection: HostConnection,
    private readonly vscodeApi: Pick<VsCodeApi, 'getState' | 'setState'>,
    private readonly threadId: string,
  ) {
    const { times, isOutlineShown } = StoredState.safeParse(vscodeApi.getState()).data ?? StoredState.parse({});
    super({
      isReady: false,
      thread: undefined,
      outline: [],
      problem: undefined,
      hasFile: false,
      failure: undefined,
      times,
      isOutlineShown,
      isFinding: false,
      folding: undefined,
    });
    this.ask = hostConnection.createRequester((error) => this.update({ failure: messageOf(error) }));
    this.actions = this.transcriptActions();
  }

  start(window: Window): void {
    this.hostConnection.setNotificationListener(
      didUpdate,
      (update) => this.applyUpdate(update),
      () => this.update({ isReady: true, failure: invalidUpdateText }),
    );
    this.hostConnection.setNotificationListener(didRequestFindOrJump, (command) => {
      if (command.kind === 'find') this.update({ isFinding: true });
      else void this.goToEntry(command.entryId);
    });
    this.hostConnection.start(window);
    this.storeState();
    void this.ask(threadRequests.ready, {});
    const sendAlive = this.hostConnection.createRequester(() => undefined);
    startHeartbeats(window, () => void sendAlive(threadRequests.alive, {}));
  }

  setTimeDisplay(times: ThreadPageState['times']): void {
    this.update({ times });
    this.storeState();
  }

  setOutlineShown(isOutlineShown: boolean): void {
    this.update({ isOutlineShown });
    this.storeState();
  }

  /** Expands or collapses everything that can be collapsed, including entries that are loaded later. */
  expandOrCollapseAll(isOpen: boolean): void {
    this.update({ folding: { isOpen } });
  }

  async goToEntry(entryId: string): Promise<void> {
    const jump = ++this.jumpCount;
    const isLoaded = this.transcript.get(entryId) !== undefined;
    if (!isLoaded && !(await this.actions.load({ kind: 'around', entryId }))?.isFound) return;
    // If there was a later request, it has replaced this one.
    if (jump === this.jumpCount) this.jumpEmitter.fire(entryId);
  }

  private applyUpdate({ thread, outline, problem, hasFile, transcript, unreadFrom }: ThreadUpdate): void {
    this.update({
      isReady: true,
      ...withoutUndefined({ thread, outline, hasFile }),
      problem: problem === undefined ? this.state.problem : (problem ?? undefined),
    });
    if (transcript) this.transcript.apply(transcript);
    if (unreadFrom !== undefined) this.unreadEmitter.fire(unreadFrom);
  }

  private transcriptActions(): TranscriptActions {
    return {
      open: (target, line, column) => void this.ask(threadRequests.open, { target, line, column }),
      copy: (text) => void this.ask(threadRequests.copy, { text }),
      openView: (html) => void this.ask(threadRequests.openView, { html }),
      loadFullEntry: async (entryId) => {
        const answer = await this.ask(threadRequests.showAll, { entryId });
        const entry = answer?.entry ?? this.transcript.get(entryId);
        if (!entry) throw new Error('This entry no longer exists');
        return entry;
      },
      load: (request) => this.ask(threadRequests.load, request),
      openDiff: (entryId, part) => void this.ask(threadRequests.openDiff, { entryId, part }),
      showSubthread: async (entryId, isShown) => {
        const answer = await this.ask(threadRequests.showSubthread, { entryId, isShown });
        return answer ? answer.problem : 'This subagent’s thread can’t be shown.';
      },
      showJson: (entryId) => void this.ask(threadRequests.showRaw, { entryId }),
    };
  }

  private storeState(): void {
    const { times, isOutlineShown } = this.state;
    this.vscodeApi.setState({ threadId: this.threadId, times, isOutlineShown });
  }
}
