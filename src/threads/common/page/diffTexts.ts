import type { DiffPart } from '../../../transcript/common/entries';

/** Returns both sides of a change. They consist of its hunks, with a mark between them. */
export function textsBeforeAndAfter({ hunks, change }: DiffPart): { readonly before: string; readonly after: string } {
  const side = (without: 'add' | 'remove'): string =>
    hunks
      .map(({ lines }) => lines.filter(({ kind }) => kind !== without).map(({ text }) => text))
      .map((lines) => lines.join('\n'))
      .join('\n⋯\n');
  return { before: change === 'created' ? '' : side('add'), after: change === 'deleted' ? '' : side('remove') };
}
