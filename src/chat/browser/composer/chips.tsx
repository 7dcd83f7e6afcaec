import { attachmentIcons } from '../../../transcript/browser/entries/entryIcons';
import { formatTokens } from '../../../transcript/browser/parts/format';
import { CloseIcon } from '../../../webview/browser/icons';
import { chatRequests } from '../../common/page/chatApi';
import type { ContextChipView, DraftAttachment } from '../../common/chatView';
import { usePage, usePageState } from '../chatPageContext';
import { attachmentKindLabels } from '../chatLabels';

export function ComposerChips() {
  const page = usePage();
  const { contextChips: context, missingAttachmentIds } = usePageState();
  const { attachments } = page.composerDraft.draft;
  if (attachments.length + context.length === 0) return null;
  return (
    <ul class="chips" aria-label="Attached context">
      {context.map((chip) => (
        <li key={chip.kind}>
          <ContextChip chip={chip} />
        </li>
      ))}
      {attachments.map((attachment) => (
        <li key={attachment.id}>
          <AttachmentChip attachment={attachment} isMissing={missingAttachmentIds.includes(attachment.id)} />
        </li>
      ))}
    </ul>
  );
}

function ContextChip({ chip: { kind, label, isOn, tokens } }: { chip: ContextChipView }) {
  const page = usePage();
  const note = tokens === undefined ? '' : `, about ${formatTokens(tokens)} tokens`;
  return (
    <button
      type="button"
      class="chip is-context"
      aria-pressed={isOn}
      title={isOn ? `${label} is sent with every prompt${note}` : `${label} is not sent`}
      onClick={() => void page.request(chatRequests.toggleContext, { kind, isOn: !isOn })}
    >
      <span class="one-line">{label}</span>
      {isOn && tokens !== undefined && <span class="chip-note">~{formatTokens(tokens)} tokens</span>}
    </button>
  );
}

function AttachmentChip({ attachment, isMissing }: { attachment: DraftAttachment; isMissing: boolean }) {
  const page = usePage();
  const { id, kind, title, path, line, image, tokens } = attachment;
  const Picture = attachmentIcons[kind];
  const place = [path ?? title, line].filter((part) => part !== undefined).join(':');
  const note = tokens === undefined ? '' : `, about ${formatTokens(tokens)} tokens`;
  const hint = isMissing
    ? `${place} no longer exists. It will not be sent.`
    : `${attachmentKindLabels[kind]}: ${place}${note}`;
  return (
    <span class={`chip ${isMissing ? 'is-missing' : ''}`} title={hint}>
      {image ? <img class="chip-image" src={`data:${image.mimeType};base64,${image.data}`} alt="" /> : <Picture />}
      <span class="one-line">{title}</span>
      {isMissing && <span class="chip-note">missing</span>}
      {tokens !== undefined && !isMissing && <span class="chip-note">~{formatTokens(tokens)} tokens</span>}
      <button
        type="button"
        class="chip-remove"
        aria-label={`Remove ${title}`}
        onClick={() => page.composerDraft.removeAttachment(id)}
      >
        <CloseIcon />
      </button>
    </span>
  );
}
