import { useEffect, useState } from 'preact/hooks';
import { attachmentIcons } from '../../transcript/browser/entryIcons';
import { formatTokens } from '../../transcript/browser/format';
import { shortPath } from '../../transcript/common/shortPath';
import { SlashIcon } from '../../webview/browser/icons';
import { chatRequests } from '../common/chatApi';
import type { CommandView, MentionRow } from '../common/chatView';
import { usePage, usePageState } from './pageContext';
import type { Suggestion } from './suggestionList';
import { triggerAt, type Trigger } from './triggers';
import { attachmentWords } from './words';

const delayMs = 100;

interface Suggestions {
  readonly trigger: Trigger;
  readonly items: readonly Suggestion[];
  /** What to say when there are none. */
  readonly emptyText: string;
}

interface Chosen {
  readonly command: (trigger: Trigger, command: CommandView) => void;
  readonly mention: (trigger: Trigger, row: MentionRow) => void;
}

/** What can be completed at the cursor; undefined when there is nothing to complete. `caret` is an index of the text. */
export function useSuggestions(text: string, caret: number | undefined, chosen: Chosen): Suggestions | undefined {
  const { session, newCommands, folders } = usePageState();
  const trigger = caret === undefined ? undefined : triggerAt(text, caret);
  const mentions = useMentions(trigger?.kind === 'mention' ? trigger.query : undefined);
  if (!trigger) return undefined;
  if (trigger.kind === 'command') {
    const commands = session && session.commands.length > 0 ? session.commands : newCommands;
    const items = matching(commands, trigger.query).map((command) => ({
      id: command.name,
      title: `/${command.name}`,
      detail: command.description,
      note: command.hint,
      icon: SlashIcon,
      choose: () => chosen.command(trigger, command),
    }));
    // A path may begin a prompt, too.
    if (items.length === 0 && trigger.query !== '') return undefined;
    const emptyText = session
      ? 'This agent has no commands'
      : 'The commands of the agent appear after the first prompt';
    return { trigger, items, emptyText };
  }
  return {
    trigger,
    items: (mentions ?? []).map((row) => ({
      id: row.id,
      title: row.title,
      detail: row.detail ?? placeOf(row, folders),
      note: row.tokens === undefined ? undefined : `~${formatTokens(row.tokens)} tokens`,
      icon: attachmentIcons[row.kind],
      choose: () => chosen.mention(trigger, row),
    })),
    emptyText: mentions ? `Nothing is called “${trigger.query}”` : 'Searching…',
  };
}

/** Where it is, in the workspace; what it is when its title says that. */
function placeOf({ kind, path, title }: MentionRow, folders: readonly string[]): string {
  const place = path === undefined ? title : shortPath(path, folders);
  return place === title ? attachmentWords[kind] : place;
}

/** Names that begin with it come first. */
function matching(commands: readonly CommandView[], query: string): CommandView[] {
  const wanted = query.toLowerCase();
  const found = commands.filter(({ name }) => name.toLowerCase().includes(wanted));
  const begins = ({ name }: CommandView): boolean => name.toLowerCase().startsWith(wanted);
  return [...found.filter(begins), ...found.filter((command) => !begins(command))];
}

/** What the host finds; the last answer stays while the next one is awaited. */
function useMentions(query: string | undefined): readonly MentionRow[] | undefined {
  const page = usePage();
  const [rows, setRows] = useState<readonly MentionRow[]>();
  useEffect(() => {
    if (query === undefined) {
      setRows(undefined);
      return undefined;
    }
    let isCurrent = true;
    const search = async (): Promise<void> => {
      const answer = await page.ask(chatRequests.mentions, { query });
      if (isCurrent) setRows(answer?.rows ?? []);
    };
    const timer = window.setTimeout(() => void search(), query === '' ? 0 : delayMs);
    return () => {
      isCurrent = false;
      window.clearTimeout(timer);
    };
  }, [page, query]);
  return rows;
}
