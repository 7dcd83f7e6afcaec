import { useRef } from 'preact/hooks';
import { IconButton } from '../../../webview/browser/iconButton';
import { AskAsideIcon, CopyIcon } from '../../../webview/browser/icons';
import type { Entry, EntryOf } from '../../common/entries';
import { Disclosure } from '../parts/disclosure';
import { ElapsedTime } from '../parts/elapsed';
import { noticeIcons } from './entryIcons';
import { formatCountWithNoun, formatDuration } from '../parts/format';
import { MarkdownText } from '../parts/markdownText';
import { PartView } from '../parts/partView';
import { PathButton } from '../parts/pathButton';
import { ShowAllTextsButton, useCopyFull } from '../parts/showAll';
import { useTranscriptContext } from '../transcriptContext';
import { UntrustedText } from '../parts/untrustedText';

export function AnswerEntry({ entry }: { entry: EntryOf<'answer'> }) {
  const copy = useCopyFull(entry.omitted);
  const { askAside } = useTranscriptContext().actions;
  const toolbar = useRef<HTMLDivElement>(null);
  const isStreaming = entry.streaming ?? false;
  return (
    <>
      <div class={`toolbar ${askAside ? 'has-two' : ''}`} ref={toolbar}>
        {!isStreaming && askAside && (
          <IconButton
            label="Ask Side Question"
            icon={AskAsideIcon}
            onClick={() => askAside(selectedTextIn(toolbar.current?.parentElement))}
          />
        )}
        {!isStreaming && (
          <IconButton label="Copy Answer" icon={CopyIcon} onClick={() => copy(entry.text, answerTextOf)} />
        )}
      </div>
      <MarkdownText text={entry.text} isStreaming={isStreaming} />
      <ShowAllTextsButton entry={entry} shown={[entry.text]} />
      {isStreaming && entry.text === '' && <span class="dots" aria-hidden="true" />}
    </>
  );
}

/** Returns the text that is selected in an element, and nothing of a selection that goes beyond it. */
function selectedTextIn(element: Element | null | undefined): string {
  const selection = document.getSelection();
  const isInside = [selection?.anchorNode, selection?.focusNode].every((node) => element?.contains(node ?? null));
  return selection && isInside ? selection.toString() : '';
}

function answerTextOf(whole: Entry): string | undefined {
  return whole.kind === 'answer' ? whole.text : undefined;
}

export function ThinkingEntry({ entry }: { entry: EntryOf<'thinking'> }) {
  const { streaming: isStreaming = false, durationMs, text, at } = entry;
  const time = durationMs === undefined ? '' : ` for ${formatDuration(durationMs)}`;
  return (
    <Disclosure
      class="thinking"
      summary={
        <>
          <span class={isStreaming ? 'working' : ''}>{isStreaming ? 'Thinking' : `Thought${time}`}</span>
          {isStreaming && at !== undefined && <ElapsedTime since={at} />}
        </>
      }
    >
      <div class="thinking-body">
        <MarkdownText text={text} isStreaming={isStreaming} />
        <ShowAllTextsButton entry={entry} shown={[text]} />
      </div>
    </Disclosure>
  );
}

export function NoticeEntry({ entry }: { entry: EntryOf<'notice'> }) {
  const { openChange, undoRestore } = useTranscriptContext().actions;
  const Picture = noticeIcons[entry.level];
  const { path, restoreId } = entry;
  return (
    <div class={`notice notice-${entry.level}`}>
      <Picture />
      <div class="notice-body">
        <p dir="auto">
          <UntrustedText text={entry.text} />
        </p>
        {path !== undefined && <PathButton path={path} onClick={openChange && (() => openChange(path))} />}
        {entry.details !== undefined && <EntryDetails text={entry.details} />}
        {undoRestore && restoreId !== undefined && (
          <button type="button" class="button undo-restore" onClick={() => undoRestore(restoreId)}>
            Undo Restore
          </button>
        )}
        <ShowAllTextsButton entry={entry} shown={[entry.text, entry.details]} />
      </div>
    </div>
  );
}

export function EntryDetails({ text }: { text: string }) {
  const { actions } = useTranscriptContext();
  return (
    <Disclosure class="details" summary="Details">
      <div class="boxed">
        <pre tabIndex={0}>
          <UntrustedText text={text} />
        </pre>
        <IconButton label="Copy Details" icon={CopyIcon} class="corner" onClick={() => actions.copy(text)} />
      </div>
    </Disclosure>
  );
}

export function SummaryEntry({ entry }: { entry: EntryOf<'summary'> }) {
  return (
    <Disclosure
      class="summary"
      summary={
        <>
          <span>Earlier messages were summarized</span>
          <span class="quiet">{formatCountWithNoun(entry.text.length + (entry.omitted ?? 0), 'character')}</span>
        </>
      }
    >
      <div class="thinking-body">
        <MarkdownText text={entry.text} />
        <ShowAllTextsButton entry={entry} shown={[entry.text]} />
      </div>
    </Disclosure>
  );
}

export function MediaEntry({ entry }: { entry: EntryOf<'media'> }) {
  return <PartView part={entry.part} index={0} />;
}

export function RawEntry({ entry }: { entry: EntryOf<'raw'> }) {
  const { label, json, omitted } = entry;
  return (
    <Disclosure
      class="summary"
      summary={
        <>
          <span class="title one-line">
            <UntrustedText text={label} />
          </span>
          <span class="quiet">JSON</span>
        </>
      }
    >
      <PartView part={{ type: 'json', json, ...(omitted === undefined ? {} : { omitted }) }} index={0} />
    </Disclosure>
  );
}
