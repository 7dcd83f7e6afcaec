import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { IconButton } from '../../../webview/browser/iconButton';
import { ArrowDownIcon, ArrowUpIcon, CloseIcon } from '../../../webview/browser/icons';
import { formatCount } from '../parts/format';
import { findText } from './textSearch';
import type { TranscriptActions } from '../transcriptActions';
import type { TranscriptModel } from '../list/transcriptModel';
import { countIn, useFoundElsewhere, type FoundEntry, type WholeSearch } from './useFoundElsewhere';

/** What is not loaded yet. */
interface Older {
  readonly model: TranscriptModel;
  readonly actions: Pick<TranscriptActions, 'loadOlder'>;
}

interface FindBarProps extends Older {
  /** Where to look; the transcript of the page when it is left out. */
  readonly root?: RefObject<HTMLElement | null>;
  /** Finds in what is not loaded; only what is loaded is searched when it is left out. */
  readonly search?: WholeSearch;
  readonly onClose: () => void;
}

const allName = 'transcript-find';
const currentName = 'transcript-find-current';
/** While text streams, the matches are looked for again this often. */
const refreshMs = 250;
const maxMatches = 1_000;
/** What was loaded is drawn in the next frame, or later when the page is busy. */
const maxFrames = 60;
/** For some frames the list holds the place of what was there before. */
const settleFrames = 6;
/** Of entries that are loaded at a time, for the sake of a search. */
const olderCount = 200;

/** The match at the index; when `isBetween`, that is the one after the place of the reader. */
interface Place {
  readonly index: number;
  readonly isBetween?: boolean;
}

