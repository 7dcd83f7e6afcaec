import { formatCountWithNoun } from '../../../transcript/browser/parts/format';
import { CommentIcon } from '../../../webview/browser/icons';
import { chatRequests } from '../../common/page/chatApi';
import { usePage, usePageState } from '../chatPageContext';

/** The comments beside lines that were not sent, with the button that puts them into the composer. */
export function CommentsBar() {
  const page = usePage();
  const { draftComments } = usePageState();
  if (draftComments === 0) return null;
  return (
    <section class="changes comments" aria-label="Comments that were not sent">
      <CommentIcon />
      <span class="one-line">{formatCountWithNoun(draftComments, 'comment')}</span>
      <button
        type="button"
        class="link-button"
        title="Send Comments: attach them to the prompt"
        onClick={() => void page.request(chatRequests.sendComments, {})}
      >
        Send
      </button>
    </section>
  );
}
