import { useEffect, useState } from 'preact/hooks';
import { formatAge } from '../../transcript/browser/parts/format';
import { UntrustedText } from '../../transcript/browser/parts/untrustedText';
import { useHostTime } from '../../webview/browser/hostTime';
import { AgentTile } from '../../webview/browser/agentTile';
import { AgentIcon } from '../../webview/browser/icons';
import { chatRequests } from '../common/page/chatApi';
import type { BackendView, Draft } from '../common/chatView';
import type { InstructionFile } from '../common/prompts/instructionFiles';
import { usePage, usePageState } from './chatPageContext';
import { NoFolderBanner, TrustBanner } from './notices/statusBanner';
import { backendDotClass, backendHint, backendStatusText, repairLabel } from './chatLabels';

/** Suggested prompts, which the demo agent supports. */
const demoStarters = [
  'What can you do?',
  'Summarize README.md',
  'Sort the imports of ',
  'Rename oldName to newName in ',
].map((text): Draft => ({ text, attachments: [] }));

/** Maximum number of other agents, and of earlier conversations, that are offered. */
const maxReadyAgents = 4;
const maxRecent = 3;
const maxInstructionFiles = 4;

export function EmptyState() {
  const { session, backends, chosenBackend, folders, isReady, isUntrusted } = usePageState();
  const isWithoutFolder = isReady && folders.length === 0;
  const backendId = session?.backendId ?? chosenBackend;
  const backend = backends.find(({ id }) => id === backendId);
  return (
    <div class="empty">
      <h2 class="empty-greeting">What would you like to work on?</h2>
      {isUntrusted ? (
        <TrustBanner />
      ) : isWithoutFolder ? (
        <NoFolderBanner />
      ) : (
        backend && <BackendCard backend={backend} />
      )}
      {!isUntrusted && <ReadyAgents chosen={backendId} />}
      {!isUntrusted && !session && <PresetRow />}
      <Starters isDemo={backend?.source === 'demo'} isUseful={!isUntrusted && !isWithoutFolder} />
      <RecentConversations />
      <p class="tips">
        <kbd>@</kbd> context · <kbd>/</kbd> commands · <kbd>Shift</kbd> <kbd>Enter</kbd> new line
      </p>
    </div>
  );
}

/** Shows other agents that may be ready to use, and a link to install more. An agent tells only at its start whether it needs a sign-in. */
function ReadyAgents({ chosen }: { chosen: string | undefined }) {
  const page = usePage();
  const { backends, session } = usePageState();
  const isReady = ({ id, source, state }: BackendView): boolean =>
    id !== chosen && source !== 'server' && source !== 'demo' && (state === 'ready' || state === 'stopped');
  const ready = backends.filter(isReady).slice(0, maxReadyAgents);
  const isOnlyDemo = backends.every(({ source }) => source === 'demo' || source === 'server');
  const choose = (backendId: string): void => {
    if (session) void page.request(chatRequests.newSession, { backendId });
    else void page.request(chatRequests.chooseBackend, { backendId });
  };
  return (
    <div class="empty-agents">
      {ready.length > 0 && <span class="empty-label">Other agents:</span>}
      {ready.map((backend) => (
        <button key={backend.id} type="button" class="starter" onClick={() => choose(backend.id)}>
          {backend.title}
        </button>
      ))}
      <button
        type="button"
        class={`button ${isOnlyDemo ? 'is-primary' : ''}`}
        onClick={() => void page.request(chatRequests.showAgents, {})}
      >
        <AgentIcon />
        {isOnlyDemo ? 'Install an Agent' : 'Agents'}
      </button>
    </div>
  );
}

/** Begins the next conversation with a preset, or again without one. */
function PresetRow() {
  const page = usePage();
  const { presets, preset: chosen } = usePageState().standing;
  if (presets.length === 0) return null;
  return (
    <div class="empty-agents" role="group" aria-labelledby="presets">
      <span id="presets" class="empty-label">
        Presets:
      </span>
      {presets.map(({ detail, isOfWorkspace, name }) => (
        <button
          key={name}
          type="button"
          class="starter"
          aria-pressed={name === chosen}
          title={isOfWorkspace ? `${detail} (preset of this workspace)` : detail}
          onClick={() => void page.request(chatRequests.choosePreset, name === chosen ? {} : { name })}
        >
          <UntrustedText text={name} />
        </button>
      ))}
      <button
        type="button"
        class="text-button"
        onClick={() => void page.request(chatRequests.editStanding, { what: 'presets' })}
      >
        Edit
      </button>
    </div>
  );
}

interface StartersProps {
  readonly isDemo: boolean;
  /** Whether there is a workspace that agents can work in. */
  readonly isUseful: boolean;
}

