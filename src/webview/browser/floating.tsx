import type { ComponentChildren, RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface FloatingProps {
  /** What it belongs to: it opens beside it, and a click there does not close it. */
  readonly anchor: RefObject<HTMLElement | null>;
  /** Focus has left it, or the user clicked elsewhere. */
  readonly onLeave: () => void;
  readonly class?: string;
  readonly children: ComponentChildren;
}

const margin = 4;

/** A box over the page, beside its anchor: below it where there is room, else above, never outside the window. */
export function Floating({ anchor, onLeave, class: className = '', children }: FloatingProps) {
  const box = useRef<HTMLDivElement>(null);

  useLayoutEffect(() => {
    const place = (): void => {
      if (anchor.current && box.current) placeBeside(anchor.current, box.current);
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

function placeBeside(anchor: HTMLElement, box: HTMLElement): void {
  const at = anchor.getBoundingClientRect();
  const above = at.top - 2 * margin;
  const below = window.innerHeight - at.bottom - 2 * margin;
  box.style.maxHeight = '';
  const goesBelow = box.offsetHeight <= below || below >= above;
  box.style.maxHeight = `${Math.max(goesBelow ? below : above, 80)}px`;
  const top = goesBelow ? at.bottom + margin : at.top - margin - box.offsetHeight;
  const left = Math.min(at.left, window.innerWidth - box.offsetWidth - margin);
  box.style.top = `${Math.max(top, margin)}px`;
  box.style.left = `${Math.max(left, margin)}px`;
}
