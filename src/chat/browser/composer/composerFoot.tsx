import { IconButton } from '../../../webview/browser/iconButton';
import { CloseIcon, QueueIcon, SendIcon, StopIcon } from '../../../webview/browser/icons';
import { chatRequests } from '../../common/page/chatApi';
import { usePage, usePageState } from '../chatPageContext';
import { ComposerPickers } from './options/composerPickers';
import { UsageMeter } from '../notices/usageMeter';

interface ComposerFootProps {
  readonly isEmpty: boolean;
  readonly isBusy: boolean;
  /** Whether the content is the reason for a denial. */
  readonly isReason: boolean;
  readonly onSend: () => void;
}

/** The agent and its options, and what is done with the prompt. One row at each width. */
export function ComposerFoot({ isEmpty, isBusy, isReason, onSend }: ComposerFootProps) {
  const page = usePage();
  const { session, isUntrusted } = usePageState();
  const isReadonly = session?.status === 'readonly';
  const isStopping = session?.status === 'stopping';
  // The agent may also work without a prompt, which keeps nobody from sending one.
  const isActing = isBusy || session?.activity !== undefined;
  return (
    <div class="composer-foot">
      <ComposerPickers />
      <span class="composer-buttons">
        {session && <UsageMeter session={session} />}
        {isActing && (
          <IconButton
            label={isStopping ? 'Stopping…' : 'Stop'}
            hint="Shift+Escape"
            keyShortcuts="Shift+Escape"
            icon={StopIcon}
            class="stop-button"
            disabled={isStopping}
            onClick={() => void page.requestForSession(chatRequests.stop, (sessionId) => ({ sessionId }))}
          />
        )}
        {!(isBusy && isEmpty) && (
          <IconButton
            label={isReason ? 'Deny with This Reason' : isBusy ? 'Queue' : 'Send'}
            hint={isUntrusted ? 'disabled in Restricted Mode' : 'Enter; Shift+Enter for a new line'}
            keyShortcuts="Enter"
            icon={isReason ? CloseIcon : isBusy ? QueueIcon : SendIcon}
            class="send-button"
            disabled={isEmpty || isReadonly || isUntrusted}
            onClick={onSend}
          />
        )}
      </span>
    </div>
  );
}
