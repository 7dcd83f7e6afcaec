/** Matches a text wherever it stands, without regard to case. */
export function textPattern(text: string): RegExp {
  return new RegExp(text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'), 'giu');
}
