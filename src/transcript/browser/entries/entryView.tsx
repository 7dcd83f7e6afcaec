import { useRef, useState } from 'preact/hooks';
import { IconButton } from '../../../webview/browser/iconButton';
import { BracesIcon } from '../../../webview/browser/icons';
import type { Entry } from '../../common/entries';
import { EndEntry } from './endEntry';
import { useFarEntryPlaceholder } from '../list/useFarEntryPlaceholder';
import { PromptEntry, PromptHeading } from './promptEntry';
import { AnswerEntry, MediaEntry, NoticeEntry, RawEntry, SummaryEntry, ThinkingEntry } from './textEntries';
import { TodosEntry } from './todosEntry';
import { ToolEntry } from './toolEntry';
import { DrawnEntryContext, useEntry, useTranscriptContext } from '../transcriptContext';

/** Shows one entry. Redrawn only when the entry changes. */
export function EntryView({ id }: { id: string }) {
  const { loadFullEntry, showJson } = useTranscriptContext().actions;
  const element = useRef<HTMLDivElement>(null);
  const known = useEntry(id);
  const [whole, setWhole] = useState<{ of: Entry; entry: Entry }>();
  const isShown = known !== undefined && !isInvisible(known);
  const far = useFarEntryPlaceholder(isShown ? known : undefined, element);
  if (!isShown) return null;
  // The entry has changed since its complete form was loaded, so the current one is newer.
  const entry = whole?.of === known ? whole.entry : known;
  const loadAll = async (): Promise<void> => setWhole({ of: known, entry: await loadFullEntry(id) });
  const isPrompt = entry.kind === 'prompt';
  return (
    <div
      class={`entry entry-${entry.kind} ${far ? 'is-far' : ''}`}
      style={{ height: far?.height }}
      ref={element}
      data-entry={id}
      // Focus target of the keys that move between prompts.
      tabIndex={isPrompt ? -1 : undefined}
      role={isPrompt ? 'group' : undefined}
      aria-label={isPrompt ? 'Your prompt' : undefined}
    >
      {far ? (
        <>
          {isPrompt && <PromptHeading turn={entry.turn} />}
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

/** Passed to tool calls, because their steps are also entries. */
function renderEntry(id: string) {
  return <EntryView key={id} id={id} />;
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
      return <ToolEntry entry={entry} renderEntry={renderEntry} />;
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

function isInvisible(entry: Entry): boolean {
  if (entry.kind === 'end') {
    const { outcome, usage, durationMs, changes = [] } = entry;
    return outcome === 'completed' && !usage && durationMs === undefined && changes.length === 0;
  }
  return (entry.kind === 'answer' || entry.kind === 'thinking') && entry.text === '' && !entry.streaming;
}
