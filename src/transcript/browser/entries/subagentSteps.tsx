import type { ComponentChild } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { EntryOf } from '../../common/entries';
import { Disclosure } from '../parts/disclosure';
import { showHiddenCharacters } from '../../../base/common/hiddenCharacters';
import { UntrustedText } from '../parts/untrustedText';
import { useTranscriptContext } from '../transcriptContext';

/** Renders the entry with this id, which is also its key. */
export type RenderEntry = (id: string) => ComponentChild;

export interface SubagentStepsProps {
  readonly entry: EntryOf<'tool'>;
  readonly childIds: readonly string[];
  readonly renderEntry: RenderEntry;
}

export function SubagentSteps({ entry, childIds, renderEntry }: SubagentStepsProps) {
  if (childIds.length === 0) return null;
  return (
    <div class="steps" role="group" aria-label={showHiddenCharacters(`Steps in ${entry.title}`)}>
      {childIds.map(renderEntry)}
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
  const { entry, childIds } = steps;
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
  if (childIds.length > 0) return <SubagentSteps {...steps} />;
  return (
    <p class="quiet" role="status">
      <UntrustedText text={problem ?? 'Loading subagent thread…'} />
    </p>
  );
}