/** Finds text in a transcript, as the browser's own bar would, which views of VS Code do not have. */
export function FindBar({ root, onClose, model, actions, search }: FindBarProps) {
  const input = useRef<HTMLInputElement>(null);
  const [query, setQuery] = useState('');
  const [{ index, isBetween = false }, setPlace] = useState<Place>({ index: 0 });
  const { matches, refresh } = useMatches(root, query);
  const { before, after } = useFoundElsewhere(model, search, query);
  const at = isBetween || matches.length === 0 ? -1 : wrapped(index, matches.length);
  /** The last entry that was to be loaded for the sake of its match. */
  const loading = useRef<FoundEntry | undefined>(undefined);

  /** What is far from the screen is formatted when it comes near, and its matches are others then. */
  const isComing = useRef(false);
  /** The match that was gone to: more entries may come before it. */
  const shown = useRef<PlaceInEntry | undefined>(undefined);

  // At once: the first letters are meant for it.
  useLayoutEffect(() => input.current?.select(), []);
  useLayoutEffect(() => {
    CSS.highlights.set(allName, new Highlight(...matches));
    const current = matches[at];
    if (current) CSS.highlights.set(currentName, new Highlight(current));
    else CSS.highlights.delete(currentName);
    if (current && isComing.current) isComing.current = reveal(current);
    return () => {
      CSS.highlights.delete(allName);
      CSS.highlights.delete(currentName);
    };
  }, [matches, at]);
  useLayoutEffect(() => {
    const to = shown.current === undefined || isBetween ? -1 : indexOfPlace(shown.current, matches);
    if (to >= 0 && to !== index) setPlace({ index: to });
  }, [matches]);
  const show = (to: number, found: readonly Range[]): void => {
    setPlace({ index: to });
    const match = found[to];
    shown.current = match && placeInEntry(match, found);
    isComing.current = match !== undefined && reveal(match);
  };
  const load = async (entry: FoundEntry, step: 1 | -1): Promise<void> => {
    loading.current = entry;
    await search?.load(entry.entryId);
    const element = await drawnEntry(entry.entryId);
    if (loading.current !== entry) return;
    loading.current = undefined;
    if (!element) return;
    const found = refresh();
    const isIn = ({ startContainer }: Range): boolean => element.contains(startContainer);
    const to = step === 1 ? found.findIndex(isIn) : found.findLastIndex(isIn);
    if (to >= 0) {
      show(to, found);
      return;
    }
    // What is shown of it differs from its text.
    shown.current = undefined;
    element.scrollIntoView({ block: 'center', inline: 'nearest' });
    const next = found.findIndex((match) => match.comparePoint(element, 0) < 0);
    setPlace({ index: next < 0 ? found.length : next, isBetween: true });
  };
  const go = (step: 1 | -1): void => {
    loading.current = undefined;
    const to = isBetween ? index + (step === 1 ? 0 : -1) : at + step;
    if (to >= 0 && to < matches.length) {
      show(to, matches);
      return;
    }
    const beyond = step === 1 ? (after[0] ?? before[0]) : (before.at(-1) ?? after.at(-1));
    if (beyond) void load(beyond, step);
    else if (matches.length > 0) show(wrapped(to, matches.length), matches);
  };
  const count = countIn(before) + matches.length + countIn(after);

  return (
    <div class="find" role="search">
      <input
        ref={input}
        type="text"
        class="text-field"
        aria-label="Find in the conversation"
        placeholder="Find"
        value={query}
        onInput={({ currentTarget }) => {
          setQuery(currentTarget.value);
          setPlace({ index: 0 });
          shown.current = undefined;
          loading.current = undefined;
        }}
        onKeyDown={(event) => {
          if (event.isComposing) return;
          if (event.key === 'Escape') onClose();
          else if (event.key === 'Enter') go(event.shiftKey ? -1 : 1);
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <span class="find-count" role="status" title={search ? undefined : 'Of the messages that are loaded'}>
        {query === '' ? '' : wordsFor(at < 0 ? undefined : countIn(before) + at + 1, count)}
      </span>
      <IconButton label="Previous match" hint="Shift+Enter" icon={ArrowUpIcon} onClick={() => go(-1)} />
      <IconButton label="Next match" hint="Enter" icon={ArrowDownIcon} onClick={() => go(1)} />
      <IconButton label="Close" hint="Escape" icon={CloseIcon} onClick={onClose} />
      {!search && query !== '' && matches.length === 0 && model.before > 0 && (
        <OlderHint model={model} actions={actions} />
      )}
    </div>
  );
}

/** What is looked for may have been said before all that is loaded. */
function OlderHint({ model, actions }: Older) {
  const isLoading = useRef(false);
  const load = (): void => {
    if (isLoading.current) return;
    isLoading.current = true;
    const settle = (): void => {
      isLoading.current = false;
    };
    actions.loadOlder(Math.min(model.before, olderCount)).then(settle, settle);
  };
  return (
    <p class="find-older">
      Earlier messages are not loaded.{' '}
      <button type="button" class="link-button" onClick={load}>
        Load earlier
      </button>
    </p>
  );
}

/** The nth match of an entry. */
interface PlaceInEntry {
  readonly entry: Element;
  readonly nth: number;
}

function entryOf({ startContainer }: Range): Element | null {
  return startContainer.parentElement?.closest('.turn > .entry') ?? null;
}

function placeInEntry(match: Range, matches: readonly Range[]): PlaceInEntry | undefined {
  const entry = entryOf(match);
  return entry ? { entry, nth: matches.filter((other) => entryOf(other) === entry).indexOf(match) } : undefined;
}

function indexOfPlace({ entry, nth }: PlaceInEntry, matches: readonly Range[]): number {
  const first = matches.findIndex((match) => entryOf(match) === entry);
  const last = matches.findLastIndex((match) => entryOf(match) === entry);
  return first < 0 ? -1 : Math.min(first + nth, last);
}

function wrapped(index: number, count: number): number {
  return ((index % count) + count) % count;
}

/** `nth` is undefined while the reader is at none of them. */
function wordsFor(nth: number | undefined, count: number): string {
  if (count === 0) return 'No results';
  return `${nth === undefined ? '?' : formatCount(nth)} of ${formatCount(count)}${count >= maxMatches ? '+' : ''}`;
}

/** When the list keeps the reader's place no more; undefined when the entry is not drawn. */
async function drawnEntry(entryId: string): Promise<Element | undefined> {
  const find = (): Element | null => document.querySelector(`[data-entry="${CSS.escape(entryId)}"]`);
  const frame = (): Promise<number> => new Promise(requestAnimationFrame);
  for (let left = maxFrames; left > 0 && !find(); left--) await frame();
  for (let left = settleFrames; left > 0; left--) await frame();
  return find() ?? undefined;
}

/** The matches as they are now, found again when the transcript changes. */
function useMatches(
  root: RefObject<HTMLElement | null> | undefined,
  query: string,
): { readonly matches: readonly Range[]; readonly refresh: () => readonly Range[] } {
  const [matches, setMatches] = useState<readonly Range[]>([]);
  const refresh = (): readonly Range[] => {
    const element = rootOf(root);
    const found = element ? findText(element, query, maxMatches) : [];
    setMatches(found);
    return found;
  };
  useLayoutEffect(() => {
    const element = rootOf(root);
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
  }, [root, query]);
  return { matches, refresh };
}

function rootOf(root: RefObject<HTMLElement | null> | undefined): HTMLElement | null {
  return root?.current ?? document.querySelector<HTMLElement>('.transcript-content');
}

/** Whether it is not there yet as it will be shown. */
function reveal(match: Range): boolean {
  const element = match.startContainer.parentElement;
  for (let closed = element?.closest('details:not([open])'); closed; closed = closed.closest('details:not([open])')) {
    closed.setAttribute('open', '');
  }
  element?.scrollIntoView({ block: 'center', inline: 'nearest' });
  return element?.classList.contains('is-far') ?? false;
}
