import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Entry } from '../../common/entries';
import { announcementsOf } from './announcer';
import { namingHiddenCharacters } from '../markdown/hiddenCharacters';
import { nodesOfText } from '../markdown/parser/markdownParser';
import type { TranscriptActions } from '../transcriptActions';
import { useTranscript } from '../transcriptContext';
import type { TranscriptModel } from './transcriptModel';

/** Older ones have been spoken. */
const kept = 6;

/** Tells screen readers what happens, when they are silent. */
export function LiveRegion() {
  const { actions, model } = useTranscript();
  const region = useRef<HTMLDivElement>(null);
  // What comes before the first frame is to be heard, too.
  useLayoutEffect(() => {
    const subscription = model.onDidChange((change) => {
      const added = change.added.filter((entry) => !isOfSubthread(entry, model));
      for (const text of announcementsOf({ ...change, added }, (markdown) => wordsOf(markdown, actions))) {
        const line = document.createElement('p');
        line.textContent = namingHiddenCharacters(text);
        region.current?.append(line);
      }
      while (region.current && region.current.childElementCount > kept) region.current.firstElementChild?.remove();
    });
    return () => subscription.dispose();
  }, [model]);
  return <div class="visually-hidden" role="log" aria-live="polite" aria-label="What happens" ref={region} />;
}

/** The reader has opened it to read it, however long ago all of it was said; only a warning is news. */
function isOfSubthread(entry: Entry, model: TranscriptModel): boolean {
  if (entry.kind === 'notice' && entry.level === 'warning') return false;
  const passed = new Set<string>();
  for (let at: Entry | undefined = entry; at?.parent !== undefined && !passed.has(at.id);) {
    passed.add(at.id);
    at = model.get(at.parent);
    if (at?.kind === 'tool' && at.subthread !== undefined) return true;
  }
  return false;
}

/** As it is drawn: names keep their underscores, and formulas their stars. */
function wordsOf(markdown: string, actions: TranscriptActions): string {
  const nodes = nodesOfText(markdown, {}, actions);
  for (const code of nodes.querySelectorAll('.md-code')) code.replaceWith(' (code) ');
  for (const block of nodes.querySelectorAll('li, td, th, br')) block.append(' ');
  return nodes.textContent;
}
