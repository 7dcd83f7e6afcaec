import type { FileChange } from '../../../transcript/common/entries';
import {
  canUndo,
  changeLetterAndWord,
  changeNotes,
  shortFormerPath,
  shouldShowLineCounts,
  totalsOf,
} from '../../../transcript/common/shownChanges';
import { shortenPath } from '../../../transcript/common/shortPath';
import { ChangeCounts } from '../../../transcript/browser/parts/changeCounts';
import { formatCount, formatCountWithNoun } from '../../../transcript/browser/parts/format';
import { IconButton } from '../../../webview/browser/iconButton';
import { CheckIcon, DiffFilesIcon, RevertIcon, type Icon } from '../../../webview/browser/icons';
import { chatRequests } from '../../common/page/chatApi';
import { usePage, usePageState } from '../chatPageContext';
import { splitPath } from '../../../transcript/browser/parts/pathButton';
import { showHiddenCharacters } from '../../../base/common/text/hiddenCharacters';
import { UntrustedText } from '../../../transcript/browser/parts/untrustedText';

export function ChangesBar() {
  const page = usePage();
  const { reviewed, session } = usePageState();
  if (!session || session.changes.length === 0) return null;
  const { changes, changeTotals = totalsOf(changes) } = session;
  const { files } = changeTotals;
  const more = files - changes.length;
  const total = formatCountWithNoun(files, 'file');
  const review = (): void => void page.requestForSession(chatRequests.reviewChanges, (sessionId) => ({ sessionId }));
  return (
    <section class="changes" aria-label="Changed files">
      <details>
        <summary>
          <span class="one-line" title={total}>
            {total}
          </span>
          <ChangeCounts changes={[changeTotals]} />
          {reviewed && <Reviewed {...reviewed} />}
        </summary>
        <ul>
          {changes.map((change) => (
            <ChangeRow key={change.path} change={change} />
          ))}
        </ul>
        <button
          type="button"
          class="text-button more-changes"
          title="Another agent reads the changes and comments on their lines"
          onClick={() => void page.request(chatRequests.reviewWithAgent, {})}
        >
          Review Changes with Agent…
        </button>
        {more > 0 && (
          <button type="button" class="text-button more-changes" onClick={review}>
            {`… and ${formatCountWithNoun(more, 'more file')}`}
          </button>
        )}
      </details>
      <span class="changes-all">
        <ChangesBarButton
          label="Review"
          hint="Review All Changes from This Conversation"
          icon={DiffFilesIcon}
          onClick={review}
        />
        <ChangesBarButton
          label="Keep"
          hint="Keep All Changes from This Conversation"
          icon={CheckIcon}
          onClick={() => void page.requestForSession(chatRequests.keepChanges, (sessionId) => ({ sessionId }))}
        />
        <ChangesBarButton
          label="Undo"
          hint="Undo All Changes from This Conversation"
          icon={RevertIcon}
          onClick={() => void page.requestForSession(chatRequests.revert, (sessionId) => ({ sessionId }))}
        />
      </span>
    </section>
  );
}

function Reviewed({ reviewed, total }: { readonly reviewed: number; readonly total: number }) {
  return (
    <span
      class="changes-reviewed one-line"
      title={`${formatCount(reviewed)} of ${formatCountWithNoun(total, 'change')} reviewed`}
    >
      {`${formatCount(reviewed)} of ${formatCount(total)}`}
      <span class="word"> reviewed</span>
    </span>
  );
}

interface ChangesBarButtonProps {
  readonly label: string;
  readonly hint: string;
  /** Shown instead of the label when there is not enough space. */
  readonly icon: Icon;
  readonly onClick: () => void;
}

function ChangesBarButton({ label, hint, icon: Picture, onClick }: ChangesBarButtonProps) {
  return (
    <button
      type="button"
      class={`link-button of-${label.toLowerCase()}`}
      title={hint}
      aria-label={label}
      onClick={onClick}
    >
      <Picture />
      <span>{label}</span>
    </button>
  );
}

function ChangeRow({ change }: { change: FileChange }) {
  const page = usePage();
  const { folders } = usePageState();
  const { path, renamedFrom, state } = change;
  const { name, folder } = splitPath(shortenPath(path, folders));
  const { letter, word } = changeLetterAndWord(change);
  const former = shortFormerPath(change);
  const notes = [...changeNotes(change), ...(state === 'unknown' ? ['can’t be undone'] : [])];
  return (
    <li>
      <button
        type="button"
        class={`change-open change-${word}`}
        title={showHiddenCharacters(
          [`Open Changes in ${path}`, ...(word === 'modified' ? [] : [word]), ...notes].join(', '),
        )}
        onClick={() =>
          void page.requestForSession(chatRequests.openChange, (sessionId) => ({ sessionId, path, renamedFrom }))
        }
      >
        <abbr class="change-letter" title={word}>
          {letter}
        </abbr>
        {former !== undefined && (
          <>
            <span class="change-former one-line" dir="ltr">
              <UntrustedText text={shortenPath(former, folders)} />
            </span>
            <span class="change-arrow">→</span>
          </>
        )}
        <span class="change-name one-line" dir="ltr">
          <UntrustedText text={name} />
        </span>
        <span class="change-folder one-line" dir="ltr">
          <UntrustedText text={folder} />
        </span>
        {notes.length > 0 && (
          <span class="change-word one-line">
            <UntrustedText text={notes.join(', ')} />
          </span>
        )}
        {shouldShowLineCounts(change) && <ChangeCounts changes={[change]} />}
      </button>
      <IconButton
        label={showHiddenCharacters(`Keep Changes in ${name}`)}
        icon={CheckIcon}
        onClick={() =>
          void page.requestForSession(chatRequests.keepChanges, (sessionId) => ({ sessionId, path, renamedFrom }))
        }
      />
      <IconButton
        label={showHiddenCharacters(`Undo Changes in ${name}`)}
        icon={RevertIcon}
        disabled={!canUndo(change)}
        onClick={() =>
          void page.requestForSession(chatRequests.revert, (sessionId) => ({ sessionId, path, renamedFrom }))
        }
      />
    </li>
  );
}
