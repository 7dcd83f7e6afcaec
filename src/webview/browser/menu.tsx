import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { FloatingBox } from './floating';
import { IconButton } from './iconButton';
import type { Icon } from './icons';
import { indexAfterKey } from './listKeys';
import { usePopup } from './hooks/usePopup';

export interface MenuItem {
  readonly label: string;
  readonly icon: Icon;
  readonly run: () => void;
}

export interface CustomMenuItem {
  readonly key: string;
  readonly content: ComponentChildren;
  /** Whether the item opens a list in place of the menu. */
  readonly keepsOpen?: boolean;
  /** For an item that is a choice: whether it is chosen. `isOneOf`: instead of others. */
  readonly choice?: { readonly isChosen: boolean; readonly isOneOf: boolean };
  /** Whether a line separates it from the item before. */
  readonly startsGroup?: boolean;
  readonly run: () => void;
}

interface MenuButtonProps {
  readonly label: string;
  readonly icon: Icon;
  readonly items: readonly MenuItem[];
  readonly tabIndex?: number;
}

export function MenuButton({ label, icon, items, tabIndex }: MenuButtonProps) {
  const { isOpen, setOpen, button, close, closeToButton } = usePopup();
  return (
    <span class="menu-anchor">
      <IconButton
        label={label}
        icon={icon}
        buttonRef={button}
        expanded={isOpen}
        tabIndex={tabIndex}
        onClick={() => setOpen(!isOpen)}
      />
      {isOpen && (
        <FloatingBox anchor={button} onLeave={close}>
          <MenuList label={label} items={items.map(menuRowOf)} onDone={closeToButton} />
        </FloatingBox>
      )}
    </span>
  );
}

function menuRowOf({ label, icon: Picture, run }: MenuItem): CustomMenuItem {
  return {
    key: label,
    content: (
      <>
        <Picture />
        <span>{label}</span>
      </>
    ),
    run,
  };
}

interface MenuListProps {
  readonly label: string;
  readonly items: readonly CustomMenuItem[];
  readonly onDone: () => void;
}

/** The items of an open menu. The menu takes the focus, and the arrow keys move between its items. */
export function MenuList({ label, items, onDone }: MenuListProps) {
  const list = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(0);

  useLayoutEffect(() => {
    const item = list.current?.children.item(active);
    if (item instanceof HTMLElement) item.focus();
  }, [active]);

  const onKeyDown = (event: KeyboardEvent): void => {
    const next = indexAfterKey(event.key, active, items.length);
    if (next === undefined && event.key !== 'Escape' && event.key !== 'Tab') return;
    event.preventDefault();
    event.stopPropagation();
    if (next === undefined) onDone();
    else setActive(next);
  };

  return (
    <div ref={list} class="menu" role="menu" aria-label={label} onKeyDown={onKeyDown}>
      {items.map(({ choice, key, content, keepsOpen, run, startsGroup }) => (
        <button
          key={key}
          type="button"
          role={choice ? (choice.isOneOf ? 'menuitemradio' : 'menuitemcheckbox') : 'menuitem'}
          aria-checked={choice?.isChosen}
          tabIndex={-1}
          class={`menu-item ${startsGroup === true ? 'starts-group' : ''}`}
          onClick={() => {
            if (keepsOpen !== true) onDone();
            run();
          }}
        >
          {content}
        </button>
      ))}
    </div>
  );
}
