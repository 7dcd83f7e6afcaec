import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isFarEntryInUse } from '../list/focusAndSelection';
import { formatCountWithNoun } from '../parts/format';
import { useRedraw, useTranscriptContext } from '../transcriptContext';

const pageSize = 40;

interface MoreEntriesProps {
  readonly scroller: RefObject<HTMLElement | null>;
  readonly side: 'older' | 'later';
}

const sideSettings = {
  older: { word: 'earlier', countMember: 'unloadedOlderCount', margin: '400px 0px 0px' },
  later: { word: 'later', countMember: 'unloadedLaterCount', margin: '0px 0px 400px' },
} as const;

/** Loads more entries when the reader scrolls near them or selects the button. */
export function MoreEntries({ scroller, side }: MoreEntriesProps) {
  const { model, actions } = useTranscriptContext();
  const marker = useRef<HTMLDivElement>(null);
  const [state, setState] = useState<'idle' | 'busy' | 'failed'>('idle');
  /** The number of unloaded entries at the time of the last automatic load. */
  const lastAutoLoadCount = useRef<number | undefined>(undefined);
  const redraw = useRedraw();
  const { countMember, margin, word } = sideSettings[side];
  const count = model[countMember];
  const load = (): void => {
    if (state === 'busy' || !scroller.current) return;
    setState('busy');
    const request = { kind: side, count: pageSize, keepsAll: isFarEntryInUse(scroller.current) };
    void actions.load(request).then((answer) => setState(answer ? 'idle' : 'failed'));
  };
  useLayoutEffect(() => {
    let drawn = model[countMember];
    const subscription = model.onDidChange(({ isReset }) => {
      if (model[countMember] === drawn && !isReset) return;
      // After a reset, and after entries were unloaded, the same number can mean other entries.
      lastAutoLoadCount.current = undefined;
      if (isReset) setState('idle');
      drawn = model[countMember];
      redraw();
    });
    redraw();
    return () => subscription.dispose();
  }, [model, countMember]);
  // The marker is observed again after each load, because a marker that stays visible causes no event. After a failure
  // or an empty result, only the button loads more entries.
  useEffect(() => {
    if (count === 0 || state !== 'idle' || lastAutoLoadCount.current === count || !marker.current) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        observer.disconnect();
        lastAutoLoadCount.current = count;
        load();
      },
      { root: scroller.current, rootMargin: margin },
    );
    observer.observe(marker.current);
    return () => observer.disconnect();
  }, [model, count, state]);
  return (
    <div class="more" ref={marker}>
      {count > 0 && (
        <button type="button" class="text-button" aria-busy={state === 'busy'} onClick={load}>
          {state === 'failed'
            ? `Could not load ${word} messages. Try again.`
            : `Show ${word} (${formatCountWithNoun(count, 'more', 'more')})`}
        </button>
      )}
    </div>
  );
}
