import { useLayoutEffect, useRef } from 'preact/hooks';
import { showHiddenCharacters } from '../../base/common/text/hiddenCharacters';
import { formatAge, formatDateTime } from '../../transcript/browser/parts/format';
import { UntrustedText } from '../../transcript/browser/parts/untrustedText';
import { useHostTime } from '../../webview/browser/hostTime';
import { indexAfterKey } from '../../webview/browser/listKeys';
import type { OutlineItem } from '../common/page/threadApi';
import { useThreadPage, useThreadPageState } from './threadPageContext';

/** Lists all prompts of the thread, loaded or not. `current`: id of the prompt that the user is reading. */
export function PromptOutline({ current }: { current: string | undefined }) {
  const page = useThreadPage();
  const { outline, times } = useThreadPageState();
  const list = useRef<HTMLOListElement>(null);

  useLayoutEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [current]);

  const onKeyDown = (event: KeyboardEvent): void => {
    const buttons = [...(list.current?.querySelectorAll('button') ?? [])];
    const index = buttons.findIndex((button) => button === document.activeElement);
    const next = index < 0 || event.altKey ? undefined : indexAfterKey(event.key, index, buttons.length);
    if (next === undefined) return;
    event.preventDefault();
    buttons[next]?.focus();
  };

  return (
    <nav class="outline" aria-label="Prompts">
      <ol ref={list} onKeyDown={onKeyDown}>
        {outline.map((item) => (
          <li key={item.entryId}>
            <button
              type="button"
              aria-current={item.entryId === current ? 'true' : undefined}
              title={showHiddenCharacters(item.text)}
              onClick={() => void page.goToEntry(item.entryId)}
            >
              <span class="outline-text" dir="auto">
                <UntrustedText text={item.text} />
              </span>
              <PromptTime item={item} times={times} />
            </button>
          </li>
        ))}
      </ol>
      {outline.length === 0 && <p class="quiet">No prompts.</p>}
    </nav>
  );
}

function PromptTime({ item: { at }, times }: { item: OutlineItem; times: 'relative' | 'absolute' }) {
  const time = useHostTime();
  if (at === undefined) return null;
  return <span class="time">{times === 'relative' ? formatAge(at, time.now()) : formatDateTime(at)}</span>;
}
