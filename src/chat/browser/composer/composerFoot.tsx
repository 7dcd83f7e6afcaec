import { IconButton } from '../../../webview/browser/iconButton';
import { CloseIcon, QueueIcon, SendIcon, StopIcon, TextIcon, type Icon } from '../../../webview/browser/icons';
import { chatRequests } from '../../common/page/chatApi';
import { usePage, usePageState } from '../chatPageContext';
import type { ComposerAction, EnterActions } from './enterActions';
import { actionLabels, modifiedEnterHint } from './enterHint';
import { ComposerPickers } from './options/composerPickers';
import { UsageMeter } from '../notices/usageMeter';

interface ComposerFootProps {
  readonly isEmpty: boolean;
  readonly isBusy: boolean;
  readonly actions: EnterActions;
  readonly onSend: () => void;
}

const icons: Record<ComposerAction, Icon> = {
  send: SendIcon,
  steer: SendIcon,
  queue: QueueIcon,
  deny: CloseIcon,
  insert: TextIcon,
};

/** The agent and its options, and what is done with the prompt. One row at each width. */
export function ComposerFoot({ isEmpty, isBusy, actions, onSend }: ComposerFootProps) {
  const page = usePage();
  const { session, isUntrusted } = usePageState();
  const isReadonly = session?.status === 'readonly';
  const isStopping = session?.status === 'stopping';
  const hint = ['Enter', modifiedEnterHint(actions), 'Shift+Enter for a new line'].filter(Boolean).join('; ');
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
            label={actionLabels[actions.enter]}
            hint={isUntrusted ? 'disabled in Restricted Mode' : hint}
            keyShortcuts="Enter"
            icon={icons[actions.enter]}
            class="send-button"
            disabled={isEmpty || isReadonly || isUntrusted}
            onClick={onSend}
          />
        )}
      </span>
    </div>
  );
}