/** Suggested prompts. A click sends one, unless it is to be completed or added to what the user has written. */
function Starters({ isDemo, isUseful }: StartersProps) {
  const page = usePage();
  const { isUntrusted, session } = usePageState();
  const [useful, setUseful] = useState<readonly Draft[]>([]);
  useEffect(() => {
    if (isDemo || !isUseful) return;
    void page.request(chatRequests.starters, {}).then((answer) => setUseful(answer?.starters ?? []));
  }, [isDemo, isUseful, page]);
  const use = (starter: Draft): void => {
    // A second click on it may come before the prompt is shown.
    if (page.store.state.isSending) return;
    const isWhole = page.composerDraft.isEmpty && !starter.text.endsWith(' ');
    page.insertDraft(starter);
    if (isWhole && !isUntrusted && session?.status !== 'readonly') void page.send();
    else page.prepareOptions();
  };
  return (
    <ul class="starters">
      {(isDemo ? demoStarters : isUseful ? useful : []).map((starter) => (
        <li key={starter.text}>
          <button type="button" class="starter" onClick={() => use(starter)}>
            {starter.text.endsWith(' ') ? `${starter.text.trimEnd()} …` : starter.text}
          </button>
        </li>
      ))}
    </ul>
  );
}

function RecentConversations() {
  const page = usePage();
  const time = useHostTime();
  const { isSessionListShown, session, sessions } = usePageState();
  const recent = sessions
    .filter(({ elsewhere, id, remote }) => !elsewhere && !remote && id !== session?.id)
    .slice(0, maxRecent);
  if (isSessionListShown || recent.length === 0) return null;
  return (
    <section class="recent" aria-labelledby="recent">
      <h3 id="recent" class="empty-label">
        Recent conversations
      </h3>
      <ul>
        {recent.map(({ id, title, updatedAt }) => (
          <li key={id}>
            <button
              type="button"
              class="recent-open"
              onClick={() => void page.request(chatRequests.openSession, { sessionId: id })}
            >
              <span class="one-line">
                <UntrustedText text={title} />
              </span>
              <span class="recent-age">{formatAge(updatedAt, time.now())}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Shows the files of the workspace that the agent reads by itself. A click opens one. */
function InstructionFiles({ backendId }: { backendId: string }) {
  const page = usePage();
  const [files, setFiles] = useState<readonly InstructionFile[]>([]);
  useEffect(() => {
    let isOver = false;
    setFiles([]);
    void page.request(chatRequests.instructionFiles, { backendId }).then((answer) => {
      if (!isOver) setFiles(answer?.files ?? []);
    });
    return () => void (isOver = true);
  }, [page, backendId]);
  if (files.length === 0) return null;
  const more = files.slice(maxInstructionFiles);
  return (
    <p class="backend-card-description instruction-files">
      <span>Reads</span>
      {files.slice(0, maxInstructionFiles).map(({ name, path }) => (
        <button
          key={path}
          type="button"
          class="text-button"
          title={`Open ${path}`}
          onClick={() => void page.request(chatRequests.open, { target: path })}
        >
          <UntrustedText text={name} />
        </button>
      ))}
      {more.length > 0 && <span title={more.map(({ name }) => name).join('\n')}>{`and ${more.length} more`}</span>}
    </p>
  );
}

function BackendCard({ backend }: { backend: BackendView }) {
  const page = usePage();
  const { problems } = usePageState();
  const { health, id: backendId, title, description, remoteHost, state, problem } = backend;
  const isShownBelow = problems.some(({ message }) => message === problem);
  const isUnreachable = state === 'stopped' && (health?.kind === 'silent' || health?.kind === 'needsToken');
  const hint = backendHint(isShownBelow ? { ...backend, problem: undefined } : backend);
  const needsRepair = isUnreachable || state === 'authRequired' || state === 'failed' || state === 'unavailable';
  return (
    <div class="backend-card">
      <p class="backend-card-title" title={description}>
        <AgentTile id={backendId} title={title} />
        <strong>{title}</strong>
        <span class={`dot ${backendDotClass(backend)}`} />
        <span>{backendStatusText(backend)}</span>
      </p>
      {hint !== undefined && <p class="backend-card-description">{hint}</p>}
      {remoteHost !== undefined && (
        <p class="backend-card-description">
          Runs on <UntrustedText text={remoteHost} />. It sees only the files that you attach, and those in this
          workspace that it asks for.
        </p>
      )}
      <InstructionFiles backendId={backendId} />
      {needsRepair && (
        <button
          type="button"
          class="button"
          onClick={() => void page.request(chatRequests.repairBackend, { backendId })}
        >
          {repairLabel(backend)}
        </button>
      )}
    </div>
  );
}
