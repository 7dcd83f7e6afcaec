import { createContext } from 'preact';
import { useContext, useState } from 'preact/hooks';

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
