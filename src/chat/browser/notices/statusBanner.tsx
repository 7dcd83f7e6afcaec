import { useRedrawOnEvent } from '../../../webview/browser/hooks/useRedrawOnEvent';
import { chatRequests } from '../../common/page/chatApi';
import type { ConversationView } from '../../common/chatView';
import { Banner } from './banner';
import { RetryWithOptionButtons } from '../composer/options/alternativeOptions';
import { usePage, usePageState } from '../chatPageContext';
import { repairLabel } from '../chatLabels';

export function StatusBanner() {
  const { session, isUntrusted } = usePageState();
  return (
    <>
      {isUntrusted && session && <TrustBanner />}
      {session?.problem !== undefined && <Banner level="warning" text={session.problem} />}
      {session && <SessionBanner session={session} />}
    </>
  );
}

export function TrustBanner() {
  const page = usePage();
  return (
    <Banner
      level="warning"
      text="Agents are disabled in Restricted Mode because they run programs and change files. You can read past conversations."
    >
      <button type="button" class="button" onClick={() => void page.request(chatRequests.manageTrust, {})}>
        Manage Workspace Trust
      </button>
    </Banner>
  );
}

/** Shown when there is no workspace folder, because agents need one. */
export function NoFolderBanner() {
  const page = usePage();
  return (
    <Banner level="info" text="Open a folder to start.">
      <button type="button" class="button is-primary" onClick={() => void page.request(chatRequests.openFolder, {})}>
        Open Folder
      </button>
    </Banner>
  );
}

function SendAgain() {
  const page = usePage();
  useRedrawOnEvent(page.composerDraft.onDidChange);
  if (page.composerDraft.isEmpty) return null;
  return (
    <button type="button" class="button is-primary" onClick={() => void page.send()}>
      Send Again
    </button>
  );
}

/** Cancels a prompt that waits for a sign-in, and moves its text back to the composer. */
function CancelWaiting({ sessionId }: { sessionId: string }) {
  const page = usePage();
  return (
    <button type="button" class="button" onClick={() => void page.request(chatRequests.stop, { sessionId })}>
      Cancel
    </button>
  );
}

function SessionBanner({ session }: { session: ConversationView }) {
  const page = usePage();
  const { backends } = usePageState();
  const { status, statusText, statusDetails: details, backendTitle, backendId } = session;
  const backend = backends.find(({ id }) => id === backendId);
  const isMissing = backend?.state === 'unavailable' && backend.source !== 'server';
  const repair = (label: string, how?: 'install' | 'edit', isPrimary = false) => (
    <button
      type="button"
      class={status === 'failed' ? 'link-button' : `button ${isPrimary ? 'is-primary' : ''}`}
      onClick={() => void page.request(chatRequests.repairBackend, { backendId, how })}
    >
      {label}
    </button>
  );
  switch (status) {
    case 'reconnecting':
      return (
        <Banner
          level="warning"
          isBusy
          text={statusText ?? `The connection to ${backendTitle} was lost. Reconnecting…`}
          details={details}
        />
      );
    case 'signIn':
      return (
        <Banner level="warning" text={statusText ?? `${backendTitle} requires you to sign in.`} details={details}>
          <div class="banner-actions">
            {repair('Sign In…', undefined, true)}
            {(session.isBusy === true || session.queue.length > 0) && <CancelWaiting sessionId={session.id} />}
          </div>
        </Banner>
      );
    case 'failed':
      return (
        <Banner
          level="error"
          isFailure
          text={statusText ?? `${backendTitle} failed. Send your prompt again to restart it.`}
          details={details}
        >
          <RetryWithOptionButtons message={statusText} />
          <div class="next-steps">
            <SendAgain />
            {isMissing && backend.install !== undefined && repair('Install in Terminal…', 'install')}
            {isMissing && !backend.needsPermission
              ? repair('Edit', 'edit')
              : repair(backend ? repairLabel(backend) : 'Set Up…')}
            <button
              type="button"
              class="link-button"
              onClick={() =>
                void page.request(chatRequests.continueWith, { sessionId: session.id, isSameAgent: false })
              }
            >
              Continue with Another Agent
            </button>
            <button type="button" class="link-button" onClick={() => void page.request(chatRequests.showLog, {})}>
              Show Log
            </button>
          </div>
        </Banner>
      );
    case 'readonly':
      return (
        <Banner
          level="info"
          text={statusText ?? 'This conversation is open in another window and read-only here.'}
          details={details}
        >
          <div class="banner-actions">
            {session.runsInOtherWindow && (
              <button
                type="button"
                class="button"
                onClick={() => void page.request(chatRequests.goToWindow, { sessionId: session.id })}
              >
                Switch to Its Window
              </button>
            )}
            <button type="button" class="button" onClick={() => void page.request(chatRequests.newSession, {})}>
              New Conversation
            </button>
          </div>
        </Banner>
      );
    case 'idle':
    case 'starting':
    case 'busy':
    case 'stopping':
      return null;
  }
}
