import { IconButton } from '../../../webview/browser/iconButton';
import { CloseIcon } from '../../../webview/browser/icons';
import { Banner } from './banner';
import { RetryWithOptionButtons } from '../composer/options/alternativeOptions';
import { usePage, usePageState } from '../chatPageContext';

export function ProblemList() {
  const { store } = usePage();
  const { problems, session } = usePageState();
  // The status banner already shows the other problems.
  const others = problems.filter(({ message }) => message !== session?.statusText && message !== session?.problem);
  return (
    <>
      {others.map(({ id, message, details }) => (
        <div key={id} class="problem">
          <Banner level="error" text={message} details={details}>
            <RetryWithOptionButtons message={message} onPick={() => store.dismissProblem(id)} />
          </Banner>
          <IconButton label="Dismiss" icon={CloseIcon} onClick={() => store.dismissProblem(id)} />
        </div>
      ))}
    </>
  );
}
