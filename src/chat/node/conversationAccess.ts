/** Who can write to a conversation. `free`: no window is writing; `lost`: another window has become the writer. */
export type Access = 'ours' | 'free' | 'theirs' | 'lost' | 'newer';

export const inUseElsewhereText =
  'In use in another VS Code window. Read-only here until you close that window or open another conversation in it.';
export const notHereText = 'The conversation belongs to another folder, and was not continued here.';
const takenOverText =
  'Another VS Code window took over this conversation, so it was stopped here. Open it from the list to read it.';
export const newerVersionText =
  'This conversation was written by a newer version of Backline. You can read it here, but not continue it.';

/** Returns why this window cannot write. Undefined if it can. */
export function readonlyReasonOf(access: Access): string | undefined {
  if (access === 'newer') return newerVersionText;
  if (access === 'lost') return takenOverText;
  return access === 'theirs' ? inUseElsewhereText : undefined;
}
