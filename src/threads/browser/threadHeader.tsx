import type { RefObject } from 'preact';
import { showHiddenCharacters } from '../../base/common/text/hiddenCharacters';
import { formatCountWithNoun, formatCost, formatTokens } from '../../transcript/browser/parts/format';
import { UntrustedText } from '../../transcript/browser/parts/untrustedText';
import type { TranscriptHandle } from '../../transcript/browser/list/transcriptList';
import { IconButton } from '../../webview/browser/iconButton';
import {
  ArrowDownIcon,
  ArrowUpIcon,
  FoldIcon,
  FollowMessagesIcon,
  HistoryIcon,
  MoreIcon,
  SearchIcon,
  TextIcon,
  UnfoldIcon,
} from '../../webview/browser/icons';
import { MenuButton } from '../../webview/browser/menu';
import type { ThreadHeaderView } from '../common/page/threadApi';
import { actionMenu } from './actionMenu';
import { useThreadPage, useThreadPageState } from './threadPageContext';
import { ToggleButton } from '../../webview/browser/toggleButton';

interface ThreadHeaderProps {
  readonly handle: RefObject<TranscriptHandle | null>;
  readonly isFollowing: boolean;
  readonly setFollowing: (isFollowing: boolean) => void;
}

export function ThreadHeader({ handle, isFollowing, setFollowing }: ThreadHeaderProps) {
  const page = useThreadPage();
  const { thread, times, isOutlineShown } = useThreadPageState();
  const title = thread?.title ?? 'Amp Thread';
  return (
    <header class="thread-header">
      <div class="thread-title">
        <h1 class="one-line" title={showHiddenCharacters(title)} dir="auto">
          <UntrustedText text={title} />
        </h1>
        {thread && <Summary thread={thread} />}
      </div>
      {thread && (
        <div class="thread-tools" role="toolbar" aria-label="Thread">
          <IconButton
            label="Previous Prompt"
            hint="Alt+Up"
            keyShortcuts="Alt+ArrowUp"
            icon={ArrowUpIcon}
            onClick={() => handle.current?.goToPrompt(-1)}
          />
          <IconButton
            label="Next Prompt"
            hint="Alt+Down"
            keyShortcuts="Alt+ArrowDown"
            icon={ArrowDownIcon}
            onClick={() => handle.current?.goToPrompt(1)}
          />
          <ToggleButton
            label="Outline"
            icon={TextIcon}
            isOn={isOutlineShown}
            onToggle={(isShown) => page.setOutlineShown(isShown)}
          />
          <IconButton label="Find" hint="Ctrl+F" icon={SearchIcon} onClick={() => page.update({ isFinding: true })} />
          <IconButton label="Collapse All" icon={FoldIcon} onClick={() => page.expandOrCollapseAll(false)} />
          <IconButton label="Expand All" icon={UnfoldIcon} onClick={() => page.expandOrCollapseAll(true)} />
          <ToggleButton
            label="Absolute Times"
            icon={HistoryIcon}
            isOn={times === 'absolute'}
            onToggle={(isOn) => page.setTimeDisplay(isOn ? 'absolute' : 'relative')}
          />
          <ToggleButton
            label="Follow New Messages"
            icon={FollowMessagesIcon}
            isOn={isFollowing}
            onToggle={setFollowing}
          />
          <MenuButton label="More Actions" icon={MoreIcon} items={actionMenu(page, thread)} />
        </div>
      )}
    </header>
  );
}

const stateLabels: Record<ThreadHeaderView['state'], string> = {
  idle: '',
  running: 'running',
  waiting: 'waiting for you',
  stale: 'not finished',
  cancelled: 'canceled',
  error: 'failed',
};

function Summary({ thread }: { thread: ThreadHeaderView }) {
  const { state, mode, isArchived, promptCount, messageCount, usage } = thread;
  const tokens = (usage?.input ?? 0) + (usage?.output ?? 0) + (usage?.cacheRead ?? 0) + (usage?.cacheWrite ?? 0);
  const words = [
    formatCountWithNoun(promptCount, 'prompt'),
    formatCountWithNoun(messageCount, 'message'),
    ...(mode === undefined ? [] : [mode]),
    ...(tokens > 0 ? [`${formatTokens(tokens)} tokens`] : []),
    ...(usage?.cost ? [formatCost(usage.cost)] : []),
    ...(isArchived ? ['archived'] : []),
  ];
  return (
    <p class="thread-summary">
      {stateLabels[state] !== '' && <span class={`thread-state is-${state}`}>{stateLabels[state]}</span>}
      <span class="thread-agent">Amp</span>
      <span class="one-line">
        · <UntrustedText text={words.join(' · ')} />
      </span>
    </p>
  );
}
