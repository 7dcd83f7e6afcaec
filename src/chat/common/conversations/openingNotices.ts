import { countWithNoun } from '../../../base/common/text/countWithNoun';
import { formatFileNames } from '../../../base/common/lists';
import { fileNameOf } from '../../../base/common/text/fileNameOf';
import type { Conversation } from '../conversation/conversation';

/** Adds warnings to a conversation that was opened: what has moved with its folders, and what of its draft is lost. */
export async function addOpeningNotices(
  conversation: Conversation,
  draft: { readonly unsavedImageTitles: readonly string[] },
): Promise<void> {
  const { moves } = conversation.file;
  const different = moves.length > 0 ? await conversation.journal.review.pathsNotAsLeft() : [];
  if (different.length > 0) {
    const where = moves.map(({ to }) => to).join(', ');
    const [are, them] = different.length === 1 ? ['is', 'it'] : ['are', 'them'];
    const names = formatFileNames(different.map(fileNameOf));
    conversation.addNotice(
      'warning',
      `This conversation works in ${where} now. ${countWithNoun(different.length, 'file')} there ${are} not as the agent left ${them}: ${names}. What differs counts as your edits.`,
    );
  }
  const images = draft.unsavedImageTitles.join(', ');
  if (images !== '')
    conversation.addNotice('warning', `Images of the draft could not be read. Add them again: ${images}.`);
}
