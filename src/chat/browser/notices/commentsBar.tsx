import { useRedrawOnEvent } from '../../../webview/browser/hooks/useRedrawOnEvent';
import { formatCountWithNoun } from '../../../transcript/browser/parts/format';
import { CommentIcon } from '../../../webview/browser/icons';
import { countAttachedComments } from '../../common/sending/attachedComments';
import { chatRequests } from '../../common/page/chatApi';
import { usePage, usePageState } from '../chatPageContext';

/** The comments beside lines that were neither sent nor attached to a prompt, with the button that puts them into the composer. */
export function CommentsBar() {
  const page = usePage();
  const { draftComments, session } = usePageState();
  const { composerDraft } = page;
  useRedrawOnEvent(composerDraft.onDidChange);
  const prompts = [composerDraft.draft, ...(session?.queue ?? [])];
  const left = draftComments - countAttachedComments(prompts.flatMap(({ attachments }) => attachments));
  if (left <= 0) return null;
  return (
    <section class="changes comments" aria-label="Comments that were not sent">
      <CommentIcon />
      <span class="one-line">{formatCountWithNoun(left, 'comment')}</span>
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
