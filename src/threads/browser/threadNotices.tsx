import { IconButton } from '../../webview/browser/iconButton';
import { CloseIcon, ErrorIcon, InfoIcon } from '../../webview/browser/icons';
import { UntrustedText } from '../../transcript/browser/parts/untrustedText';
import { threadRequests } from '../common/page/threadApi';
import { useThreadPage, useThreadPageState } from './threadPageContext';

/** Shows problems, failed requests and notes about the thread. */
export function ThreadNotices() {
  const page = useThreadPage();
  const { thread, problem, hasFile, failure } = useThreadPageState();
  const notes = thread?.notes ?? [];
  return (
    <>
      {problem !== undefined && (
        <div class="thread-notice is-error" role="alert">
          <ErrorIcon />
          <p>
            <UntrustedText
              text={thread ? `This thread can no longer be read. Its last version is shown. ${problem}` : problem}
            />
          </p>
          <span class="thread-notice-actions">
            {hasFile && (
              <button type="button" class="button" onClick={() => void page.ask(threadRequests.openFile, {})}>
                Open as JSON
              </button>
            )}
            <button type="button" class="button" onClick={() => void page.ask(threadRequests.retry, {})}>
              Try Again
            </button>
          </span>
        </div>
      )}
      {failure !== undefined && (
        <div class="thread-notice is-error" role="alert">
          <ErrorIcon />
          <p>
            <UntrustedText text={failure} />
          </p>
          <IconButton label="Dismiss" icon={CloseIcon} onClick={() => page.update({ failure: undefined })} />
        </div>
      )}
      {notes.map((note) => (
        <div key={note} class="thread-notice">
          <InfoIcon />
          <p>
            <Note text={note} />
          </p>
        </div>
      ))}
    </>
  );
}

/** Shows a note. Ids of threads become links. */
function Note({ text }: { text: string }) {
  const page = useThreadPage();
  return (
    <>
      {text.split(threadIdPattern).map((piece, index) =>
        // `split` puts matches at odd indexes.
        index % 2 === 0 ? (
          <UntrustedText key={index} text={piece} />
        ) : (
          <button key={index} type="button" class="link" title="Open Thread" onClick={() => page.actions.open(piece)}>
            {piece}
          </button>
        ),
      )}
    </>
  );
}

const threadIdPattern = /(T-[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})(?![\w-])/i;
