import { createContext } from 'preact';
import { useContext, useState } from 'preact/hooks';
import type { Entry } from '../../common/entries';
import { formatSize } from './format';
import { useTranscript } from '../transcriptContext';

/** Fetches what was cut away of the entry that is drawn. */
export const ShowAllContext = createContext<() => Promise<void>>(() => Promise.resolve());

/** Whether what the page has is shown without having been asked for. */
export const WholeContext = createContext(false);

const words: Partial<Record<'idle' | 'busy' | 'failed', string>> = {
  busy: 'Loading…',
  failed: 'Could not show all: try again',
};

interface ShowAllProps {
  /** What there is in all, for example `12,345 lines`. */
  readonly amount: string;
  /** Something was cut away before the page had it. */
  readonly isCut: boolean;
  /** Shows all that the page has. */
  readonly onShow: () => void;
}

interface ShowAllTextsProps {
  readonly entry: Pick<Entry, 'omitted'>;
  /** Its own texts, as far as they are here. */
  readonly shown: readonly (string | undefined)[];
}

/** The button under an entry whose own texts were cut; nothing for others. */
export function ShowAllTexts({ entry: { omitted = 0 }, shown }: ShowAllTextsProps) {
  if (omitted === 0) return null;
  const units = shown.reduce((sum, text) => sum + (text?.length ?? 0), omitted);
  return <ShowAllButton amount={formatSize(units)} isCut onShow={() => undefined} />;
}

/** Copies a text; one that was cut is fetched whole from its entry first. */
export function useCopy(
  entryId: string,
  omitted = 0,
): (text: string, textOf: (whole: Entry) => string | undefined) => void {
  const { actions } = useTranscript();
  return (text, textOf) => {
    if (omitted === 0) {
      actions.copy(text);
      return;
    }
    actions.showAll(entryId).then(
      (whole) => actions.copy(textOf(whole) ?? text),
      // The page says why it could not be fetched.
      () => undefined,
    );
  };
}

/** The button under something long. */
export function ShowAllButton({ amount, isCut, onShow }: ShowAllProps) {
  const fetchAll = useContext(ShowAllContext);
  const [state, setState] = useState<'idle' | 'busy' | 'failed'>('idle');
  const show = (): void => {
    onShow();
    if (!isCut || state === 'busy') return;
    setState('busy');
    fetchAll().then(
      () => setState('idle'),
      () => setState('failed'),
    );
  };
  return (
    <button type="button" class="text-button" aria-busy={state === 'busy'} onClick={show}>
      {words[state] ?? `Show all (${amount})`}
    </button>
  );
}
