import { chatRequests } from '../common/page/chatApi';
import type { BackendView } from '../common/chatView';
import { usePage, usePageState } from './chatPageContext';
import { NoFolderBanner, TrustBanner } from './notices/statusBanner';
import { backendDotClass, backendStatusText, repairLabel } from './chatLabels';

/** Suggested prompts, which the demo agent supports. */
const demoStarters = [
  'What can you do?',
  'Summarize README.md',
  'Sort the imports of ',
  'Rename oldName to newName in ',
];
const starters = ['Explain this project', 'Review my uncommitted changes', 'Write tests for ', 'Find the cause of '];

export function EmptyState() {
  const page = usePage();
  const { session, backends, chosenBackend, folders, isReady, isUntrusted } = usePageState();
  const isWithoutFolder = isReady && folders.length === 0;
  const backendId = session?.backendId ?? chosenBackend;
  const backend = backends.find(({ id }) => id === backendId);
  const useStarter = (text: string): void => {
    page.insertDraft({ text, attachments: [] });
    page.prepareOptions();
  };
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
      <ul class="starters">
        {(backend?.source === 'demo' ? demoStarters : starters).map((starter) => (
          <li key={starter}>
            <button type="button" class="starter" onClick={() => useStarter(starter)}>
              {starter.endsWith(' ') ? `${starter.trimEnd()} …` : starter}
            </button>
          </li>
        ))}
      </ul>
      <dl class="tips">
        <dt>
          <kbd>@</kbd>
        </dt>
        <dd>Add files, folders, the selection, problems or changes. Use @file: for files only.</dd>
        <dt>
          <kbd>/</kbd>
        </dt>
        <dd>Run a command of the agent</dd>
        <dt>
          <kbd>Shift</kbd> <kbd>Enter</kbd>
        </dt>
        <dd>Add a new line</dd>
        <dt>
          <kbd>Shift</kbd> drop
        </dt>
        <dd>Add files by dragging them here</dd>
      </dl>
    </div>
  );
}

function BackendCard({ backend }: { backend: BackendView }) {
  const page = usePage();
  const { problems } = usePageState();
  const { health, id: backendId, title, description, state, problem } = backend;
  const isShownBelow = problems.some(({ message }) => message === problem);
  const isUnreachable = state === 'stopped' && (health?.kind === 'silent' || health?.kind === 'needsToken');
  const needsRepair = isUnreachable || state === 'authRequired' || state === 'failed' || state === 'unavailable';
  return (
    <div class="backend-card">
      <p class="backend-card-title">
        <span class={`dot ${backendDotClass(backend)}`} />
        <strong>{title}</strong>
        <span>{backendStatusText(backend)}</span>
      </p>
      <p class="backend-card-description">{isShownBelow ? description : (problem ?? description)}</p>
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
