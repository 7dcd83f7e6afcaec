import { useState } from 'preact/hooks';
import type { Entry } from '../../common/entries';
import { formatTextSize } from './format';
import { useDrawnEntry, useTranscriptContext } from '../transcriptContext';

const stateTexts: Partial<Record<'idle' | 'busy' | 'failed', string>> = {
  busy: 'Loading…',
  failed: 'Could not load. Try again.',
};

interface ShowAllProps {
  readonly amount: string;
  /** Whether the host truncated the content. */
  readonly isTruncated: boolean;
  readonly onShow?: () => void;
}

interface ShowAllTextsProps {
  readonly entry: Pick<Entry, 'omitted'>;
  readonly shown: readonly (string | undefined)[];
}

/** A "Show all" button for an entry whose own texts were truncated. */
export function ShowAllTextsButton({ entry: { omitted = 0 }, shown }: ShowAllTextsProps) {
  if (omitted === 0) return null;
  const units = shown.reduce((sum, text) => sum + (text?.length ?? 0), omitted);
  return <ShowAllButton amount={formatTextSize(units)} isTruncated />;
}

/** Returns a function that copies a text of the entry. If the text was truncated, first loads the complete entry. */
export function useCopyFull(omitted = 0): (text: string, textOf: (whole: Entry) => string | undefined) => void {
  const { actions } = useTranscriptContext();
  const { id } = useDrawnEntry();
  return (text, textOf) => {
    if (omitted === 0) {
      actions.copy(text);
      return;
    }
    actions.loadFullEntry(id).then(
      (whole) => actions.copy(textOf(whole) ?? text),
      () => undefined,
    );
  };
}

export function ShowAllButton({ amount, isTruncated, onShow }: ShowAllProps) {
  const { loadAll } = useDrawnEntry();
  const [state, setState] = useState<'idle' | 'busy' | 'failed'>('idle');
  const show = (): void => {
    onShow?.();
    if (!isTruncated || state === 'busy') return;
    setState('busy');
    loadAll().then(
      () => setState('idle'),
      () => setState('failed'),
    );
  };
  return (
    <button type="button" class="text-button" aria-busy={state === 'busy'} onClick={show}>
      {stateTexts[state] ?? `Show all (${amount})`}
    </button>
  );
}
