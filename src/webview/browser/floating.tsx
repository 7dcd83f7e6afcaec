import type { ComponentChildren, RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface FloatingProps {
  /** The element next to which the box opens. Clicks there do not close the box. */
  readonly anchor: RefObject<HTMLElement | null>;
  /** Called when the focus leaves the box or the user clicks elsewhere. */
  readonly onLeave: () => void;
  /** The preferred side; `below` by default. */
  readonly side?: 'above' | 'below';
  readonly class?: string;
  readonly children: ComponentChildren;
}

const margin = 4;

/** A box next to its anchor, on the preferred side or the one with more room, always inside the window. */
export function Floating({ anchor, onLeave, side = 'below', class: className = '', children }: FloatingProps) {
  const box = useRef<HTMLDivElement>(null);

  useLayoutEffect(() => {
    const place = (): void => {
      if (anchor.current && box.current) placeBeside(anchor.current, box.current, side);
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

function placeBeside(anchor: HTMLElement, box: HTMLElement, side: 'above' | 'below'): void {
  const at = anchor.getBoundingClientRect();
  const above = at.top - 2 * margin;
  const below = window.innerHeight - at.bottom - 2 * margin;
  box.style.maxHeight = '';
  const [wanted, other] = side === 'below' ? [below, above] : [above, below];
  const isAsWanted = box.offsetHeight <= wanted || wanted >= other;
  const goesBelow = isAsWanted === (side === 'below');
  box.style.maxHeight = `${Math.max(goesBelow ? below : above, 80)}px`;
  const top = goesBelow ? at.bottom + margin : at.top - margin - box.offsetHeight;
  const left = Math.min(at.left, window.innerWidth - box.offsetWidth - margin);
  box.style.top = `${Math.max(top, margin)}px`;
  box.style.left = `${Math.max(left, margin)}px`;
}
