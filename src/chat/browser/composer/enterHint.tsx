import { modifiedKeyLabel } from '../../../webview/browser/platformKeys';
import type { TextPurpose } from '../../common/approvals/reasonText';
import type { ComposerAction, EnterActions } from './enterActions';

/** The labels of the buttons that do the same as the keys. */
export const actionLabels: Record<ComposerAction, string> = {
  send: 'Send',
  steer: 'Send Now',
  queue: 'Queue',
  deny: 'Deny with This Reason',
  insert: 'Insert Prompt',
};

const verbs: Record<ComposerAction, string> = {
  send: 'sends',
  steer: 'sends now',
  queue: 'queues',
  deny: 'denies',
  insert: 'inserts the prompt',
};

/** Why the text is no reason for a denial. */
const whyNoReason: Record<TextPurpose, string> = {
  prompt: '',
  reason: '',
  command: 'A command, ',
  earlier: 'Begun earlier, ',
  changed: 'Approval changed, ',
  over: 'Approval is over, ',
};

/** Says what Ctrl+Enter does if Enter alone does something else, for example `Ctrl+Enter queues`. */
export function modifiedEnterHint({ enter, modifiedEnter }: EnterActions): string | undefined {
  return enter === modifiedEnter ? undefined : `${modifiedKeyLabel('Enter')} ${verbs[modifiedEnter]}`;
}

interface EnterHintProps {
  readonly id: string;
  readonly actions: EnterActions;
  readonly purpose: TextPurpose;
  readonly onModifiedEnter: () => void;
  /** Undefined if no turn can be ended. */
  readonly onStopAndSend: (() => void) | undefined;
}

/** Says what Enter does with the text, and has a button for the other thing that can be done with it. */
export function EnterHint({ id, actions, purpose, onModifiedEnter, onStopAndSend }: EnterHintProps) {
  const other = modifiedEnterHint(actions);
  return (
    <p class="enter-hint">
      <span id={id}>
        {`${whyNoReason[purpose]}Enter ${verbs[actions.enter]}`}
        {other !== undefined && <span class="visually-hidden">, {other}</span>}
      </span>
      {other !== undefined ? (
        <button
          type="button"
          class="text-button"
          aria-keyshortcuts="Control+Enter Meta+Enter"
          onClick={onModifiedEnter}
        >
          {actionLabels[actions.modifiedEnter]} <kbd aria-hidden="true">{modifiedKeyLabel('Enter')}</kbd>
        </button>
      ) : (
        onStopAndSend && (
          <button type="button" class="text-button" title="End this turn, and send the prompt" onClick={onStopAndSend}>
            Stop and Send
          </button>
        )
      )}
    </p>
  );
}
