import { showHiddenCharacters } from '../../../base/common/text/hiddenCharacters';
import { attachmentIcons } from '../../../transcript/browser/entries/entryIcons';
import { formatTokens } from '../../../transcript/browser/parts/format';
import { IconButton } from '../../../webview/browser/iconButton';
import { AddIcon, AtIcon, CloseIcon, TextIcon } from '../../../webview/browser/icons';
import { chatRequests } from '../../common/page/chatApi';
import type { ContextChipView, DraftAttachment, MentionRow } from '../../common/chatView';
import { usePage, usePageState } from '../chatPageContext';
import { attachmentKindLabels } from '../chatLabels';

interface ComposerChipsProps {
  readonly offered: MentionRow | undefined;
  readonly onStartMention: () => void;
}

/** What is sent with the prompt, and the file or selection that can be added with one click. One row, unless there is much. */
export function ComposerChips({ offered, onStartMention }: ComposerChipsProps) {
  const page = usePage();
  const { contextChips: context, deletedAttachmentIds, session, standing } = usePageState();
  const { attachments } = page.composerDraft.draft;
  return (
    <div class="chips">
      <IconButton
        label="Add Context"
        hint="@"
        icon={AtIcon}
        disabled={session?.status === 'readonly'}
        onClick={onStartMention}
      />
      {offered && (
        <button
          type="button"
          class="chip is-offered"
          title={`Add ${offered.path ?? offered.title} to the prompt (Alt+Enter)`}
          aria-keyshortcuts="Alt+Enter"
          onClick={() => page.composerDraft.addAttachments(offered)}
        >
          <AddIcon />
          <span class="one-line">{offered.title}</span>
        </button>
      )}
      {standing.instructions !== undefined && <InstructionsChip text={standing.instructions} />}
      {attachments.length + context.length > 0 && (
        <ul aria-label="Attached context">
          {context.map((chip) => (
            <li key={chip.kind}>
              <ContextChip chip={chip} />
            </li>
          ))}
          {attachments.map((attachment) => (
            <li key={attachment.id}>
              <AttachmentChip attachment={attachment} isMissing={deletedAttachmentIds.includes(attachment.id)} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Shows that the agent gets standing instructions, and what they are. A click opens them. */
function InstructionsChip({ text }: { text: string }) {
  const page = usePage();
  const shown = text.length > maxTooltipUnits ? `${text.slice(0, maxTooltipUnits).toWellFormed()}…` : text;
  return (
    <button
      type="button"
      class="chip"
      title={`The agent is told in each turn:\n\n${showHiddenCharacters(shown)}`}
      onClick={() => void page.request(chatRequests.editStanding, { what: 'instructions' })}
    >
      <TextIcon />
      <span class="one-line">Instructions</span>
    </button>
  );
}

const maxTooltipUnits = 2000;

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
    : `${attachmentKindLabels[kind]}: ${place}${note}${kind === 'text' ? '. Click to read it.' : ''}`;
  return (
    <span class={`chip ${isMissing ? 'is-missing' : ''}`} title={hint}>
      {image ? <img class="chip-image" src={`data:${image.mimeType};base64,${image.data}`} alt="" /> : <Picture />}
      {kind === 'text' ? (
        <button
          type="button"
          class="chip-open one-line"
          onClick={() => void page.request(chatRequests.openAttachment, { attachment })}
        >
          {title}
        </button>
      ) : (
        <span class="one-line">{title}</span>
      )}
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
