import { IconButton } from '../../../webview/browser/iconButton';
import { CloseIcon } from '../../../webview/browser/icons';
import { chatRequests } from '../../common/page/chatApi';
import { Banner } from './banner';
import { usePage, usePageState } from '../chatPageContext';

/** What Backline has to say while the user is in the chat. */
export function NoticeList() {
  const page = usePage();
  const { notices } = usePageState();
  return (
    <>
      {notices.map(({ id, level, text, actions }) => (
        <div key={id} class="problem">
          <Banner level={level} text={text}>
            {actions.map((label) => (
              <button
                key={label}
                type="button"
                class="button"
                onClick={() => void page.request(chatRequests.answerNotice, { id, action: label })}
              >
                {label}
              </button>
            ))}
          </Banner>
          <IconButton
            label="Dismiss"
            icon={CloseIcon}
            onClick={() => void page.request(chatRequests.answerNotice, { id })}
          />
        </div>
      ))}
    </>
  );
}
