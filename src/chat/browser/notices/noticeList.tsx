import { chatRequests } from '../../common/page/chatApi';
import { DismissibleBanner } from './banner';
import { usePage, usePageState } from '../chatPageContext';

/** What Backline has to say while the user is in the chat. */
export function NoticeList() {
  const page = usePage();
  const { notices } = usePageState();
  const answer = (id: string, action?: string): void => void page.request(chatRequests.answerNotice, { id, action });
  return (
    <>
      {notices.map(({ id, level, text, actions }) => (
        <DismissibleBanner key={id} level={level} text={text} onDismiss={() => answer(id)}>
          {actions.map((label) => (
            <button key={label} type="button" class="button" onClick={() => answer(id, label)}>
              {label}
            </button>
          ))}
        </DismissibleBanner>
      ))}
    </>
  );
}
