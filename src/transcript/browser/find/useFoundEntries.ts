import { useLayoutEffect, useState } from 'preact/hooks';
import type { FoundEntry } from '../../common/findEntries';
import type { TranscriptModel } from '../list/transcriptModel';

/** Searches a whole transcript, including entries that are not loaded. Resolves to the entries in reading order. */
export type FindEntries = (query: string) => Promise<readonly FoundEntry[]>;

const typingDelayMs = 120;
/** Longer, because an agent may be adding entries all the time. */
const repeatDelayMs = 500;

/** Returns the entries of the whole transcript that contain the text. Empty as long as all entries are loaded. */
export function useFoundEntries(model: TranscriptModel, find: FindEntries, query: string): readonly FoundEntry[] {
  const [found, setFound] = useState<readonly FoundEntry[]>([]);
  useLayoutEffect(() => {
    setFound([]);
    if (query === '') return;
    let isOver = false;
    let isAsking = false;
    /** Whether entries came while the host was searching. A second request now would abort the first. */
    let isOutdated = false;
    const ask = async (): Promise<void> => {
      const isAllHere = model.unloadedOlderCount === 0 && model.unloadedLaterCount === 0;
      isAsking = true;
      try {
        const answer = isAllHere ? [] : await find(query);
        if (!isOver) setFound(answer);
      } finally {
        isAsking = false;
        askAgainIfOutdated();
      }
    };
    const askAgainIfOutdated = (): void => {
      if (!isOutdated || isOver) return;
      isOutdated = false;
      scheduleSearch(repeatDelayMs);
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const scheduleSearch = (delayMs: number): void => {
      if (isAsking) isOutdated = true;
      else
        timer ??= setTimeout(() => {
          timer = undefined;
          void ask();
        }, delayMs);
    };
    scheduleSearch(typingDelayMs);
    let { unloadedOlderCount: older, unloadedLaterCount: later } = model;
    const subscription = model.onDidChange(({ isReset }) => {
      if (isReset || model.unloadedOlderCount > older || model.unloadedLaterCount > later)
        scheduleSearch(repeatDelayMs);
      ({ unloadedOlderCount: older, unloadedLaterCount: later } = model);
    });
    return () => {
      isOver = true;
      clearTimeout(timer);
      subscription.dispose();
    };
  }, [model, find, query]);
  return found;
}

export function countMatches(found: readonly FoundEntry[]): number {
  return found.reduce((sum, { count }) => sum + count, 0);
}
