import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { IconButton } from '../../../webview/browser/iconButton';
import { ArrowDownIcon, ArrowUpIcon, CloseIcon } from '../../../webview/browser/icons';
import type { FoundEntry } from '../../common/findEntries';
import { formatCount } from '../parts/format';
import { findRanges } from './textSearch';
import type { TranscriptActions } from '../transcriptActions';
import { unfold } from '../list/focusAndSelection';
import type { TranscriptModel } from '../list/transcriptModel';
import { countMatches, useFoundEntries, type FindEntries } from './useFoundEntries';

interface FindBarProps {
  readonly model: TranscriptModel;
  readonly actions: Pick<TranscriptActions, 'load'>;
  readonly find: FindEntries;
  readonly onClose: () => void;
}

const allMatchesHighlight = 'transcript-find';
const currentMatchHighlight = 'transcript-find-current';
/** How often matches are updated while text is streaming. */
const refreshMs = 250;
const maxMatches = 1_000;
/** Maximum number of frames to wait for a loaded entry to be drawn. */
const maxDrawFrames = 60;
/** Number of frames for which the list keeps the scroll position after loading. */
const settleFrames = 6;

/** The current match. If `isBeforeMatch` is set, the next match after the reader's position instead. */
interface CurrentMatch {
  readonly index: number;
  readonly isBeforeMatch?: boolean;
}

