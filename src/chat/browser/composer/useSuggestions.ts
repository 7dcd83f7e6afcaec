import { useEffect, useState } from 'preact/hooks';
import { showHiddenCharacters } from '../../../base/common/text/hiddenCharacters';
import { attachmentIcons } from '../../../transcript/browser/entries/entryIcons';
import { formatTokens } from '../../../transcript/browser/parts/format';
import { shortenPath } from '../../../transcript/common/shortPath';
import { SlashIcon, TextIcon } from '../../../webview/browser/icons';
import { chatRequests } from '../../common/page/chatApi';
import type { CommandView, MentionRow, PromptFileRow } from '../../common/chatView';
import { matchingMentionKinds, parseMentionQuery, type MentionKind, type MentionQuery } from './mentionKinds';
import { usePage, usePageState } from '../chatPageContext';
import type { Suggestion } from './suggestionList';
import { findTrigger, type CompletionTrigger } from './triggers';
import { attachmentKindLabels } from '../chatLabels';

const searchDelayMs = 100;
/** Maximum number of requests for further results of slow sources. */
const maxPartialResults = 100;

interface ActiveSuggestions {
  readonly trigger: CompletionTrigger;
  readonly items: readonly Suggestion[];
  readonly emptyText: string;
}

interface SuggestionHandlers {
  readonly onCommand: (trigger: CompletionTrigger, command: CommandView) => void;
  readonly onPromptFile: (trigger: CompletionTrigger, file: PromptFileRow) => void;
  readonly onMention: (trigger: CompletionTrigger, row: MentionRow) => void;
  readonly onKind: (trigger: CompletionTrigger, kind: MentionKind) => void;
}

/** Returns completions at the caret (an index of the text), or undefined when there is no trigger. */
export function useSuggestions(
  text: string,
  caret: number | undefined,
  promptFiles: readonly PromptFileRow[],
  chosen: SuggestionHandlers,
): ActiveSuggestions | undefined {
  const { session, folders } = usePageState();
  const commands = useAgentCommands();
  const trigger = caret === undefined ? undefined : findTrigger(text, caret);
  const wanted = trigger?.kind === 'mention' ? parseMentionQuery(trigger.query) : undefined;
  const mentions = useMentions(wanted);
  if (!trigger) return undefined;
  if (!wanted) {
    const rowOf = (command: CommandView): Omit<Suggestion, 'select'> => ({
      id: command.name,
      title: `/${command.name}`,
      detail: command.description,
      note: command.hint,
      icon: SlashIcon,
    });
    const items = filterCommands(
      [
        ...commands.map((command) => ({
          ...rowOf(command),
          name: command.name,
          select: () => chosen.onCommand(trigger, command),
        })),
        ...promptFiles.map((file) => ({
          ...rowOf(file),
          id: file.id,
          name: file.name,
          note: promptFileNote(file),
          tooltip: showHiddenCharacters(shortenPath(file.id, folders)),
          icon: TextIcon,
          isInserted: true,
          select: () => chosen.onPromptFile(trigger, file),
        })),
      ],
      trigger.query,
    );
    if (items.length === 0 && trigger.query !== '') return undefined;
    const emptyText = session ? 'This agent has no commands' : 'The agent’s commands appear after the first prompt';
    return { trigger, items, emptyText };
  }
  const found = (mentions ?? []).map((row) => ({
    id: row.id,
    title: row.title,
    detail: row.detail ?? detailOf(row, folders),
    note: row.tokens === undefined ? undefined : `~${formatTokens(row.tokens)} tokens`,
    icon: attachmentIcons[row.kind],
    select: () => chosen.onMention(trigger, row),
  }));
  // Kinds are shown only after the first results arrive. Enter chooses the first row, so that row must not change.
  const isTooSoon = wanted.query !== '' && !mentions;
  const kinds = (wanted.kind || isTooSoon ? [] : matchingMentionKinds(wanted.query)).map((kind) => ({
    id: `kind:${kind.kind}`,
    title: kind.title,
    detail: undefined,
    note: `@${kind.prefix}:`,
    icon: attachmentIcons[kind.kind],
    select: () => chosen.onKind(trigger, kind),
  }));
  // After the user has typed a name, results come before kinds.
  const items = wanted.query === '' ? [...kinds, ...found] : [...found, ...kinds];
  return { trigger, items, emptyText: mentions ? emptyResultText(wanted) : 'Searching…' };
}

/** Where a prompt file comes from, and the arguments that it takes. */
export function promptFileNote({ hint, origin }: PromptFileRow): string {
  const source = origin === 'user' ? 'You' : 'Workspace';
  return hint === undefined ? source : `${source} · ${hint}`;
}

/** Returns the commands of the conversation's agent, or of the agent of a new conversation. */
export function useAgentCommands(): readonly CommandView[] {
  const { session, newCommands } = usePageState();
  return session?.commands ?? newCommands;
}

function emptyResultText({ kind, query }: MentionQuery): string {
  const among = kind ? ` in ${kind.title}` : '';
  return query === '' ? `No results${among}` : `No matches for “${query}”${among}`;
}

/** Returns the path relative to the workspace. If the title already shows the path, returns the kind. */
function detailOf({ kind, path, title }: MentionRow, folders: readonly string[]): string {
  const place = path === undefined ? title : shortenPath(path, folders);
  return place === title ? attachmentKindLabels[kind] : place;
}

function filterCommands<Command extends { readonly name: string }>(
  commands: readonly Command[],
  query: string,
): Command[] {
  const wanted = query.toLowerCase();
  const found = commands.filter(({ name }) => name.toLowerCase().includes(wanted));
  const begins = ({ name }: Command): boolean => name.toLowerCase().startsWith(wanted);
  return [...found.filter(begins), ...found.filter((command) => !begins(command))];
}

/** Appends new rows at the end, so that the selected row does not move. */
function appendNewRows(shown: readonly MentionRow[], late: readonly MentionRow[]): readonly MentionRow[] {
  const known = new Set(shown.map(({ id }) => id));
  return [...shown, ...late.filter(({ id }) => !known.has(id))];
}

/** Searches mentions in the host. The last result stays until the next one arrives. Later rows are appended. */
function useMentions(wanted: MentionQuery | undefined): readonly MentionRow[] | undefined {
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
      let answer = await page.request(chatRequests.mentions, wanted);
      if (isOver()) return;
      setRows(answer?.rows ?? []);
      for (let more = 0; more < maxPartialResults && answer?.isPartial; more++) {
        answer = await page.request(chatRequests.mentions, { ...wanted, isMore: true });
        if (isOver()) return;
        const late = answer?.rows ?? [];
        setRows((shown = []) => appendNewRows(shown, late));
      }
    };
    const timer = window.setTimeout(() => void search(), query === '' ? 0 : searchDelayMs);
    return () => {
      left.abort();
      window.clearTimeout(timer);
    };
  }, [page, query, kind]);
  return rows;
}
