import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { keyAfterChange } from './treeKeys';

const justMovedMs = 500;

interface KeptFocus {
  /** Key of the item that Tab goes to. */
  readonly activeKey: string | undefined;
  readonly setActiveKey: (key: string) => void;
  /** Whether the focus was given to another item a moment ago, so that a key was probably meant for the one before. */
  readonly hasJustMoved: () => boolean;
}

/**
 * Keeps the focus on the same item of a tree while items move, and gives it to the next one when its item goes. `keys`: of all
 * items, from top to bottom. `preferred`: where Tab goes at first.
 */
export function useKeptFocus(
  tree: RefObject<HTMLElement | null>,
  keys: readonly string[],
  preferred: string | undefined,
  redraw: () => void,
): KeptFocus {
  const active = useRef<string | undefined>(undefined);
  const movedAt = useRef(-Infinity);
  const drawnKeys = useRef<readonly string[]>([]);
  // The browser takes the focus from an element that is removed, so it is looked up before that happens.
  const element = tree.current?.contains(document.activeElement) ? document.activeElement : null;
  const before = active.current;
  active.current = keyAfterChange(before, drawnKeys.current, keys);
  const activeKey = active.current ?? (preferred !== undefined && keys.includes(preferred) ? preferred : keys[0]);
  useLayoutEffect(() => {
    drawnKeys.current = keys;
    // Otherwise it is where it was, or a field that has appeared has taken it.
    if (!element || document.activeElement !== document.body) return;
    if (activeKey !== undefined) itemElement(tree, activeKey)?.focus({ preventScroll: true });
    if (activeKey !== before) movedAt.current = performance.now();
  });
  return {
    activeKey,
    hasJustMoved: () => performance.now() - movedAt.current < justMovedMs,
    setActiveKey: (key) => {
      if (active.current === key) return;
      active.current = key;
      redraw();
    },
  };
}

/** The element of an item, by its `data-key`. */
export function itemElement(tree: RefObject<HTMLElement | null>, key: string): HTMLElement | undefined {
  const found = tree.current?.querySelector(`[data-key="${CSS.escape(key)}"]`);
  return found instanceof HTMLElement ? found : undefined;
}
