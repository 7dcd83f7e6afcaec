import { DismissibleBanner } from './banner';
import { RetryWithOptionButtons } from '../composer/options/alternativeOptions';
import { usePage, usePageState } from '../chatPageContext';

export function ProblemList() {
  const { store } = usePage();
  const { problems, session } = usePageState();
  // The status banner already shows the other problems.
  const others = problems.filter(({ message }) => message !== session?.statusText && message !== session?.problem);
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
