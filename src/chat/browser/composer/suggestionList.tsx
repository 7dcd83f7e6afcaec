import type { RefObject } from 'preact';
import { useCallback, useLayoutEffect, useRef } from 'preact/hooks';
import { FloatingBox } from '../../../webview/browser/floating';
import type { Icon } from '../../../webview/browser/icons';
import { UntrustedText } from '../../../transcript/browser/parts/untrustedText';

export interface Suggestion {
  readonly id: string;
  readonly title: string;
  readonly detail: string | undefined;
  readonly note: string | undefined;
  /** What the row shows when the pointer rests on it. */
  readonly tooltip?: string;
  readonly icon: Icon;
  /** Whether choosing it replaces what is typed, also when its whole name is typed. */
  readonly isInserted?: boolean;
  readonly select: () => void;
}

interface SuggestionListProps {
  /** Id for `aria-controls`. The options have the ids `<id>-<index>`. */
  readonly id: string;
  readonly label: string;
  readonly anchor: RefObject<HTMLElement | null>;
  readonly suggestions: readonly Suggestion[];
  readonly activeIndex: number;
  readonly emptyText: string;
  readonly onHover: (index: number) => void;
  readonly onLeave: () => void;
}

/** Shows completions at the caret. The text field keeps the focus and handles the keys. */
export function SuggestionList(props: SuggestionListProps) {
  const { id, label, anchor, suggestions, activeIndex, emptyText, onHover, onLeave } = props;
  const list = useRef<HTMLDivElement>(null);
  const leave = useRef(onLeave);
  leave.current = onLeave;
  const onFloatingLeave = useCallback(() => leave.current(), []);
  useLayoutEffect(() => {
    list.current?.children.item(activeIndex)?.scrollIntoView({ block: 'nearest' });
  }, [activeIndex, suggestions]);

  return (
    <FloatingBox anchor={anchor} onLeave={onFloatingLeave} class="suggestions">
      {suggestions.length === 0 ? (
        <p class="suggestions-none">{emptyText}</p>
      ) : (
        <div ref={list} id={id} role="listbox" aria-label={label}>
          {suggestions.map(({ id: key, title, detail, note, icon: Picture, select, tooltip }, index) => (
            <div
              key={key}
              id={`${id}-${index}`}
              class={`suggestion ${index === activeIndex ? 'is-active' : ''}`}
              role="option"
              title={tooltip}
              aria-selected={index === activeIndex}
              onPointerDown={(event) => event.preventDefault()}
              onPointerMove={() => onHover(index)}
              onClick={select}
            >
              <Picture />
              <span class="suggestion-title one-line">
                <UntrustedText text={title} />
              </span>
              {detail !== undefined && (
                <span class="suggestion-detail one-line">
                  <UntrustedText text={detail} />
                </span>
              )}
              {note !== undefined && (
                <span class="suggestion-note one-line">
                  <UntrustedText text={note} />
                </span>
              )}
            </div>
          ))}
        </div>
      )}
    </FloatingBox>
  );
}
