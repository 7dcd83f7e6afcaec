import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { oneLine } from '../../../base/common/text/oneLine';
import { formatCountWithNoun } from '../../../transcript/browser/parts/format';
import { IconButton } from '../../../webview/browser/iconButton';
import { CloseIcon, EditIcon, QueueIcon, SendIcon, StopAndSendIcon, WarningIcon } from '../../../webview/browser/icons';
import type { ConversationView, QueuedPrompt } from '../../common/chatView';
import { isCommandText } from '../../common/approvals/reasonText';
import { usePage, usePageState } from '../chatPageContext';
import { useAgentCommands } from './useSuggestions';

/** An agent takes a prompt within this time. What takes no longer is not shown, so that nothing flickers. */
const joiningDelayMs = 200;
const maxNameUnits = 40;
const doubt = 'It is not known whether the agent has this prompt. It is not sent by itself.';

/** The prompts that wait for the end of the turn, and those that the agent is asked to take into it. */
export function QueueList() {
  const page = usePage();
  const { joining, session } = usePageState();
  const queue = session?.queue ?? [];
  const known = new Set(queue.map(({ id }) => id));
  // As the host does, before those that wait for the end of the turn.
  const firstWaiting = queue.findIndex(({ isDoubtful, isJoining }) => !isDoubtful && !isJoining);
  const place = firstWaiting < 0 ? queue.length : firstWaiting;
  const rows = useShownPrompts(queue.toSpliced(place, 0, ...joining.filter(({ id }) => !known.has(id))));
  const waitingCount = rows.filter(({ isJoining }) => !isJoining).length;
  const canSend = session?.status === 'idle' || session?.status === 'failed';
  // Nothing is sent by itself before the first one.
  const isHeld = canSend || queue[0]?.isDoubtful === true;
  return (
    <>
      <p class="visually-hidden" role="status">
        {useNewlyQueued(session)}
      </p>
      {session && rows.length > 0 && (
        <section class="queue" aria-label="Queued prompts">
          <div class="queue-head">
            <QueueIcon />
            <h2 class="one-line">
              {waitingCount === 0 ? 'Joining the turn' : `${waitingCount} ${isHeld ? 'on hold' : 'queued'}`}
            </h2>
            {canSend && waitingCount > 0 && (
              <button type="button" class="link-button" onClick={() => void page.sendQueued()}>
                Send Now
              </button>
            )}
          </div>
          <ol>
            {rows.map((prompt) => (
              <QueueRow key={prompt.id} prompt={prompt} session={session} />
            ))}
          </ol>
        </section>
      )}
    </>
  );
}

function QueueRow({ prompt, session }: { prompt: QueuedPrompt; session: ConversationView }) {
  const page = usePage();
  const { id, attachments, isDoubtful, isJoining, text } = prompt;
  const commandNames = useAgentCommands().map(({ name }) => name);
  const shown = text === '' ? formatCountWithNoun(attachments.length, 'attachment') : text;
  const about = oneLine(shown).slice(0, maxNameUnits);
  /** The button that has the focus goes away with its row. */
  const act = (action: Promise<void>): void => {
    page.runCommand('focusComposer');
    void action;
  };
  return (
    <li>
      {isJoining && <span class="spinner" />}
      {isDoubtful && (
        <span class="queue-mark" role="img" title={doubt} aria-label={doubt}>
          <WarningIcon />
        </span>
      )}
      <span class="queue-text one-line" title={text}>
        {shown}
      </span>
      {isJoining && (
        <span class="queue-note">
          Waiting<span> for the agent</span>…
        </span>
      )}
      {!isJoining && session.status !== 'readonly' && (
        <>
          {session.canSteer && !isDoubtful && !isCommandText(text, commandNames) ? (
            <IconButton
              label="Send Now"
              about={about}
              hint="the agent takes it into this turn"
              icon={SendIcon}
              onClick={() => act(page.steerQueued(id))}
            />
          ) : (
            session.status === 'busy' && (
              <IconButton
                label="Stop and Send"
                about={about}
                hint="ends this turn"
                icon={StopAndSendIcon}
                onClick={() => act(page.stopAndSendQueued(id))}
              />
            )
          )}
          <IconButton label="Edit Prompt" about={about} icon={EditIcon} onClick={() => void page.unqueue(id, true)} />
          <IconButton
            label="Remove from Queue"
            about={about}
            icon={CloseIcon}
            onClick={() => act(page.unqueue(id, false))}
          />
        </>
      )}
    </li>
  );
}

/** Leaves out prompts that are joining, until that takes long. A row that is shown stays. */
function useShownPrompts(prompts: readonly QueuedPrompt[]): readonly QueuedPrompt[] {
  const shownIds = useRef<ReadonlySet<string>>(new Set());
  const [, setTick] = useState(0);
  const shown = prompts.filter(({ id, isJoining }) => !isJoining || shownIds.current.has(id));
  shownIds.current = new Set(shown.map(({ id }) => id));
  const hidden = prompts.filter(({ id }) => !shownIds.current.has(id)).map(({ id }) => id);
  const hiddenKey = hidden.join(' ');
  useLayoutEffect(() => {
    if (hiddenKey === '') return;
    const timer = setTimeout(() => {
      shownIds.current = new Set([...shownIds.current, ...hidden]);
      setTick((tick) => tick + 1);
    }, joiningDelayMs);
    return () => clearTimeout(timer);
  }, [hiddenKey]);
  return shown;
}

/** Says for a screen reader that a prompt was queued since the conversation is displayed. */
function useNewlyQueued(session: ConversationView | undefined): string {
  const seen = useRef<{ readonly sessionId: string | undefined; readonly ids: ReadonlySet<string> }>(undefined);
  const [said, setSaid] = useState('');
  const waiting = session?.queue.filter(({ isJoining }) => !isJoining) ?? [];
  useLayoutEffect(() => {
    const { current: before } = seen;
    seen.current = { sessionId: session?.id, ids: new Set(waiting.map(({ id }) => id)) };
    const added = before && before.sessionId === session?.id ? waiting.filter(({ id }) => !before.ids.has(id)) : [];
    if (added.length > 0) setSaid(`${waiting.length} queued: ${added.map(({ text }) => oneLine(text)).join(', ')}`);
    else if (waiting.length === 0) setSaid('');
  }, [session]);
  return said;
}
