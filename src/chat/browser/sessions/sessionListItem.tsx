import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { formatAge } from '../../../transcript/browser/parts/format';
import { useHostTime } from '../../../webview/browser/hostTime';
import { IconButton } from '../../../webview/browser/iconButton';
import { EditIcon, MoreIcon } from '../../../webview/browser/icons';
import { MenuButton } from '../../../webview/browser/menu';
import { chatRequests } from '../../common/page/chatApi';
import type { ConversationRow } from '../../common/chatView';
import { usePage } from '../chatPageContext';
import { sessionMenuItems } from './sessionMenu';
import { TitleField } from './titleField';
import { sessionRowStateLabels } from '../chatLabels';
import { fileNameOf } from '../../../base/common/text/fileNameOf';
import { showHiddenCharacters } from '../../../base/common/text/hiddenCharacters';
import { UntrustedText } from '../../../transcript/browser/parts/untrustedText';

/** Where another window runs the conversation. */
function placeOf({ elsewhere }: ConversationRow): string {
  const name = fileNameOf(elsewhere?.folder ?? '');
  return name === '' ? 'in another window' : `in ${showHiddenCharacters(name)}`;
}

export function SessionListItem({ row }: { row: ConversationRow }) {
  const page = usePage();
  const time = useHostTime();
  const [isRenamed, setRenamed] = useState(false);
  const sessionId = row.id;
  const isShown = page.sessionId === sessionId;
  const word = sessionRowStateLabels[row.state];

  const openButton = useRef<HTMLButtonElement>(null);
  const takesFocus = useRef(false);
  useLayoutEffect(() => {
    if (!isRenamed && takesFocus.current) openButton.current?.focus();
    takesFocus.current = false;
  }, [isRenamed]);

  if (isRenamed) {
    return (
      <li class="session">
        <TitleField
          title={row.title}
          onDone={(title) => {
            takesFocus.current = document.activeElement?.tagName === 'INPUT';
            setRenamed(false);
            if (title !== undefined) void page.request(chatRequests.renameSession, { sessionId, title });
          }}
        />
      </li>
    );
  }
  return (
    <li class={`session ${isShown ? 'is-shown' : ''}`}>
      <button
        ref={openButton}
        type="button"
        class="session-open"
        aria-current={isShown}
        aria-keyshortcuts={row.remote ? undefined : 'F2 Delete'}
        title={showHiddenCharacters(row.title)}
        onClick={() => {
          page.store.update({ isSessionListShown: false });
          void page.request(chatRequests.openSession, { sessionId });
          page.runCommand('focusComposer');
        }}
        onKeyDown={(event) => {
          if (row.remote) return;
          if (event.key === 'F2') setRenamed(true);
          else if (event.key === 'Delete') void page.request(chatRequests.deleteSession, { sessionId });
        }}
      >
        <span class="session-title">
          {word !== '' && <span class={`dot is-${row.state}`} />}
          <span class="one-line">
            <UntrustedText text={row.title} />
          </span>
        </span>
        {row.snippet !== undefined && (
          <span class="session-snippet one-line">
            <UntrustedText text={row.snippet} />
          </span>
        )}
        {row.need && (
          <span class="session-need one-line">
            <span class="visually-hidden">{word}: </span>
            <UntrustedText text={row.need.text} />
          </span>
        )}
        <span class="session-meta">
          <span class="session-backend one-line">{row.backendTitle}</span>
          <span>{formatAge(row.need?.since ?? row.updatedAt, time.now())}</span>
          {word !== '' && !row.need && <span class="one-line">{word}</span>}
          {row.isInOtherWindow && <span class="one-line">{placeOf(row)}</span>}
        </span>
      </button>
      {!row.remote && (
        <span class="session-actions">
          <IconButton
            label={`Rename “${showHiddenCharacters(row.title)}”`}
            hint="F2"
            icon={EditIcon}
            onClick={() => setRenamed(true)}
          />
          <MenuButton
            label={`More Actions for “${showHiddenCharacters(row.title)}”`}
            icon={MoreIcon}
            items={sessionMenuItems(page, row)}
          />
        </span>
      )}
    </li>
  );
}
