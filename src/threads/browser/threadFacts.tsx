import { UntrustedText } from '../../transcript/browser/parts/untrustedText';
import { ChevronRightIcon } from '../../webview/browser/icons';
import { useThreadPage, useThreadPageState } from './threadPageContext';

export function ThreadFacts() {
  const page = useThreadPage();
  const { thread } = useThreadPageState();
  const facts = thread?.facts ?? [];
  if (facts.length === 0) return null;
  const summary = ['Repository', 'Branch'].flatMap((name) => facts.find(({ label }) => label === name)?.value ?? []);
  return (
    <details class="thread-facts">
      <summary>
        <ChevronRightIcon />
        <span>About</span>
        <span class="quiet one-line">
          <UntrustedText text={summary.join(' · ')} />
        </span>
      </summary>
      <dl>
        {facts.map(({ label, value }, index) => (
          <div key={index}>
            <dt>{label}</dt>
            <dd dir="auto">
              {threadId.test(value) ? (
                <button type="button" class="link" title="Open Thread" onClick={() => page.actions.open(value)}>
                  {value}
                </button>
              ) : (
                <UntrustedText text={factText(value)} />
              )}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

const threadId = /^T-[\da-f-]{36}$/i;
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** Formats a detail of the thread. Times are in the user's locale. */
function factText(value: string): string {
  return isoTime.test(value) ? new Date(value).toLocaleString() : value;
}
