import type { FileChange } from '../../../transcript/common/entries';
import { ChangeCounts } from '../../../transcript/browser/parts/changeCounts';
import { countOf } from '../../../transcript/browser/parts/format';
import { IconButton } from '../../../webview/browser/iconButton';
import { CheckIcon, DiffIcon, RevertIcon } from '../../../webview/browser/icons';
import { chatRequests } from '../../common/page/chatApi';
import { usePage, usePageState } from '../chatPageContext';
import { splitFilePath } from '../chatLabels';
import { namingHiddenCharacters } from '../../../transcript/browser/markdown/hiddenCharacters';
import { PlainText } from '../../../transcript/browser/parts/plainText';

export function ChangesBar() {
  const page = usePage();
  const { session } = usePageState();
  if (!session || session.changes.length === 0) return null;
  const { changes } = session;
  return (
    <section class="changes" aria-label="Changed files">
      <details>
        <summary>
          <span class="one-line">
            {countOf(changes.length, 'file')}
            <span class="changes-word"> changed</span>
          </span>
          <ChangeCounts changes={changes} />
        </summary>
        <ul>
          {changes.map((change) => (
            <ChangeRow key={change.path} change={change} />
          ))}
        </ul>
      </details>
      <span class="changes-all">
        <button
          type="button"
          class="link-button"
          title="Keep all changes and clear this list"
          onClick={() => void page.requestForSession(chatRequests.keepChanges, (sessionId) => ({ sessionId }))}
        >
          Keep
        </button>
        <button
          type="button"
          class="link-button"
          title="Undo all changes of this conversation"
          onClick={() => void page.requestForSession(chatRequests.revert, (sessionId) => ({ sessionId }))}
        >
          Undo
        </button>
      </span>
    </section>
  );
}

const stateLabels: Record<FileChange['state'], string> = {
  applied: '',
  reverted: 'undone',
  changedSince: 'changed later',
  unknown: 'can’t be undone',
};

function ChangeRow({ change }: { change: FileChange }) {
  const page = usePage();
  const { path, state } = change;
  const { name, folder } = splitFilePath(path);
  const word = [change.change === 'modified' ? '' : change.change, stateLabels[state]].filter((text) => text !== '');
  return (
    <li>
      <button
        type="button"
        class="change-open"
        title={namingHiddenCharacters([`Open changes of ${path}`, ...word].join(', '))}
        onClick={() => void page.requestForSession(chatRequests.openChange, (sessionId) => ({ sessionId, path }))}
      >
        <DiffIcon />
        <span class="change-name one-line" dir="ltr">
          <PlainText text={name} />
        </span>
        <span class="change-folder one-line" dir="ltr">
          <PlainText text={folder} />
        </span>
        {word.length > 0 && <span class="change-word one-line">{word.join(', ')}</span>}
        <ChangeCounts changes={[change]} />
      </button>
      <IconButton
        label={namingHiddenCharacters(`Keep changes of ${name}`)}
        icon={CheckIcon}
        onClick={() => void page.requestForSession(chatRequests.keepChanges, (sessionId) => ({ sessionId, path }))}
      />
      <IconButton
        label={namingHiddenCharacters(`Undo changes of ${name}`)}
        icon={RevertIcon}
        disabled={state === 'reverted' || state === 'unknown'}
        onClick={() => void page.requestForSession(chatRequests.revert, (sessionId) => ({ sessionId, path }))}
      />
    </li>
  );
}
