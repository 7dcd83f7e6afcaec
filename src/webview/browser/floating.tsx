import type { ComponentChildren, RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface FloatingProps {
  /** The element next to which the box opens. Clicks there do not close the box. */
  readonly anchor: RefObject<HTMLElement | null>;
  readonly onLeave: () => void;
  readonly side?: 'above' | 'below';
  readonly class?: string;
  readonly children: ComponentChildren;
}

const marginPx = 4;

/** A box next to its anchor: on the preferred side, or where more space is, always inside the window. */
export function FloatingBox({ anchor, onLeave, side = 'below', class: className = '', children }: FloatingProps) {
  const box = useRef<HTMLDivElement>(null);

  useLayoutEffect(() => {
    const place = (): void => {
      if (anchor.current && box.current) positionNextTo(anchor.current, box.current, side);
    };
    place();
    window.addEventListener('resize', place);
    return () => window.removeEventListener('resize', place);
  });

  useLayoutEffect(() => {
    const leaveIfOutside = ({ target }: Event): void => {
      if (!(target instanceof Node) || box.current?.contains(target) || anchor.current?.contains(target)) return;
      onLeave();
    };
    const listeners = new AbortController();
    const { signal } = listeners;
    document.addEventListener('pointerdown', leaveIfOutside, { capture: true, signal });
    document.addEventListener('focusin', leaveIfOutside, { signal });
    window.addEventListener('blur', onLeave, { signal });
    return () => listeners.abort();
  }, [anchor, onLeave]);

  return (
    <div ref={box} class={`floating ${className}`}>
      {children}
    </div>
  );
}

function positionNextTo(anchor: HTMLElement, box: HTMLElement, side: 'above' | 'below'): void {
  const anchorRect = anchor.getBoundingClientRect();
  const above = anchorRect.top - 2 * marginPx;
  const below = window.innerHeight - anchorRect.bottom - 2 * marginPx;
  box.style.maxHeight = '';
  const [wanted, other] = side === 'below' ? [below, above] : [above, below];
  const isAsWanted = box.offsetHeight <= wanted || wanted >= other;
  const goesBelow = isAsWanted === (side === 'below');
  box.style.maxHeight = `${Math.max(goesBelow ? below : above, 80)}px`;
  const top = goesBelow ? anchorRect.bottom + marginPx : anchorRect.top - marginPx - box.offsetHeight;
  const left = Math.min(anchorRect.left, window.innerWidth - box.offsetWidth - marginPx);
  box.style.top = `${Math.max(top, marginPx)}px`;
  box.style.left = `${Math.max(left, marginPx)}px`;
}
