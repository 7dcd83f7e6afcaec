import { showHiddenCharacters } from '../../../base/common/text/hiddenCharacters';
import { PlanSteps } from '../../../transcript/browser/entries/todosEntry';
import { UntrustedText } from '../../../transcript/browser/parts/untrustedText';
import { planProgress } from '../../../transcript/browser/entries/planProgress';
import { ChevronRightIcon } from '../../../webview/browser/icons';
import { usePageState } from '../chatPageContext';

/** The step of the agent's plan that is being done, with all steps on request, while the plan runs. */
export function PlanLine() {
  const { session } = usePageState();
  const items = session?.plan ?? [];
  const { current } = planProgress(items);
  return (
    <>
      {/* It exists before there is a plan: what appears together with its region may not be announced. */}
      <span class="visually-hidden" role="status" data-of="plan">
        {current && showHiddenCharacters(`Step ${current.number} of ${items.length}: ${current.text}`)}
      </span>
      {current && (
        <section class="plan" aria-label="Plan" key={session?.id}>
          <details>
            <summary title={showHiddenCharacters(current.text)}>
              <ChevronRightIcon />
              <span class="visually-hidden">{`Plan, step ${current.number} of ${items.length}: `}</span>
              <span class="plan-number" aria-hidden="true">{`${current.number}/${items.length}`}</span>
              <span class="one-line" dir="auto">
                <UntrustedText text={current.text} />
              </span>
            </summary>
            {/* It scrolls, also by keys. */}
            <div class="plan-scroll" role="group" aria-label="Steps of the plan" tabIndex={0}>
              <PlanSteps items={items} />
            </div>
          </details>
        </section>
      )}
    </>
  );
}
