import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Entry } from '../../common/entries';
import { createAnnouncements } from './announcer';
import { showHiddenCharacters } from '../../../base/common/text/hiddenCharacters';
import { renderText } from '../markdown/parser/markdownParser';
import type { TranscriptActions } from '../transcriptActions';
import { useTranscriptContext } from '../transcriptContext';
import type { TranscriptModel } from './transcriptModel';

const maxAnnouncements = 6;

/** Announces changes to screen readers. */
export function LiveRegion() {
  const { actions, model } = useTranscriptContext();
  const region = useRef<HTMLDivElement>(null);
  // A layout effect, so that changes before the first frame are also announced.
  useLayoutEffect(() => {
    const subscription = model.onDidChange((change) => {
      const added = [...change.addedEntries, ...change.addedElsewhere].filter(
        (entry) => !isSilentSubthread(entry, model),
      );
      for (const text of createAnnouncements({ ...change, addedEntries: added }, (markdown) =>
        toSpokenText(markdown, actions),
      )) {
        const line = document.createElement('p');
        line.textContent = showHiddenCharacters(text);
        region.current?.append(line);
      }
      while (region.current && region.current.childElementCount > maxAnnouncements)
        region.current.firstElementChild?.remove();
    });
    return () => subscription.dispose();
  }, [model]);
  return <div class="visually-hidden" role="log" aria-live="polite" aria-label="Activity" ref={region} />;
}

/** Entries of subthreads may be old, so they are not announced, except for warnings. */
function isSilentSubthread(entry: Entry, model: TranscriptModel): boolean {
  if (entry.kind === 'notice' && entry.level === 'warning') return false;
  const passed = new Set<string>();
  for (let at: Entry | undefined = entry; at?.parent !== undefined && !passed.has(at.id);) {
    passed.add(at.id);
    at = model.get(at.parent);
    if (at?.kind === 'tool' && at.subthread !== undefined) return true;
  }
  return false;
}

/** Uses the rendered text, which keeps underscores in names and asterisks in formulas. */
function toSpokenText(markdown: string, actions: TranscriptActions): string {
  const nodes = renderText(markdown, {}, actions);
  for (const code of nodes.querySelectorAll('.md-code')) code.replaceWith(' (code) ');
  for (const block of nodes.querySelectorAll('li, td, th, br')) block.append(' ');
  return nodes.textContent;
}
