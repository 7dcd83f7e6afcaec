import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { IconButton } from '../../../webview/browser/iconButton';
import { BracesIcon } from '../../../webview/browser/icons';
import type { Entry } from '../../common/entries';
import { entryIdsInUse } from '../list/focusAndSelection';
import { isInvisible, type ListItem } from '../list/runs';
import { EndEntry } from './endEntry';
import { RunLine } from './runLine';
import { useFarEntryPlaceholder } from '../list/useFarEntryPlaceholder';
import { PromptEntry, PromptHeading } from './promptEntry';
import { AnswerEntry, MediaEntry, NoticeEntry, RawEntry, SummaryEntry, ThinkingEntry } from './textEntries';
import { TodosEntry } from './todosEntry';
import { ToolEntry } from './toolEntry';
import { DrawnEntryContext, useEntry, useRedraw, useTranscriptContext } from '../transcriptContext';

/**
 * Shows entries that follow one another. Those of a closed run stay in the document, so that a reader's focus and selection,
 * find, and jumps to an entry do not depend on runs: what is found or jumped to opens its run.
 */
export function EntryItems({ items }: { readonly items: readonly ListItem[] }) {
  const { options, sectionChoices } = useTranscriptContext();
  const redraw = useRedraw();
  /** Read only for a run: the selection makes the browser lay out the list, which is being changed, and moves the reader. */
  let used: ReadonlySet<string> | undefined;
  /** Another run has formed around what the reader looks at, so it is open. */
  const isInUse = (id: string): boolean =>
    (used ??= entryIdsInUse()).has(id) || sectionChoices.get(`${id} tool`) === true;
  return (
    <>
      {items.flatMap((item) => {
        if (typeof item === 'string') return <EntryView key={item} id={item} />;
        const [chosen] = item.flatMap((id) => sectionChoices.get(`${id} run`) ?? []);
        const isOpen = chosen ?? options.folding?.isOpen ?? item.some(isInUse);
        const choose = (isWanted: boolean): void => {
          for (const id of item) sectionChoices.set(`${id} run`, isWanted);
          redraw();
        };
        return [
          <RunLine key={`run ${item[0]}`} ids={item} isOpen={isOpen} onToggle={() => choose(!isOpen)} />,
          ...item.map((id) => <EntryView key={id} id={id} run={{ isOpen, open: () => choose(true) }} />),
        ];
      })}
    </>
  );
}

interface EntryViewProps {
  readonly id: string;
  /** The run that the entry is a part of. It is hidden while that is closed. */
  readonly run?: { readonly isOpen: boolean; readonly open: () => void };
}

/** Shows one entry. Redrawn only when the entry or its run changes. */
function EntryView({ id, run }: EntryViewProps) {
  const { loadFullEntry, showJson } = useTranscriptContext().actions;
  const element = useRef<HTMLDivElement>(null);
  const known = useEntry(id);
  const [whole, setWhole] = useState<{ of: Entry; entry: Entry }>();
  const isShown = known !== undefined && !isInvisible(known);
  const isFolded = run?.isOpen === false;
  const far = useFarEntryPlaceholder(isShown ? known : undefined, element, isFolded);
  useUnfolding(element, isFolded ? run.open : undefined);
  if (!isShown) return null;
  // The entry has changed since its complete form was loaded, so the current one is newer.
  const entry = whole?.of === known ? whole.entry : known;
  const loadAll = async (): Promise<void> => setWhole({ of: known, entry: await loadFullEntry(id) });
  const isPrompt = entry.kind === 'prompt';
  return (
    <div
      class={`entry entry-${entry.kind} ${far ? 'is-far' : ''} ${run ? 'in-run' : ''}`}
      hidden={isFolded ? 'until-found' : undefined}
      style={{ height: far?.height }}
      ref={element}
      data-entry={id}
      // Focus target of the keys that move between prompts.
      tabIndex={isPrompt ? -1 : undefined}
      role={isPrompt ? 'group' : undefined}
      aria-label={isPrompt ? (entry.isSteered ? 'Your prompt, added during the turn' : 'Your prompt') : undefined}
    >
      {far ? (
        <>
          {isPrompt && <PromptHeading prompt={entry} />}
          {far.text}
        </>
      ) : (
        <>
          <DrawnEntryContext.Provider value={{ id, loadAll }}>
            <EntryBody entry={entry} />
          </DrawnEntryContext.Provider>
          {showJson && (
            <IconButton label="Show JSON" icon={BracesIcon} class="raw-button" onClick={() => showJson(id)} />
          )}
        </>
      )}
    </div>
  );
}

/** Opens the run of a folded entry when the reader goes to it. */
function useUnfolding(element: RefObject<HTMLElement | null>, open: (() => void) | undefined): void {
  useLayoutEffect(() => {
    const { current: folded } = element;
    if (!open || !folded) return;
    folded.addEventListener('beforematch', open);
    return () => folded.removeEventListener('beforematch', open);
  });
}

function EntryBody({ entry }: { entry: Entry }) {
  switch (entry.kind) {
    case 'prompt':
      return <PromptEntry entry={entry} />;
    case 'answer':
      return <AnswerEntry entry={entry} />;
    case 'thinking':
      return <ThinkingEntry entry={entry} />;
    case 'tool':
      return <ToolEntry entry={entry} renderItems={(items) => <EntryItems items={items} />} />;
    case 'todos':
      return <TodosEntry entry={entry} />;
    case 'notice':
      return <NoticeEntry entry={entry} />;
    case 'summary':
      return <SummaryEntry entry={entry} />;
    case 'media':
      return <MediaEntry entry={entry} />;
    case 'end':
      return <EndEntry entry={entry} />;
    case 'raw':
      return <RawEntry entry={entry} />;
  }
}
