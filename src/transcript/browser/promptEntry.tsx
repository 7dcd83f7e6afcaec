import { useState } from 'preact/hooks';
import { IconButton } from '../../webview/browser/iconButton';
import { CopyIcon, EditIcon } from '../../webview/browser/icons';
import type { Attachment, EntryOf } from '../common/entries';
import { attachmentIcons } from './entryIcons';
import { formatAge, formatMoment } from './format';
import { ImageView } from './imageView';
import { useTranscript } from './transcriptContext';

/** Longer ones are folded. */
const maxLines = 14;
const maxUnits = 1_200;

export function PromptEntry({ entry }: { entry: EntryOf<'prompt'> }) {
  const { actions } = useTranscript();
  const { editPrompt } = actions;
  const { attachments = [], text } = entry;
  return (
    <>
      <h2 class="visually-hidden">{entry.turn > 0 ? `Prompt ${entry.turn}` : 'Prompt'}</h2>
      <div class="bubble">
        {attachments.length > 0 && (
          <ul class="chips" aria-label="Attached">
            {attachments.map((attachment, index) => (
              <li key={index}>
                <AttachmentChip attachment={attachment} />
              </li>
            ))}
          </ul>
        )}
        {text !== '' && <PromptText text={text} />}
      </div>
      <div class="prompt-foot">
        <span class="toolbar">
          {editPrompt && <IconButton label="Edit and resend" icon={EditIcon} onClick={() => editPrompt(entry.id)} />}
          <IconButton label="Copy prompt" icon={CopyIcon} onClick={() => actions.copy(text)} />
        </span>
        {entry.at !== undefined && <Moment at={entry.at} />}
      </div>
    </>
  );
}

function PromptText({ text }: { text: string }) {
  const isLong = text.length > maxUnits || text.split('\n', maxLines + 1).length > maxLines;
  const [isWhole, setWhole] = useState(false);
  return (
    <>
      <div class={isLong && !isWhole ? 'prompt-text folded' : 'prompt-text'} dir="auto">
        {text}
      </div>
      {isLong && (
        <button type="button" class="text-button" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show less' : 'Show more'}
        </button>
      )}
    </>
  );
}

function AttachmentChip({ attachment }: { attachment: Attachment }) {
  const { actions } = useTranscript();
  const { kind, title, path, line, image } = attachment;
  if (image) return <ImageView {...image} title={title} isThumbnail />;
  const Picture = attachmentIcons[kind];
  const label = (
    <>
      <Picture />
      <span class="chip-text">{title}</span>
    </>
  );
  if (path === undefined) {
    return (
      <span class="chip" title={title}>
        {label}
      </span>
    );
  }
  return (
    <button type="button" class="chip" title={path} onClick={() => actions.open(path, line)}>
      {label}
    </button>
  );
}

function Moment({ at }: { at: number }) {
  const { times } = useTranscript().options;
  if (!times) return null;
  return (
    <time class="time" dateTime={new Date(at).toISOString()} title={formatMoment(at)}>
      {times === 'relative' ? formatAge(at, Date.now()) : formatMoment(at)}
    </time>
  );
}
