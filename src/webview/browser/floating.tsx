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

/** A box next to its anchor, on the preferred side or the one with more room, always inside the window. */
export function Floating({ anchor, onLeave, side = 'below', class: className = '', children }: FloatingProps) {
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
    const isOutside = (target: EventTarget | null): boolean =>
      target instanceof Node && !box.current?.contains(target) && !anchor.current?.contains(target);
    const leaveIfOutside = ({ target }: Event): void => {
      if (isOutside(target)) onLeave();
    };
    document.addEventListener('pointerdown', leaveIfOutside, true);
    document.addEventListener('focusin', leaveIfOutside);
    window.addEventListener('blur', onLeave);
    return () => {
      document.removeEventListener('pointerdown', leaveIfOutside, true);
      document.removeEventListener('focusin', leaveIfOutside);
      window.removeEventListener('blur', onLeave);
    };
  }, [anchor, onLeave]);

  return (
    <div ref={box} class={`floating ${className}`}>
      {children}
    </div>
  );
}

function positionNextTo(anchor: HTMLElement, box: HTMLElement, side: 'above' | 'below'): void {
  const at = anchor.getBoundingClientRect();
  const above = at.top - 2 * marginPx;
  const below = window.innerHeight - at.bottom - 2 * marginPx;
  box.style.maxHeight = '';
  const [wanted, other] = side === 'below' ? [below, above] : [above, below];
  const isAsWanted = box.offsetHeight <= wanted || wanted >= other;
  const goesBelow = isAsWanted === (side === 'below');
  box.style.maxHeight = `${Math.max(goesBelow ? below : above, 80)}px`;
  const top = goesBelow ? at.bottom + marginPx : at.top - marginPx - box.offsetHeight;
  const left = Math.min(at.left, window.innerWidth - box.offsetWidth - marginPx);
  box.style.top = `${Math.max(top, marginPx)}px`;
  box.style.left = `${Math.max(left, marginPx)}px`;
}
