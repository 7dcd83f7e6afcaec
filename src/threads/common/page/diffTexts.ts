import type { DiffPart } from '../../../transcript/common/entries';

/** Both sides of a change as far as the thread knows them: its hunks, one after the other, with a mark where lines are left out. */
export function diffTexts({ hunks, change }: DiffPart): { readonly before: string; readonly after: string } {
  const side = (without: 'add' | 'remove'): string =>
    hunks
      .map(({ lines }) => lines.filter(({ kind }) => kind !== without).map(({ text }) => text))
      .map((lines) => lines.join('\n'))
      .join('\n⋯\n');
  return { before: change === 'created' ? '' : side('add'), after: change === 'deleted' ? '' : side('remove') };
}
