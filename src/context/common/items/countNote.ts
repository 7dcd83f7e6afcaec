import { countWithNoun } from '../../../base/common/text/countWithNoun';

/** Returns a note about what was done with some items, or nothing if there are none. Example: `2 links were removed.` */
export function countNote(count: number, noun: string, done: string): string[] {
  return count > 0 ? [`${countWithNoun(count, noun)} ${count === 1 ? 'was' : 'were'} ${done}`] : [];
}
