import * as z from 'zod/mini';
import { messageOf } from '../../base/common/errors';
import { Emitter } from '../../base/common/event';
import { withoutUndefined } from '../../base/common/withoutUndefined';
import type { Folding, TranscriptActions } from '../../transcript/browser/transcriptActions';
import type { WholeSearch } from '../../transcript/browser/find/useFoundElsewhere';
import { TranscriptModel, type TranscriptChange } from '../../transcript/browser/list/transcriptModel';
import type { Ask, HostConnection, VsCodeApi } from '../../webview/browser/hostConnection';
import {
  didAsk,
  didUpdate,
  threadRequests,
  type OutlineItem,
  type ThreadUpdate,
  type ThreadView,
} from '../common/page/threadApi';

export interface ThreadPageState {
  /** The host has told something. */
  readonly isReady: boolean;
  readonly thread: ThreadView | undefined;
  readonly outline: readonly OutlineItem[];
  /** Why the thread cannot be read, or not any more. */
  readonly problem: string | undefined;
  /** Its file can be opened in an editor. */
  readonly hasFile: boolean;
  /** A request that failed, until it is dismissed. */
  readonly failure: string | undefined;
  readonly times: 'relative' | 'absolute';
  readonly isOutlineShown: boolean;
  readonly isFinding: boolean;
  /** Undefined until the user has opened or closed all. */
  readonly folding: Folding | undefined;
}

/** What is kept when the page is thrown away. */
const Kept = z.object({
  times: z.catch(z.enum(['relative', 'absolute']), 'relative'),
  isOutlineShown: z.catch(z.boolean(), false),
});

const notShown =
  'Something in this thread is not as Backline expects it, so what came last is not shown. Its file can be opened as JSON.';
/** The patch comes right after the answer; a host that is gone sends none. */
const patchMs = 30_000;

/** The page without its looks: it listens to the host, keeps what it is told, and asks for what the user wants. */
export class ThreadPage {
  readonly transcript = new TranscriptModel();
  readonly actions: TranscriptActions;
  /** What the host could not do is shown to the user. */
  readonly ask: Ask;
  private readonly changes = new Emitter<void>(reportError);
  readonly onDidChange = this.changes.event;
  private readonly goals = new Emitter<string>(reportError);
  /** An entry that is here now is to be scrolled to. */
  readonly onDidReach = this.goals.event;
  private readonly marks = new Emitter<string>(reportError);
  /** From this entry on, everything came since the user last looked. */
  readonly onDidMark = this.marks.event;
  /** Finds in the whole thread, also in what is not loaded. */
  readonly search: WholeSearch;
  private goalsAsked = 0;
  private current: ThreadPageState;

  constructor(
    private readonly connection: HostConnection,
    private readonly api: Pick<VsCodeApi, 'getState' | 'setState'>,
    private readonly threadId: string,
  ) {
    const { times, isOutlineShown } = Kept.safeParse(api.getState()).data ?? Kept.parse({});
    this.current = {
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
    };
    this.ask = connection.asker((error) => this.change({ failure: messageOf(error) }));
    this.actions = this.transcriptActions();
    this.search = {
      find: async (query) => (await this.ask(threadRequests.find, { query }))?.found ?? [],
      load: (entryId) => this.load(entryId),
    };
  }

  get state(): ThreadPageState {
    return this.current;
  }

  start(window: Window): void {
    this.connection.on(
      didUpdate,
      (update) => this.update(update),
      () => this.change({ isReady: true, failure: notShown }),
    );
    this.connection.on(didAsk, (command) => {
      if (command.what === 'find') this.find();
      else void this.goTo(command.entryId);
    });
    this.connection.start(window);
    this.keep();
    void this.ask(threadRequests.ready, {});
  }

  dismissFailure(): void {
    this.change({ failure: undefined });
  }

  setTimes(times: ThreadPageState['times']): void {
    this.change({ times });
    this.keep();
  }

  showOutline(isOutlineShown: boolean): void {
    this.change({ isOutlineShown });
    this.keep();
  }

