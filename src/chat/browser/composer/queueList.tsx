import { formatCountWithNoun } from '../../../transcript/browser/parts/format';
import { IconButton } from '../../../webview/browser/iconButton';
import { CloseIcon, EditIcon, QueueIcon } from '../../../webview/browser/icons';
import { usePage, usePageState } from '../chatPageContext';

export function QueueList() {
  const page = usePage();
  const { session } = usePageState();
  if (!session || session.queue.length === 0) return null;
  const { queue, status } = session;
  const isHeld = status === 'idle' || status === 'failed';
  const isReadonly = status === 'readonly';
  return (
    <section class="queue" aria-label="Queued prompts">
      <div class="queue-head">
        <QueueIcon />
        <h2 class="one-line">{`${queue.length} ${isHeld ? 'on hold' : 'queued'}`}</h2>
        {isHeld && (
          <button type="button" class="link-button" onClick={() => void page.sendQueued()}>
            Send Now
          </button>
        )}
      </div>
      <ol>
        {queue.map(({ id, text, attachments }) => (
          <li key={id}>
            <span class="queue-text one-line" title={text}>
              {text === '' ? formatCountWithNoun(attachments.length, 'attachment') : text}
            </span>
            {!isReadonly && (
              <>
                <IconButton label="Edit Prompt" icon={EditIcon} onClick={() => void page.unqueue(id, true)} />
                <IconButton label="Remove from Queue" icon={CloseIcon} onClick={() => void page.unqueue(id, false)} />
              </>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
