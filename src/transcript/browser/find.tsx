import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { IconButton } from '../../webview/browser/iconButton';
import { ArrowDownIcon, ArrowUpIcon, CloseIcon } from '../../webview/browser/icons';
import { formatCount } from './format';
import { findText } from './textSearch';
import type { TranscriptActions } from './transcriptActions';

/** What is not loaded yet. */
interface Older {
  readonly model: { readonly before: number };
  readonly actions: Pick<TranscriptActions, 'loadOlder'>;
}

interface FindBarProps extends Older {
  /** Where to look; the transcript of the page when it is left out. */
  readonly root?: RefObject<HTMLElement | null>;
  readonly onClose: () => void;
}

const allName = 'transcript-find';
const currentName = 'transcript-find-current';
/** While text streams, the matches are looked for again this often. */
const refreshMs = 250;
const maxMatches = 1_000;
/** Of entries that are loaded at a time, for the sake of a search. */
const olderCount = 200;

/** Finds text in what is loaded, as the browser's own bar would, which views of VS Code do not have. */
export function FindBar({ root, onClose, model, actions }: FindBarProps) {
  const input = useRef<HTMLInputElement>(null);
  const [query, setQuery] = useState('');
  const [index, setIndex] = useState(0);
  const matches = useMatches(root, query);
  const at = matches.length === 0 ? -1 : ((index % matches.length) + matches.length) % matches.length;

  /** What is far from the screen is formatted when it comes near, and its matches are others then. */
  const isComing = useRef(false);

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
  const go = (to: number): void => {
    setIndex(to);
    const match = matches[((to % matches.length) + matches.length) % matches.length];
    isComing.current = match !== undefined && reveal(match);
  };

  return (
    <div class="find" role="search">
      <input
        ref={input}
        type="text"
        aria-label="Find in the conversation"
        placeholder="Find"
        value={query}
        onInput={({ currentTarget }) => {
          setQuery(currentTarget.value);
          setIndex(0);
        }}
        onKeyDown={(event) => {
          if (event.isComposing) return;
          if (event.key === 'Escape') onClose();
          else if (event.key === 'Enter') go(at + (event.shiftKey ? -1 : 1));
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <span class="find-count" role="status" title="Of the messages that are loaded">
        {query === '' ? '' : wordsFor(at, matches.length)}
      </span>
      <IconButton label="Previous match" hint="Shift+Enter" icon={ArrowUpIcon} onClick={() => go(at - 1)} />
      <IconButton label="Next match" hint="Enter" icon={ArrowDownIcon} onClick={() => go(at + 1)} />
      <IconButton label="Close" hint="Escape" icon={CloseIcon} onClick={onClose} />
      {query !== '' && matches.length === 0 && model.before > 0 && <OlderHint model={model} actions={actions} />}
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

function wordsFor(at: number, count: number): string {
  if (count === 0) return 'No results';
  return `${formatCount(at + 1)} of ${formatCount(count)}${count >= maxMatches ? '+' : ''}`;
}

/** The matches as they are now, found again when the transcript changes. */
function useMatches(root: RefObject<HTMLElement | null> | undefined, query: string): readonly Range[] {
  const [matches, setMatches] = useState<readonly Range[]>([]);
  useLayoutEffect(() => {
    const element = root?.current ?? document.querySelector<HTMLElement>('.transcript-content');
    if (!element) return;
    const search = (): void => setMatches(findText(element, query, maxMatches));
    search();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const observer = new MutationObserver(() => {
      timer ??= setTimeout(() => {
        timer = undefined;
        search();
      }, refreshMs);
    });
    observer.observe(element, { childList: true, characterData: true, subtree: true });
    return () => {
      clearTimeout(timer);
      observer.disconnect();
    };
  }, [root, query]);
  return matches;
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
