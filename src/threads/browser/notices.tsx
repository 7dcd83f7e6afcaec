import { IconButton } from '../../webview/browser/iconButton';
import { CloseIcon, ErrorIcon, InfoIcon } from '../../webview/browser/icons';
import { PlainText } from '../../transcript/browser/parts/plainText';
import { threadRequests } from '../common/page/threadApi';
import { usePage, usePageState } from './threadPageContext';

/** What the user should know of how the thread was read, and what could not be done. */
export function Notices() {
  const page = usePage();
  const { thread, problem, hasFile, failure } = usePageState();
  const notes = thread?.notes ?? [];
  return (
    <>
      {problem !== undefined && (
        <div class="thread-notice is-error" role="alert">
          <ErrorIcon />
          <p>
            <PlainText
              text={thread ? `This thread cannot be read any more, so it stays as it was: ${problem}` : problem}
            />
          </p>
          <span class="thread-notice-actions">
            {hasFile && (
              <button type="button" class="button" onClick={() => void page.ask(threadRequests.openFile, {})}>
                Open as JSON
              </button>
            )}
            <button type="button" class="button" onClick={() => void page.ask(threadRequests.retry, {})}>
              Try again
            </button>
          </span>
        </div>
      )}
      {failure !== undefined && (
        <div class="thread-notice is-error" role="alert">
          <ErrorIcon />
          <p>
            <PlainText text={failure} />
          </p>
          <IconButton label="Dismiss" icon={CloseIcon} onClick={() => page.dismissFailure()} />
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

/** The threads that it names can be opened. */
function Note({ text }: { text: string }) {
  const page = usePage();
  return (
    <>
      {text.split(namedThread).map((piece, index) =>
        // Every other piece is what the expression has found.
        index % 2 === 0 ? (
          <PlainText key={index} text={piece} />
        ) : (
          <button
            key={index}
            type="button"
            class="link"
            title="Open this thread"
            onClick={() => page.actions.open(piece)}
          >
            {piece}
          </button>
        ),
      )}
    </>
  );
}

const namedThread = /(T-[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})(?![\w-])/i;
