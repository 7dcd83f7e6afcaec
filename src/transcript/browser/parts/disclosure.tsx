import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { ChevronRightIcon } from '../../../webview/browser/icons';
import { hasFocus, hasSelection } from '../list/focusAndSelection';
import { useDrawnEntry, useRedraw, useTranscriptContext } from '../transcriptContext';

interface DisclosureProps {
  /** CSS classes. The first one is different for each section of an entry. */
  readonly class: string;
  readonly summary: ComponentChildren;
  /** Whether the section is open, until the user opens or closes it. */
  readonly isOpen?: boolean;
  readonly children: ComponentChildren;
}

/**
 * A collapsible section of an entry. It follows `isOpen` until the user toggles it or all sections, and the user's choice
 * remains when the entry is unloaded and loaded again. It does not close while it contains the focus or the selection.
 */
export function Disclosure({ class: className, summary, isOpen: byDefault = false, children }: DisclosureProps) {
  const details = useRef<HTMLDetailsElement>(null);
  const { options, sectionChoices } = useTranscriptContext();
  const redraw = useRedraw();
  const key = `${useDrawnEntry().id} ${className.replace(/ .*/, '')}`;
  const chosen = sectionChoices.get(key);
  const choose = (isWanted: boolean): void => {
    sectionChoices.set(key, isWanted);
    redraw();
  };
  const wasOpen = useRef(byDefault);
  const isOpen = chosen ?? options.folding?.isOpen ?? (byDefault || (wasOpen.current && isBodyInUse(details.current)));
  wasOpen.current = isOpen;
  return (
    <details
      class={className}
      open={isOpen}
      data-chosen={chosen === undefined ? undefined : ''}
      ref={details}
      onToggle={({ currentTarget }) => {
        // The browser has toggled the section, for example to reveal a match of its own find.
        if (currentTarget.open !== wasOpen.current) choose(currentTarget.open);
      }}
    >
      <summary
        onClick={(event) => {
          event.preventDefault();
          choose(!isOpen);
        }}
      >
        <ChevronRightIcon />
        {summary}
      </summary>
      {isOpen && children}
    </details>
  );
}

function isBodyInUse(details: HTMLDetailsElement | null): boolean {
  if (!details) return false;
  return (document.activeElement?.tagName !== 'SUMMARY' && hasFocus(details)) || hasSelection(details);
}
