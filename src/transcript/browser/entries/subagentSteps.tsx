import type { ComponentChild } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { EntryOf } from '../../common/entries';
import type { ListItem } from '../list/runs';
import { Disclosure } from '../parts/disclosure';
import { showHiddenCharacters } from '../../../base/common/text/hiddenCharacters';
import { UntrustedText } from '../parts/untrustedText';
import { useTranscriptContext } from '../transcriptContext';

/** Renders entries that follow one another. Passed down, because the steps of a call are entries, too. */
export type RenderItems = (items: readonly ListItem[]) => ComponentChild;

export interface SubagentStepsProps {
  readonly entry: EntryOf<'tool'>;
  readonly items: readonly ListItem[];
  readonly renderItems: RenderItems;
}

export function SubagentSteps({ entry, items, renderItems }: SubagentStepsProps) {
  if (items.length === 0) return null;
  return (
    <div class="steps" role="group" aria-label={showHiddenCharacters(`Steps in ${entry.title}`)}>
      {renderItems(items)}
    </div>
  );
}

/** Shows the steps of a subagent that has its own thread. The thread is loaded when the user opens this section. */
export function SubthreadDisclosure(steps: SubagentStepsProps) {
  const { showSubthread } = useTranscriptContext().actions;
  if (!showSubthread) return <SubagentSteps {...steps} />;
  return (
    <Disclosure class="subthread" summary="Subagent transcript">
      <SubthreadSteps {...steps} show={showSubthread} />
    </Disclosure>
  );
}

interface SubthreadProps extends SubagentStepsProps {
  readonly show: (entryId: string, isShown: boolean) => Promise<string | undefined>;
}

function SubthreadSteps({ show, ...steps }: SubthreadProps) {
  const { entry, items } = steps;
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    let isGone = false;
    void show(entry.id, true).then((found) => {
      if (!isGone) setProblem(found);
    });
    return () => {
      isGone = true;
      void show(entry.id, false);
    };
  }, [entry.id, entry.subthread]);
  if (items.length > 0) return <SubagentSteps {...steps} />;
  return (
    <p class="quiet" role="status">
      <UntrustedText text={problem ?? 'Loading subagent thread…'} />
    </p>
  );
}
