import { countWithNoun } from '../../../base/common/text/countWithNoun';
import { formatFileNames } from '../../../base/common/lists';
import { fileNameOf } from '../../../base/common/text/fileNameOf';
import type { FolderMove } from './conversationPlace';

/** What the user has to know when a conversation is opened. */
interface Opened {
  /** Where its folders are now, if it was not continued there yet. */
  readonly moves: readonly FolderMove[];
  /** Absolute paths of the changed files that are not as the agent left them. Asked only if folders have moved. */
  readonly pathsNotAsLeft: () => Promise<readonly string[]>;
  readonly draft: { readonly unsavedImageTitles: readonly string[] };
}

/** Returns the warnings for a conversation that was opened. */
export async function openingNotices({ draft, moves, pathsNotAsLeft }: Opened): Promise<string[]> {
  const different = moves.length > 0 ? await pathsNotAsLeft() : [];
  const notices: string[] = [];
  if (different.length > 0) {
    const where = moves.map(({ to }) => to).join(', ');
    const [are, them] = different.length === 1 ? ['is', 'it'] : ['are', 'them'];
    const names = formatFileNames(different.map(fileNameOf));
    notices.push(
      `This conversation works in ${where} now. ${countWithNoun(different.length, 'file')} there ${are} not as the agent left ${them}: ${names}. What differs counts as your edits.`,
    );
  }
  const images = draft.unsavedImageTitles.join(', ');
  if (images !== '') notices.push(`Images of the draft could not be read. Add them again: ${images}.`);
  return notices;
}
