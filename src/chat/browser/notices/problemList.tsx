import { DismissibleBanner } from './banner';
import { RetryWithOptionButtons } from '../composer/options/alternativeOptions';
import { usePage, usePageState } from '../chatPageContext';

export function ProblemList() {
  const { store } = usePage();
  const { problems, session } = usePageState();
  // The status banner already shows the other problems, in its text or in its details.
  const shown = [session?.statusText, session?.problem];
  const isShown = (message: string): boolean =>
    shown.includes(message) || session?.statusDetails?.split('\n', 1)[0] === message;
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
