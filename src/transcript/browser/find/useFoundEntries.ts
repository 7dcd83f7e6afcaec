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
    let lastRequest = 0;
    const ask = async (): Promise<void> => {
      const thisRequest = ++lastRequest;
      const isAllHere = model.unloadedOlderCount === 0 && model.unloadedLaterCount === 0;
      const answer = isAllHere ? [] : await find(query);
      if (thisRequest === lastRequest) setFound(answer);
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const scheduleSearch = (delayMs: number): void => {
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
      lastRequest++;
      clearTimeout(timer);
      subscription.dispose();
    };
  }, [model, find, query]);
  return found;
}

export function countMatches(found: readonly FoundEntry[]): number {
  return found.reduce((sum, { count }) => sum + count, 0);
}
