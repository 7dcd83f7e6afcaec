import { useLayoutEffect, useState } from 'preact/hooks';
import type { FoundEntry } from '../../common/findEntries';
import type { TranscriptModel } from '../list/transcriptModel';

/** Searches a whole transcript, including entries that are not loaded. Resolves to the entries in reading order. */
export type FindEntries = (query: string) => Promise<readonly FoundEntry[]>;

/** Unloaded entries that contain the text, in reading order. */
interface UnloadedMatches {
  readonly before: readonly FoundEntry[];
  readonly after: readonly FoundEntry[];
}

const typingDelayMs = 120;

export function useUnloadedMatches(model: TranscriptModel, find: FindEntries, query: string): UnloadedMatches {
  const [found, setFound] = useState<readonly FoundEntry[]>([]);
  const [range, setRange] = useState(loadedRange(model));
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
    const scheduleSearch = (): void => {
      timer ??= setTimeout(() => {
        timer = undefined;
        void ask();
      }, typingDelayMs);
    };
    scheduleSearch();
    let { unloadedOlderCount: older, unloadedLaterCount: later } = model;
    const subscription = model.onDidChange(({ isReset }) => {
      if (!isReset && (model.unloadedOlderCount > older || model.unloadedLaterCount > later)) scheduleSearch();
      ({ unloadedOlderCount: older, unloadedLaterCount: later } = model);
      setRange(loadedRange(model));
    });
    setRange(loadedRange(model));
    return () => {
      lastRequest++;
      clearTimeout(timer);
      subscription.dispose();
    };
  }, [model, find, query]);
  return {
    before: found.filter(({ index }) => index < range.start),
    after: found.filter(({ index }) => index >= range.end),
  };
}

interface LoadedRange {
  readonly start: number;
  readonly end: number;
}

function loadedRange({ unloadedOlderCount: before, size }: TranscriptModel): LoadedRange {
  return { start: before, end: before + size };
}

export function countMatches(found: readonly FoundEntry[]): number {
  return found.reduce((sum, { count }) => sum + count, 0);
}
