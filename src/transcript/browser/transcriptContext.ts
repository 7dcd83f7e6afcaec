import { createContext } from 'preact';
import { useContext, useLayoutEffect, useState } from 'preact/hooks';
import type { Entry } from '../common/entries';
import type { TranscriptActions, TranscriptOptions } from './transcriptActions';
import { shortPath } from '../common/shortPath';
import type { NearScreen } from './list/nearScreen';
import type { TranscriptModel } from './list/transcriptModel';

/** What every part of a transcript is drawn with. */
interface Surroundings {
  readonly model: TranscriptModel;
  readonly actions: TranscriptActions;
  readonly options: TranscriptOptions;
  /** In a list that scrolls. */
  readonly nearScreen?: NearScreen;
}

export const TranscriptContext = createContext<Surroundings | undefined>(undefined);

export function useTranscript(): Surroundings {
  const surroundings = useContext(TranscriptContext);
  if (!surroundings) throw new Error('Parts of a transcript are drawn inside a TranscriptContext.');
  return surroundings;
}

/** How a path is shown; its title says all of it. */
export function useShortPath(): (path: string) => string {
  const { folders = [] } = useTranscript().options;
  return (path) => shortPath(path, folders);
}

/** The entry as it is, drawn again whenever it or its children change. Undefined when it was removed. */
export function useEntry(id: string): Entry | undefined {
  const { model } = useTranscript();
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
