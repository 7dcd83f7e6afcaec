import { escapeRegExp } from '../../base/common/text/escapeRegExp';

/** Returns a case-insensitive, global pattern for a literal text. */
export function createTextPattern(text: string): RegExp {
  return new RegExp(escapeRegExp(text), 'giu');
}
