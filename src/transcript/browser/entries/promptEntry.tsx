import { useEffect, useState } from 'preact/hooks';
import { useHostTime } from '../../../webview/browser/hostTime';
import { IconButton } from '../../../webview/browser/iconButton';
import { CopyIcon, EditIcon, HistoryIcon } from '../../../webview/browser/icons';
import type { Entry, EntryOf, SentAttachment } from '../../common/entries';
import { attachmentIcons } from './entryIcons';
import { msUntilAgeChanges, formatAge, formatDateTime, formatTextSize } from '../parts/format';
import { ImageView } from '../parts/imageView';
import { ShowAllButton, useCopyFull } from '../parts/showAll';
import { useRedraw, useTranscriptContext } from '../transcriptContext';
import { showHiddenCharacters } from '../../../base/common/text/hiddenCharacters';
import { UntrustedText } from '../parts/untrustedText';

const maxFoldedLines = 14;
const maxFoldedUnits = 1_200;
const maxTooltipUnits = 2000;

export function PromptEntry({ entry }: { entry: EntryOf<'prompt'> }) {
  const { actions } = useTranscriptContext();
  const { editPrompt, restore } = actions;
  const { attachments = [], omitted = 0, text } = entry;
  const copy = useCopyFull(omitted);
  if (entry.isRetry) {
    return (
      <>
        <PromptHeading prompt={entry} />
        <p class="retried">
          <HistoryIcon /> Sent again
        </p>
        {attachments.length > 0 && (
          <div class="bubble">
            <Attachments attachments={attachments} />
          </div>
        )}
      </>
    );
  }
  return (
    <>
      <PromptHeading prompt={entry} />
      <div class="bubble">
        {attachments.length > 0 && <Attachments attachments={attachments} />}
        {text !== '' && <PromptText text={text} omitted={omitted} />}
      </div>
      <div class="prompt-foot">
        <span class="toolbar">
          {restore && <IconButton label="Restore to Here…" icon={HistoryIcon} onClick={() => restore(entry.id)} />}
          {editPrompt && <IconButton label="Edit and Resend" icon={EditIcon} onClick={() => editPrompt(entry.id)} />}
          <IconButton label="Copy Prompt" icon={CopyIcon} onClick={() => copy(text, promptTextOf)} />
        </span>
        {entry.at !== undefined && <PromptTime at={entry.at} />}
      </div>
    </>
  );
}

/** A heading with which screen readers can move between prompts. All readers see that a prompt has joined a turn. */
export function PromptHeading({
  prompt: { isSteered, turn },
}: {
  prompt: Pick<EntryOf<'prompt'>, 'isSteered' | 'turn'>;
}) {
  if (isSteered) return <h3 class="steered">Added during the turn</h3>;
  return <h2 class="visually-hidden">{turn > 0 ? `Prompt ${turn}` : 'Prompt'}</h2>;
}

function promptTextOf(whole: Entry): string | undefined {
  return whole.kind === 'prompt' ? whole.text : undefined;
}

function PromptText({ text, omitted }: { text: string; omitted: number }) {
  const isLong = text.length > maxFoldedUnits || text.split('\n', maxFoldedLines + 1).length > maxFoldedLines;
  const [isWhole, setWhole] = useState(false);
  return (
    <>
      <div class={isLong && !isWhole ? 'prompt-text folded' : 'prompt-text'} dir="auto">
        <UntrustedText text={text} />
      </div>
      {omitted > 0 && (
        <ShowAllButton amount={formatTextSize(text.length + omitted)} isTruncated onShow={() => setWhole(true)} />
      )}
      {isLong && omitted === 0 && (
        <button type="button" class="text-button" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show Less' : 'Show More'}
        </button>
      )}
    </>
  );
}

function Attachments({ attachments }: { attachments: readonly SentAttachment[] }) {
  const [openIndex, setOpenIndex] = useState<number>();
  const open = openIndex === undefined ? undefined : attachments[openIndex];
  return (
    <>
      <ul class="attachments" aria-label="Attachments">
        {attachments.map((attachment, index) => {
          const isOpen = index === openIndex;
          const toggle = (): void => setOpenIndex(isOpen ? undefined : index);
          return (
            <li key={index}>
              <AttachmentChip attachment={attachment} isOpen={isOpen} onToggle={toggle} />
            </li>
          );
        })}
      </ul>
      {open?.text !== undefined && (
        <div class="attached-text" role="region" aria-label={showHiddenCharacters(open.title)} tabIndex={0} dir="auto">
          <UntrustedText text={open.text} />
        </div>
      )}
    </>
  );
}

interface AttachmentChipProps {
  readonly attachment: SentAttachment;
  /** Whether its text is shown. */
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

function AttachmentChip({ attachment, isOpen, onToggle }: AttachmentChipProps) {
  const { actions } = useTranscriptContext();
  const { kind, title, path, line, image, notSent, text } = attachment;
  if (image) return <ImageView {...image} title={title} isThumbnail />;
  const Picture = attachmentIcons[kind];
  const label = (
    <>
      <Picture />
      <span class="one-line">
        <UntrustedText text={title} />
      </span>
    </>
  );
  if (notSent === true) {
    return (
      <span class="attachment is-not-sent" title={showHiddenCharacters(`${path ?? title} was not sent`)}>
        {label}
        <span class="attachment-note">not sent</span>
      </span>
    );
  }
  if (text !== undefined) {
    const cut = text.length > maxTooltipUnits ? `${text.slice(0, maxTooltipUnits).toWellFormed()}…` : text;
    return (
      <button
        type="button"
        class="attachment"
        aria-expanded={isOpen}
        title={showHiddenCharacters(`Sent with the prompt:\n\n${cut}`)}
        onClick={onToggle}
      >
        {label}
      </button>
    );
  }
  if (path === undefined) {
    return (
      <span class="attachment" title={showHiddenCharacters(title)}>
        {label}
      </span>
    );
  }
  return (
    <button
      type="button"
      class="attachment"
      title={showHiddenCharacters(path)}
      onClick={() => actions.open(path, line)}
    >
      {label}
    </button>
  );
}

function PromptTime({ at }: { at: number }) {
  const { timeFormat } = useTranscriptContext().options;
  if (!timeFormat) return null;
  return (
    <time class="time" dateTime={new Date(at).toISOString()} title={formatDateTime(at)}>
      {timeFormat === 'relative' ? <PromptAge at={at} /> : formatDateTime(at)}
    </time>
  );
}

function PromptAge({ at }: { at: number }) {
  const redraw = useRedraw();
  const now = useHostTime().now();
  useEffect(() => {
    const leftMs = msUntilAgeChanges(at, now);
    if (leftMs === undefined) return;
    const timer = setTimeout(redraw, leftMs);
    return () => clearTimeout(timer);
  });
  return <>{formatAge(at, now)}</>;
}
