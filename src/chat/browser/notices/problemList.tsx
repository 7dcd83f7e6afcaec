import { DismissibleBanner } from './banner';
import { RetryWithOptionButtons } from '../composer/options/alternativeOptions';
import { usePage, usePageState } from '../chatPageContext';

export function ProblemList() {
  const { store } = usePage();
  const { problems, session } = usePageState();
  const { problem, statusDetails, statusText } = session ?? {};
  // The status banner already shows the other problems, in its text or at the beginning of its details.
  const isShown = (message: string): boolean =>
    [problem, statusText, statusDetails].includes(message) || statusDetails?.startsWith(`${message}\n`) === true;
  const others = problems.filter(({ message }) => !isShown(message));
  return (
    <>
      {others.map(({ id, message, details }) => {
        const dismiss = (): void => store.dismissProblem(id);
        return (
          <DismissibleBanner key={id} level="error" text={message} details={details} onDismiss={dismiss}>
            <RetryWithOptionButtons message={message} onPick={dismiss} />
          </DismissibleBanner>
        );
      })}
    </>
  );
}
