import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { FloatingBox } from './floating';
import { ChevronDownIcon } from './icons';
import { MenuList, type CustomMenuItem } from './menu';
import { usePopup } from './hooks/usePopup';

interface SplitButtonProps {
  readonly children: ComponentChildren;
  /** Name of the menu for screen readers, for example `More ways to allow`. */
  readonly menuLabel: string;
  readonly items: readonly CustomMenuItem[];
  /** The main action. If missing, the whole button opens the menu. */
  readonly onClick?: (() => void) | undefined;
  readonly title?: string | undefined;
  readonly keyShortcuts?: string | undefined;
  readonly isPrimary?: boolean;
  readonly disabled?: boolean;
}

/** A button for the most common action, with a menu of alternatives that opens above it. */
export function SplitButton({ children, menuLabel, items, onClick, title, keyShortcuts, ...rest }: SplitButtonProps) {
  const { isPrimary = false, disabled = false } = rest;
  const { isOpen, setOpen, button, close, closeToButton } = usePopup();
  const anchor = useRef<HTMLSpanElement>(null);
  const menuButtonProps = {
    'aria-haspopup': 'menu',
    'aria-expanded': isOpen,
    disabled,
    ref: button,
    onClick: () => setOpen(!isOpen),
    onKeyDown: (event: KeyboardEvent) => {
      if (isOpen || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return;
      event.preventDefault();
      setOpen(true);
    },
  } as const;
  const className = `button ${isPrimary ? 'is-primary' : ''}`;
  return (
    <span class="split-button" ref={anchor}>
      {onClick && (
        <button
          type="button"
          class={`${className} split-main`}
          title={title}
          aria-keyshortcuts={keyShortcuts}
          disabled={disabled}
          onClick={onClick}
        >
          {children}
        </button>
      )}
      {items.length > 0 && onClick && (
        <button
          type="button"
          class={`${className} split-arrow`}
          title={menuLabel}
          aria-label={menuLabel}
          {...menuButtonProps}
        >
          <ChevronDownIcon />
        </button>
      )}
      {!onClick && (
        <button type="button" class={`${className} split-main`} title={title ?? menuLabel} {...menuButtonProps}>
          {children}
          <ChevronDownIcon />
        </button>
      )}
      {isOpen && !disabled && (
        <FloatingBox anchor={anchor} onLeave={close} side="above">
          <MenuList label={menuLabel} items={items} onDone={closeToButton} />
        </FloatingBox>
      )}
    </span>
  );
}
