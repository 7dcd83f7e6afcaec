import { createContext } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { useRequiredContext } from '../../webview/browser/hooks/useRequiredContext';
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
  /** Whether a section that the user has toggled is open, by the id of its entry and its name. Also of unloaded entries. */
  readonly sectionChoices: Map<string, boolean>;
}

export const TranscriptContext = createContext<TranscriptContextValue | undefined>(undefined);

/** The entry, or the approval, to which a component belongs. */
interface DrawnEntry {
  readonly id: string;
  /** Loads the complete content and shows it. Rejects if it cannot be loaded. */
  readonly loadAll: () => Promise<void>;
  /** Whether content that is loaded is shown completely, without a "Show all" button. */
  readonly isShownWhole?: boolean;
}

export const DrawnEntryContext = createContext<DrawnEntry | undefined>(undefined);

export function useTranscriptContext(): TranscriptContextValue {
  return useRequiredContext(TranscriptContext, 'transcript');
}

export function useDrawnEntry(): DrawnEntry {
  return useRequiredContext(DrawnEntryContext, 'entry');
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
