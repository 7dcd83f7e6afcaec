import { useEffect, useRef } from 'preact/hooks';
import { announcementsOf } from './announcer';
import { useTranscript } from './transcriptContext';

/** Older ones have been spoken. */
const kept = 6;

/** Tells screen readers what happens, when they are silent. */
export function LiveRegion() {
  const { model } = useTranscript();
  const region = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const subscription = model.onDidChange((change) => {
      for (const text of announcementsOf(change)) {
        const line = document.createElement('p');
        line.textContent = text;
        region.current?.append(line);
      }
      while (region.current && region.current.childElementCount > kept) region.current.firstElementChild?.remove();
    });
    return () => subscription.dispose();
  }, [model]);
  return <div class="visually-hidden" role="log" aria-live="polite" aria-label="What happens" ref={region} />;
}
