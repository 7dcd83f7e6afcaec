import { createContext } from 'preact';
import { useContext, useLayoutEffect, useState } from 'preact/hooks';
import type { Entry } from '../common/entries';
import type { TranscriptActions, TranscriptOptions } from './transcriptActions';
import { shortenPath } from '../common/shortPath';
import type { ScreenProximity } from './list/screenProximity';
import type { TranscriptModel } from './list/transcriptModel';

interface TranscriptContextValue {
  readonly model: TranscriptModel;
  readonly actions: TranscriptActions;
  readonly options: TranscriptOptions;
  readonly screenProximity?: ScreenProximity;
}

export const TranscriptContext = createContext<TranscriptContextValue | undefined>(undefined);

export function useTranscriptContext(): TranscriptContextValue {
  const context = useContext(TranscriptContext);
  if (!context) throw new Error('useTranscript needs a TranscriptContext.');
  return context;
}

export function useShortenPath(): (path: string) => string {
  const { folders = [] } = useTranscriptContext().options;
  return (path) => shortenPath(path, folders);
}

/** Returns the entry; undefined if removed. The component is redrawn when it or its children change. */
export function useEntry(id: string): Entry | undefined {
  const { model } = useTranscriptContext();
  const redraw = useRedraw();
  const drawn = model.get(id);
  useLayoutEffect(() => {
    const subscription = model.onDidChangeEntry(id, redraw);
    if (model.get(id) !== drawn) redraw();
    return () => subscription.dispose();
  }, [model, id]);
  return drawn;
}

export function useRedraw(): () => void {
  const [, setCount] = useState(0);
  return () => setCount((count) => count + 1);
}
