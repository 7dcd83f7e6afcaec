import { useState } from 'preact/hooks';
import { IconButton } from '../../webview/browser/iconButton';
import { AddIcon, CrosshairIcon, EditIcon, HistoryIcon, MoreIcon, SearchIcon } from '../../webview/browser/icons';
import { ToggleButton } from '../../webview/browser/toggleButton';
import { MenuButton, type MenuItem } from '../../webview/browser/menu';
import { chatRequests } from '../common/page/chatApi';
import type { SessionView } from '../common/chatView';
import type { ChatPage } from './chatPage';
import { usePage, usePageState } from './chatPageContext';
import { sessionMenuItems } from './sessions/sessionMenu';
import { TitleField } from './sessions/titleField';
import { usePageCommand } from './usePageCommand';
import { showHiddenCharacters } from '../../base/common/hiddenCharacters';
import { PlainText } from '../../transcript/browser/parts/plainText';

const statusLabels: Record<SessionView['status'], string> = {
  idle: '',
  starting: 'starting…',
  busy: 'working…',
  stopping: 'stopping…',
  reconnecting: 'reconnecting…',
  readonly: 'read-only',
  signIn: 'sign-in required',
  failed: 'failed',
};

export function ChatHeader() {
  const page = usePage();
  const { session, isFollowing, isSessionListShown } = usePageState();
  return (
    <header class="header">
      <div class="header-title">{session ? <HeaderTitle session={session} /> : <h1>New conversation</h1>}</div>
      <ToggleButton
        label="Follow agent: open the files that it reads and edits"
        icon={CrosshairIcon}
        isOn={isFollowing}
        onToggle={() => void page.request(chatRequests.toggleFollow, {})}
      />
      <IconButton
        label="New conversation"
        icon={AddIcon}
        onClick={() => {
          page.store.showSessionList(false);
          void page.request(chatRequests.newSession, {});
          page.runCommand('focusComposer');
        }}
      />
      <IconButton
        label="Conversations"
        icon={HistoryIcon}
        class="sessions-button"
        expanded={isSessionListShown}
        onClick={() => page.store.showSessionList(!isSessionListShown)}
      />
      {session && <MenuButton label="More actions" icon={MoreIcon} items={menuItems(page, session)} />}
    </header>
  );
}

function HeaderTitle({ session }: { session: SessionView }) {
  const page = usePage();
  const [isEdited, setEdited] = useState(false);
  usePageCommand('rename', () => setEdited(true));

  if (isEdited) {
    return (
      <TitleField
        title={session.title}
        onDone={(title) => {
          if (document.activeElement?.tagName === 'INPUT') page.runCommand('focusComposer');
          setEdited(false);
          if (title !== undefined) void page.request(chatRequests.renameSession, { sessionId: session.id, title });
        }}
      />
    );
  }
  const word = statusLabels[session.status];
  return (
    <>
      <h1 class="one-line" title={showHiddenCharacters(session.title)} dir="auto" onDblClick={() => setEdited(true)}>
        <PlainText text={session.title} />
      </h1>
      <p class="header-backend" title={[session.backendTitle, word].filter((text) => text !== '').join(': ')}>
        <span class={`dot is-${session.status}`} />
        <span class="header-backend-name one-line">{session.backendTitle}</span>
        {word !== '' && <span class="header-status one-line">{word}</span>}
      </p>
    </>
  );
}

function menuItems(page: ChatPage, { id }: SessionView): MenuItem[] {
  return [
    { label: 'Find', icon: SearchIcon, run: () => page.runCommand('find') },
    { label: 'Rename', icon: EditIcon, run: () => page.runCommand('rename') },
    ...sessionMenuItems(page, id),
  ];
}
