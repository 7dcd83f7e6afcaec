import * as z from 'zod/mini';
import { messageOf } from '../../base/common/errors';
import { Emitter } from '../../base/common/event';
import type { Folding, TranscriptActions } from '../../transcript/browser/transcriptActions';
import { TranscriptModel } from '../../transcript/browser/transcriptModel';
import type { Ask, HostConnection, VsCodeApi } from '../../webview/browser/hostConnection';
import {
  didAsk,
  didUpdate,
  threadRequests,
  type OutlineItem,
  type ThreadUpdate,
  type ThreadView,
} from '../common/threadApi';

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
/** Entries that are fetched at once on the way to one that is far up. */
const stepCount = 400;
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
    this.connection.on(didAsk, (wish) => {
      if (wish.what === 'find') this.find();
      else void this.goTo(wish.entryId, wish.index);
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

  /** Opens the find bar, and fetches what is not here yet: a word may be anywhere in the thread. */
  find(): void {
    this.change({ isFinding: true });
    void this.loadDownTo(0, () => this.current.isFinding);
  }

  stopFinding(): void {
    this.change({ isFinding: false });
  }

  /** `index` is where the entry is in the whole thread, 0-based. */
  async goTo(entryId: string, index: number): Promise<void> {
    await this.loadDownTo(index, () => true);
    this.goals.fire(entryId);
  }

  private async loadDownTo(index: number, isWanted: () => boolean): Promise<void> {
    while (this.transcript.before > index && isWanted()) {
      const { before } = this.transcript;
      await this.loadOlder(Math.min(stepCount, before - index));
      if (this.transcript.before >= before) return;
    }
  }

  /** Resolves when the entries are here. */
  private async loadOlder(count: number): Promise<void> {
    const { before } = this.transcript;
    const { promise: came, resolve: finish } = Promise.withResolvers<undefined>();
    const subscription = this.transcript.onDidChange(({ isReset }) => {
      if (isReset || this.transcript.before < before) finish(undefined);
    });
    try {
      // A busy host takes its time for the answer.
      await this.connection.request(threadRequests.loadOlder, { count });
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
      ...(thread && { thread }),
      ...(outline && { outline }),
      ...(hasFile !== undefined && { hasFile }),
      problem: problem === undefined ? this.current.problem : (problem ?? undefined),
    });
    if (transcript) this.transcript.apply(transcript);
    if (unreadFrom !== undefined) this.marks.fire(unreadFrom);
  }

  private transcriptActions(): TranscriptActions {
    return {
      open: (target, line) => void this.ask(threadRequests.open, { target, ...(line !== undefined && { line }) }),
      copy: (text) => void this.ask(threadRequests.copy, { text }),
      showAll: async (entryId) => {
        const answer = await this.ask(threadRequests.showAll, { entryId });
        const entry = answer?.entry ?? this.transcript.get(entryId);
        if (!entry) throw new Error('This entry is gone');
        return entry;
      },
      loadOlder: (count) => this.loadOlder(count),
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
