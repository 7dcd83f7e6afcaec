import type { Ref } from 'preact';
import type { Icon } from './icons';

interface IconButtonProps {
  readonly label: string;
  readonly icon: Icon;
  readonly onClick: (event: MouseEvent) => void;
  /** What the button is for among others with the same label, for screen readers. */
  readonly about?: string | undefined;
  /** Shown after the label in the tooltip, for example a key. */
  readonly hint?: string | undefined;
  readonly keyShortcuts?: string | undefined;
  readonly class?: string | undefined;
  readonly disabled?: boolean | undefined;
  readonly expanded?: boolean | undefined;
  readonly tabIndex?: number | undefined;
  readonly buttonRef?: Ref<HTMLButtonElement>;
}

export function IconButton({
  label,
  about,
  icon: Picture,
  onClick,
  hint,
  keyShortcuts,
  expanded,
  ...rest
}: IconButtonProps) {
  return (
    <button
      type="button"
      class={`icon-button ${rest.class ?? ''}`}
      title={hint === undefined ? label : `${label} (${hint})`}
      aria-label={about === undefined ? label : `${label}: ${about}`}
      aria-keyshortcuts={keyShortcuts}
      aria-expanded={expanded}
      disabled={rest.disabled}
      tabIndex={rest.tabIndex}
      ref={rest.buttonRef ?? null}
      onClick={onClick}
    >
      <Picture />
    </button>
  );
}
