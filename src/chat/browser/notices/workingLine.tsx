import { useLayoutEffect, useRef } from 'preact/hooks';
import { showHiddenCharacters } from '../../../base/common/text/hiddenCharacters';
import { useHostTime } from '../../../webview/browser/hostTime';
import { ElapsedTime } from '../../../transcript/browser/parts/elapsed';
import { UntrustedText } from '../../../transcript/browser/parts/untrustedText';
import { useRedraw } from '../../../transcript/browser/transcriptContext';
import { chatRequests } from '../../common/page/chatApi';
import type { Activity } from '../../common/chatView';
import { describeActivity } from '../../common/page/workingLine';
import { usePage, usePageState } from '../chatPageContext';

/** Says what is going on, from Enter to the end of the turn. */
export function WorkingLine() {
  const { session, isSending, backends, chosenBackend } = usePageState();
  // Until the host has answered, only the page knows that a prompt is on its way.
  const isUnseen = isSending && (session === undefined || session.status === 'idle');
  const activity: Activity | undefined = session?.activity ?? (isUnseen ? { kind: 'working' } : undefined);
  if (!activity) return null;
  const agentTitle = session?.backendTitle ?? backends.find(({ id }) => id === chosenBackend)?.title ?? 'the agent';
  return <Line activity={activity} agentTitle={agentTitle} />;
}

function Line({ activity, agentTitle }: { activity: Activity; agentTitle: string }) {
  const page = usePage();
  const time = useHostTime();
  useRedrawWhenSilent();
  const { heardAt } = page;
  const firstSeenAt = useFirstSeen(`${activity.kind} ${activity.title ?? ''}`);
  const { since, text, tone } = describeActivity({ activity, agentTitle, firstSeenAt, heardAt, now: time.now() });
  const isRunning = activity.kind !== 'stopping';
  // It may say why the first start takes minutes.
  const isLong = activity.kind === 'starting';
  return (
    <div class={`working is-${tone}`}>
      <span class="working-what">
        {tone === 'working' ? <span class="spinner" /> : <span class="working-mark" />}
        <span class={`working-text ${isLong ? '' : 'one-line'}`} role="status" title={showHiddenCharacters(text)}>
          <UntrustedText text={text} />
        </span>
        <span class="working-time" aria-hidden="true">
          <ElapsedTime since={since} />
        </span>
      </span>
      {tone === 'silent' && (
        <span class="working-actions">
          {isRunning && (
            <button
              type="button"
              class="link-button"
              onClick={() => void page.requestForSession(chatRequests.stop, (sessionId) => ({ sessionId }))}
            >
              Stop
            </button>
          )}
          <button type="button" class="link-button" onClick={() => void page.request(chatRequests.showLog, {})}>
            Show Log
          </button>
        </span>
      )}
    </div>
  );
}

/** The time since when this key is shown, by the host's clock: for what the host does not date. */
function useFirstSeen(key: string): number {
  const time = useHostTime();
  const seen = useRef({ key, at: time.now() });
  if (seen.current.key !== key) seen.current = { key, at: time.now() };
  return seen.current.at;
}

/** Checks often enough that silence is noticed within a second. */
function useRedrawWhenSilent(): void {
  const redraw = useRedraw();
  useLayoutEffect(() => {
    const timer = setInterval(redraw, 1_000);
    return () => clearInterval(timer);
  }, []);
}
