import type { LoadAnswer, LoadRequest } from '../../common/loadRequest';
import type { TranscriptChange, TranscriptModel } from './transcriptModel';

/** Time limit for the patch after an answer. Normally, it follows immediately. */
const patchTimeoutMs = 30_000;

interface LoadRequests {
  /** Rejects if the host cannot answer. */
  readonly request: (request: LoadRequest) => Promise<LoadAnswer>;
  /** Shows the error if the host cannot answer. */
  readonly ask: (request: LoadRequest) => Promise<LoadAnswer | undefined>;
}

/** Loads other parts of a transcript into its model. */
export class TranscriptLoader {
  constructor(
    private readonly model: TranscriptModel,
    private readonly requests: LoadRequests,
  ) {}

  /** Loads about `count` earlier entries. With `keepsAll`, unloads none of the last ones. Rejects if that fails. */
  async loadOlder(count: number, keepsAll: boolean): Promise<void> {
    const { unloadedOlderCount: before } = this.model;
    await this.requestAndWaitForChange(
      ({ isReset }) => isReset || this.model.unloadedOlderCount < before,
      async () => (await this.requests.request({ kind: 'older', count, keepsAll })).isFound,
    );
  }

  /** Loads up to `count` later entries. With `keepsAll`, unloads none of the first ones. Rejects if that fails. */
  async loadLater(count: number, keepsAll: boolean): Promise<void> {
    await this.requestAndWaitForChange(
      ({ isReset, laterCount }) => isReset || laterCount > 0 || this.model.unloadedLaterCount === 0,
      async () => (await this.requests.request({ kind: 'later', count, keepsAll })).isFound,
    );
  }

  /** Replaces the loaded entries with the last entries of the transcript. */
  async loadLatest(): Promise<void> {
    await this.requestAndWaitForChange(
      () => this.model.unloadedLaterCount === 0,
      async () => (await this.requests.ask({ kind: 'latest' })) !== undefined,
    );
  }

  /** Loads the entries around an entry, unless it is loaded. */
  async loadEntry(entryId: string): Promise<void> {
    const isLoaded = (): boolean => this.model.get(entryId) !== undefined;
    if (isLoaded()) return;
    await this.requestAndWaitForChange(isLoaded, async () => {
      const answer = await this.requests.ask({ kind: 'around', entryId });
      return answer?.isFound === true && !isLoaded();
    });
  }

  /** Unloads the first entries if they are many. Call while the reader is at the end. */
  async unloadOlder(): Promise<void> {
    await this.requests.ask({ kind: 'unloadOlder' });
  }

  /** Sends a request and waits for the change that it causes, unless `request` resolves to false. */
  private async requestAndWaitForChange(
    isFulfilled: (change: TranscriptChange) => boolean,
    request: () => Promise<boolean>,
  ): Promise<void> {
    const { promise: change, resolve: finish } = Promise.withResolvers<undefined>();
    const subscription = this.model.onDidChange((change) => {
      if (isFulfilled(change)) finish(undefined);
    });
    try {
      // The time limit starts after the answer, because a busy host may take long to answer.
      if (!(await request())) return;
      const timer = setTimeout(() => finish(undefined), patchTimeoutMs);
      await change;
      clearTimeout(timer);
    } finally {
      subscription.dispose();
    }
  }
}
