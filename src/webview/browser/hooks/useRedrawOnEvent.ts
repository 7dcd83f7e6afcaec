import { useLayoutEffect, useState } from 'preact/hooks';
import type { Event } from '../../../base/common/event';

/** Redraws the component whenever the event fires. The event must be the same object on each render. */
export function useRedrawOnEvent(event: Event<void>): void {
  const [, redraw] = useState(0);
  useLayoutEffect(() => {
    const subscription = event(() => redraw((count) => count + 1));
    return () => subscription.dispose();
  }, [event]);
}
