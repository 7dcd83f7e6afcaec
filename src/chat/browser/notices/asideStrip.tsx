import { chatRequests } from '../../common/page/chatApi';
import { UntrustedText } from '../../../transcript/browser/parts/untrustedText';
import { usePage, usePageState } from '../chatPageContext';

/** Says what a side question is, and keeps it. */
export function AsideStrip() {
  const page = usePage();
  const { session } = usePageState();
  if (!session?.aside) return null;
  const { about, isKept = false } = session.aside;
  const keep = (): void => void page.requestForSession(chatRequests.keepAside, (sessionId) => ({ sessionId }));
  return (
    <aside class="aside-strip" aria-label="Side question">
      <p dir="auto">
        A side question on “
        <UntrustedText text={about} />
        ”. Whatever goes beyond reading is denied
        {isKept ? '. To go on with changes, fork it.' : ', and it is deleted when you close its tab.'}
      </p>
      {!isKept && (
        <button type="button" class="button" onClick={keep}>
          Keep
        </button>
      )}
    </aside>
  );
}