  /** Opens or closes all calls, thoughts and what else is folded, also what is not loaded yet. */
  foldAll(isOpen: boolean): void {
    this.change({ folding: { isOpen } });
  }

  find(): void {
    this.change({ isFinding: true });
  }

  stopFinding(): void {
    this.change({ isFinding: false });
  }

  /** Loads the entry and those around it, unless it is here. */
  async load(entryId: string): Promise<void> {
    const isHere = (): boolean => this.transcript.get(entryId) !== undefined;
    if (isHere()) return;
    await this.whenChanged(isHere, async () => {
      const answer = await this.ask(threadRequests.loadAround, { entryId });
      return answer?.isThere === true && !isHere();
    });
  }

  async goTo(entryId: string): Promise<void> {
    const asked = ++this.goalsAsked;
    await this.load(entryId);
    // What is asked for last counts.
    if (asked === this.goalsAsked) this.goals.fire(entryId);
  }

  /** Resolves when the entries are here. */
  private async loadOlder(count: number): Promise<void> {
    const { before } = this.transcript;
    await this.whenChanged(
      ({ isReset }) => isReset || this.transcript.before < before,
      async () => {
        await this.connection.request(threadRequests.loadOlder, { count });
        return true;
      },
    );
  }

  private async loadLater(count: number): Promise<void> {
    await this.whenChanged(
      ({ isReset, laterCount }) => isReset || laterCount > 0 || this.transcript.after === 0,
      async () => {
        await this.connection.request(threadRequests.loadLater, { count });
        return true;
      },
    );
  }

  private async loadLatest(): Promise<void> {
    await this.whenChanged(
      () => this.transcript.after === 0,
      async () => (await this.ask(threadRequests.loadLatest, {})) !== undefined,
    );
  }

  /** Resolves with the change that was asked for, if `request` says that one will come. */
  private async whenChanged(
    isFulfilled: (change: TranscriptChange) => boolean,
    request: () => Promise<boolean>,
  ): Promise<void> {
    const { promise: came, resolve: finish } = Promise.withResolvers<undefined>();
    const subscription = this.transcript.onDidChange((change) => {
      if (isFulfilled(change)) finish(undefined);
    });
    try {
      // A busy host takes its time for the answer.
      if (!(await request())) return;
      const timer = setTimeout(() => finish(undefined), patchMs);
      await came;
      clearTimeout(timer);
    } finally {
      subscription.dispose();
    }
  }

  private update({ thread, outline, problem, hasFile, transcript, unreadFrom }: ThreadUpdate): void {
    this.change({
      isReady: true,
      ...withoutUndefined({ thread, outline, hasFile }),
      problem: problem === undefined ? this.current.problem : (problem ?? undefined),
    });
    if (transcript) this.transcript.apply(transcript);
    if (unreadFrom !== undefined) this.marks.fire(unreadFrom);
  }

  private transcriptActions(): TranscriptActions {
    return {
      open: (target, line) => void this.ask(threadRequests.open, { target, line }),
      copy: (text) => void this.ask(threadRequests.copy, { text }),
      showAll: async (entryId) => {
        const answer = await this.ask(threadRequests.showAll, { entryId });
        const entry = answer?.entry ?? this.transcript.get(entryId);
        if (!entry) throw new Error('This entry is gone');
        return entry;
      },
      loadOlder: (count) => this.loadOlder(count),
      loadLater: (count) => this.loadLater(count),
      loadLatest: () => this.loadLatest(),
      openDiff: (entryId, part) => void this.ask(threadRequests.openDiff, { entryId, part }),
      showSubthread: async (entryId, isShown) => {
        const answer = await this.ask(threadRequests.showSubthread, { entryId, isShown });
        return answer ? answer.problem : 'The thread of this subagent cannot be shown.';
      },
      showRaw: (entryId) => void this.ask(threadRequests.showRaw, { entryId }),
    };
  }

  private change(part: Partial<ThreadPageState>): void {
    this.current = { ...this.current, ...part };
    this.changes.fire();
  }

  private keep(): void {
    const { times, isOutlineShown } = this.current;
    this.api.setState({ threadId: this.threadId, times, isOutlineShown });
  }
}