/** A find bar for a transcript, because VS Code has none for views. */
export function FindBar({ onClose, model, actions, find }: FindBarProps) {
  const input = useRef<HTMLInputElement>(null);
  const [query, setQuery] = useState('');
  const [{ index, isBeforeMatch = false }, setPlace] = useState<CurrentMatch>({ index: 0 });
  const { matches, range, refresh } = useMatches(model, query);
  const foundEntries = useFoundEntries(model, find, query);
  const before = foundEntries.filter((entry) => entry.index < range.start);
  const after = foundEntries.filter((entry) => entry.index >= range.end);
  const at = isBeforeMatch || matches.length === 0 ? -1 : wrapIndex(index, matches.length);
  /** The entry that is being loaded because the reader wants to see a match in it. */
  const loadingEntry = useRef<FoundEntry | undefined>(undefined);

  /** Whether the current match is in a placeholder. Its ranges change when the entry is formatted near the screen. */
  const isRevealPending = useRef(false);
  /** The current match and its entry. Its index is not enough, because loading earlier entries changes it. */
  const shownMatch = useRef<MatchInEntry | undefined>(undefined);

  /** No match is current. The next one is the first for which `isNext` is true. */
  const setPlaceBefore = (found: readonly Range[], isNext: (match: Range) => boolean): void => {
    shownMatch.current = undefined;
    const next = found.findIndex(isNext);
    setPlace({ index: next < 0 ? found.length : next, isBeforeMatch: true });
  };

  useLayoutEffect(() => {
    input.current?.select();
    return () => {
      loadingEntry.current = undefined;
    };
  }, []);
  useLayoutEffect(() => {
    CSS.highlights.set(allMatchesHighlight, new Highlight(...matches));
    const current = matches[at];
    if (current) CSS.highlights.set(currentMatchHighlight, new Highlight(current));
    else CSS.highlights.delete(currentMatchHighlight);
    if (current && isRevealPending.current) isRevealPending.current = revealMatch(current);
    return () => {
      CSS.highlights.delete(allMatchesHighlight);
      CSS.highlights.delete(currentMatchHighlight);
    };
  }, [matches, at]);
  useLayoutEffect(() => {
    if (shownMatch.current === undefined || isBeforeMatch) return;
    if (!shownMatch.current.entry.isConnected) {
      // The entry was unloaded because the reader has gone elsewhere.
      setPlaceBefore(matches, (match) => match.getBoundingClientRect().top >= 0);
      return;
    }
    const to = indexOfMatch(shownMatch.current, matches);
    if (to >= 0 && to !== index) setPlace({ index: to });
  }, [matches]);
  const showMatch = (to: number, found: readonly Range[]): void => {
    setPlace({ index: to });
    const match = found[to];
    shownMatch.current = match && locateInEntry(match, found);
    isRevealPending.current = match !== undefined && revealMatch(match);
  };
  const loadEntry = async (entry: FoundEntry, step: 1 | -1): Promise<void> => {
    loadingEntry.current = entry;
    const { entryId } = entry;
    if (!model.get(entryId)) await actions.load({ kind: 'around', entryId });
    const element = await waitForEntry(entryId);
    if (loadingEntry.current !== entry) return;
    loadingEntry.current = undefined;
    const found = refresh();
    if (!element) return;
    const isIn = ({ startContainer }: Range): boolean => element.contains(startContainer);
    const to = step === 1 ? found.findIndex(isIn) : found.findLastIndex(isIn);
    if (to >= 0) {
      showMatch(to, found);
      return;
    }
    // The rendered form of the entry does not contain the text.
    unfold(element);
    element.scrollIntoView({ block: 'center', inline: 'nearest' });
    setPlaceBefore(found, (match) => match.comparePoint(element, 0) < 0);
  };
  const goToMatch = (step: 1 | -1): void => {
    loadingEntry.current = undefined;
    const to = isBeforeMatch ? index + (step === 1 ? 0 : -1) : at + step;
    if (to >= 0 && to < matches.length) {
      showMatch(to, matches);
      return;
    }
    const beyond = step === 1 ? (after[0] ?? before[0]) : (before.at(-1) ?? after.at(-1));
    if (beyond) void loadEntry(beyond, step);
    else if (matches.length > 0) showMatch(wrapIndex(to, matches.length), matches);
  };
  const count = countMatches(before) + matches.length + countMatches(after);
  const countText = useRef('');
  // While an entry is being loaded, its matches are missing.
  if (query === '') countText.current = '';
  else if (!loadingEntry.current)
    countText.current = matchCountText(at < 0 ? undefined : countMatches(before) + at + 1, count);

  return (
    <div class="find" role="search">
      <input
        ref={input}
        type="text"
        class="text-field"
        aria-label="Find in conversation"
        placeholder="Find"
        value={query}
        onInput={({ currentTarget }) => {
          setQuery(currentTarget.value);
          setPlace({ index: 0 });
          shownMatch.current = undefined;
          loadingEntry.current = undefined;
        }}
        onKeyDown={(event) => {
          if (event.isComposing) return;
          if (event.key === 'Escape') onClose();
          else if (event.key === 'Enter') goToMatch(event.shiftKey ? -1 : 1);
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <span class="find-count" role="status">
        {countText.current}
      </span>
      <IconButton label="Previous Match" hint="Shift+Enter" icon={ArrowUpIcon} onClick={() => goToMatch(-1)} />
      <IconButton label="Next Match" hint="Enter" icon={ArrowDownIcon} onClick={() => goToMatch(1)} />
      <IconButton label="Close" hint="Escape" icon={CloseIcon} onClick={onClose} />
    </div>
  );
}

interface MatchInEntry {
  readonly entry: Element;
  readonly indexInEntry: number;
}

function entryContaining({ startContainer }: Range): Element | null {
  return startContainer.parentElement?.closest('.turn > .entry') ?? null;
}

function locateInEntry(match: Range, matches: readonly Range[]): MatchInEntry | undefined {
  const entry = entryContaining(match);
  return entry
    ? { entry, indexInEntry: matches.filter((other) => entryContaining(other) === entry).indexOf(match) }
    : undefined;
}

function indexOfMatch({ entry, indexInEntry }: MatchInEntry, matches: readonly Range[]): number {
  const first = matches.findIndex((match) => entryContaining(match) === entry);
  const last = matches.findLastIndex((match) => entryContaining(match) === entry);
  return first < 0 ? -1 : Math.min(first + indexInEntry, last);
}

function wrapIndex(index: number, count: number): number {
  return ((index % count) + count) % count;
}

function matchCountText(nth: number | undefined, count: number): string {
  if (count === 0) return 'No results';
  return `${nth === undefined ? '?' : formatCount(nth)} of ${formatCount(count)}${count >= maxMatches ? '+' : ''}`;
}

/** Resolves to an entry's element when the list no longer adjusts the position. Undefined if it is not drawn. */
async function waitForEntry(entryId: string): Promise<Element | undefined> {
  const find = (): Element | null => document.querySelector(`[data-entry="${CSS.escape(entryId)}"]`);
  const frame = (): Promise<number> => new Promise(requestAnimationFrame);
  for (let left = maxDrawFrames; left > 0 && !find(); left--) await frame();
  for (let left = settleFrames; left > 0; left--) await frame();
  return find() ?? undefined;
}

/** Indexes of the loaded part among the top-level entries of the whole transcript. */
interface LoadedRange {
  readonly start: number;
  readonly end: number;
}

function loadedRange({ topLevelCount, unloadedOlderCount }: TranscriptModel): LoadedRange {
  return { start: unloadedOlderCount, end: unloadedOlderCount + topLevelCount };
}

/** Matches in the loaded part, and the range of that part when they were found. */
interface Matches {
  readonly matches: readonly Range[];
  readonly range: LoadedRange;
}

function useMatches(model: TranscriptModel, query: string): Matches & { readonly refresh: () => readonly Range[] } {
  const [state, setState] = useState<Matches>(() => ({ matches: [], range: loadedRange(model) }));
  const refresh = (): readonly Range[] => {
    const element = searchRoot();
    const matches = element ? findRanges(element, query, maxMatches) : [];
    setState({ matches, range: loadedRange(model) });
    return matches;
  };
  useLayoutEffect(() => {
    const element = searchRoot();
    if (!element) return;
    refresh();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const observer = new MutationObserver(() => {
      timer ??= setTimeout(() => {
        timer = undefined;
        refresh();
      }, refreshMs);
    });
    observer.observe(element, { childList: true, characterData: true, subtree: true });
    return () => {
      clearTimeout(timer);
      observer.disconnect();
    };
  }, [model, query]);
  return { ...state, refresh };
}

function searchRoot(): HTMLElement | null {
  return document.querySelector<HTMLElement>('.transcript-content');
}

/** Scrolls to the match and opens the sections that contain it. Returns whether the match is in a placeholder. */
function revealMatch(match: Range): boolean {
  const element = match.startContainer.parentElement;
  unfold(element);
  for (let closed = element?.closest('details:not([open])'); closed; closed = closed.closest('details:not([open])')) {
    closed.setAttribute('open', '');
  }
  element?.scrollIntoView({ block: 'center', inline: 'nearest' });
  return element?.classList.contains('is-far') ?? false;
}
