import { useEffect, useState } from 'preact/hooks';
import { attachmentIcons } from '../../../transcript/browser/entries/entryIcons';
import { formatTokens } from '../../../transcript/browser/parts/format';
import { shortPath } from '../../../transcript/common/shortPath';
import { SlashIcon } from '../../../webview/browser/icons';
import { chatRequests } from '../../common/page/chatApi';
import type { CommandView, MentionRow } from '../../common/chatView';
import { kindsFor, wantedOf, type MentionKind, type Wanted } from './mentionKinds';
import { usePage, usePageState } from '../chatPageContext';
import type { Suggestion } from './suggestionList';
import { triggerAt, type Trigger } from './triggers';
import { attachmentWords } from '../words';

const delayMs = 100;
/** Bounds how often later results of slow sources are requested. */
const maxAdditions = 100;

interface Suggestions {
  readonly trigger: Trigger;
  readonly items: readonly Suggestion[];
  /** Shown when there are no suggestions. */
  readonly emptyText: string;
}

interface Chosen {
  readonly command: (trigger: Trigger, command: CommandView) => void;
  readonly mention: (trigger: Trigger, row: MentionRow) => void;
  readonly kind: (trigger: Trigger, kind: MentionKind) => void;
}

/** Returns completions at the caret (an index of the text), or undefined when there is no trigger. */
export function useSuggestions(text: string, caret: number | undefined, chosen: Chosen): Suggestions | undefined {
  const { session, folders } = usePageState();
  const commands = useCommands();
  const trigger = caret === undefined ? undefined : triggerAt(text, caret);
  const wanted = trigger?.kind === 'mention' ? wantedOf(trigger.query) : undefined;
  const mentions = useMentions(wanted);
  if (!trigger) return undefined;
  if (!wanted) {
    const items = matching(commands, trigger.query).map((command) => ({
      id: command.name,
      title: `/${command.name}`,
      detail: command.description,
      note: command.hint,
      icon: SlashIcon,
      choose: () => chosen.command(trigger, command),
    }));
    // The text may be a path.
    if (items.length === 0 && trigger.query !== '') return undefined;
    const emptyText = session ? 'This agent has no commands' : 'The agent’s commands appear after the first prompt';
    return { trigger, items, emptyText };
  }
  const found = (mentions ?? []).map((row) => ({
    id: row.id,
    title: row.title,
    detail: row.detail ?? placeOf(row, folders),
    note: row.tokens === undefined ? undefined : `~${formatTokens(row.tokens)} tokens`,
    icon: attachmentIcons[row.kind],
    choose: () => chosen.mention(trigger, row),
  }));
  // Kinds wait for the first results: Enter chooses the first row, so it must not change.
  const isTooSoon = wanted.query !== '' && !mentions;
  const kinds = (wanted.kind || isTooSoon ? [] : kindsFor(wanted.query)).map((kind) => ({
    id: `kind:${kind.kind}`,
    title: kind.title,
    detail: undefined,
    note: `@${kind.word}:`,
    icon: attachmentIcons[kind.kind],
    choose: () => chosen.kind(trigger, kind),
  }));
  // Once a name is typed, results come before kinds.
  const items = wanted.query === '' ? [...kinds, ...found] : [...found, ...kinds];
  return { trigger, items, emptyText: mentions ? nothingFound(wanted) : 'Searching…' };
}

/** Returns the commands of the conversation's agent, or of the agent of a new conversation. */
export function useCommands(): readonly CommandView[] {
  const { session, newCommands } = usePageState();
  return session?.commands ?? newCommands;
}

function nothingFound({ kind, query }: Wanted): string {
  const among = kind ? ` among: ${kind.title}` : '';
  return query === '' ? `No results${among}` : `No matches for “${query}”${among}`;
}

/** Returns the path relative to the workspace, or the kind when the title already shows the path. */
function placeOf({ kind, path, title }: MentionRow, folders: readonly string[]): string {
  const place = path === undefined ? title : shortPath(path, folders);
  return place === title ? attachmentWords[kind] : place;
}

/** Filters commands by name; prefix matches come first. */
function matching(commands: readonly CommandView[], query: string): CommandView[] {
  const wanted = query.toLowerCase();
  const found = commands.filter(({ name }) => name.toLowerCase().includes(wanted));
  const begins = ({ name }: CommandView): boolean => name.toLowerCase().startsWith(wanted);
  return [...found.filter(begins), ...found.filter((command) => !begins(command))];
}

/** Appends new rows, so that the selected row does not move. */
function withLate(shown: readonly MentionRow[], late: readonly MentionRow[]): readonly MentionRow[] {
  const known = new Set(shown.map(({ id }) => id));
  return [...shown, ...late.filter(({ id }) => !known.has(id))];
}

/** Searches mentions in the host. The last result stays until the next one, and late rows are appended. */
function useMentions(wanted: Wanted | undefined): readonly MentionRow[] | undefined {
  const query = wanted?.query;
  const kind = wanted?.kind?.kind;
  const page = usePage();
  const [rows, setRows] = useState<readonly MentionRow[]>();
  useEffect(() => {
    if (query === undefined) {
      setRows(undefined);
      return undefined;
    }
    const left = new AbortController();
    const isOver = (): boolean => left.signal.aborted;
    const search = async (): Promise<void> => {
      const wanted = { query, kind };
      let answer = await page.ask(chatRequests.mentions, wanted);
      if (isOver()) return;
      setRows(answer?.rows ?? []);
      for (let more = 0; more < maxAdditions && answer?.isPartial; more++) {
        answer = await page.ask(chatRequests.mentions, { ...wanted, isMore: true });
        if (isOver()) return;
        const late = answer?.rows ?? [];
        setRows((shown = []) => withLate(shown, late));
      }
    };
    const timer = window.setTimeout(() => void search(), query === '' ? 0 : delayMs);
    return () => {
      left.abort();
      window.clearTimeout(timer);
    };
  }, [page, query, kind]);
  return rows;
}
