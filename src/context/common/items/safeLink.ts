import { itemLimits } from '../limits';

/** Whether a link of an item may be opened. Commands and scripts may not. */
export function isSafeLink(url: string): boolean {
  return url.length <= itemLimits.url && /^(?:https?|mailto|file):/i.test(url);
}
