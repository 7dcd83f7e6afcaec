import { useState } from 'preact/hooks';
import type { EntryOf, Part } from '../../common/entries';
import { isPathInText, shortenPathsInText } from '../../common/shortPath';
import { toolStateLabels } from '../../common/stateLabels';
import { toolFailureText } from '../../common/toolFailure';
import { Disclosure } from '../parts/disclosure';
import { ElapsedTime } from '../parts/elapsed';
import { isLookup } from '../list/runs';
import { toolIcons } from './entryIcons';
import { formatCountWithNoun, formatDuration } from '../parts/format';
import { PathButton } from '../parts/pathButton';
import { PartView } from '../parts/partView';
import { ChangeCounts } from '../parts/changeCounts';
import { ShowAllTextsButton } from '../parts/showAll';
import { StopButton } from '../parts/stopButton';
import { SubagentSteps, SubthreadDisclosure, type RenderItems, type SubagentStepsProps } from './subagentSteps';
import { useTranscriptContext } from '../transcriptContext';
import { showHiddenCharacters } from '../../../base/common/text/hiddenCharacters';
import { UntrustedText } from '../parts/untrustedText';

/** The card of a tool call. It is open while the call runs, and a single line when the call is done. */
export function ToolEntry({ entry, renderItems }: { entry: EntryOf<'tool'>; renderItems: RenderItems }) {
  const { actions, model } = useTranscriptContext();
  const [isStopping, setStopping] = useState(false);
  const children = model.childIdsOf(entry.id);
  const isEmpty = entry.parts.length === 0 && children.length === 0 && hasNoDetails(entry);
  const { stopCall } = actions;
  const stop = async (): Promise<void> => {
    setStopping(true);
    await stopCall?.(entry.id);
    setStopping(false);
  };
  const head = <ToolHead entry={entry} childCount={children.length} isStopping={isStopping} />;
  return (
    <>
      {stopCall && entry.canStop && <StopButton entry={entry} isStopping={isStopping} onClick={() => void stop()} />}
      {isEmpty ? (
        <div class={`tool tool-${entry.state} tool-bare`}>{head}</div>
      ) : (
        <Disclosure
          class={`tool tool-${entry.state} ${toolFailureText(entry) === undefined ? '' : 'tool-trouble'}`}
          isOpen={isOpenByDefault(entry)}
          summary={head}
        >
          <ToolBody entry={entry} items={model.stepItemsOf(entry.id)} renderItems={renderItems} />
        </Disclosure>
      )}
    </>
  );
}

/** What runs is open, except for calls that end at once: their lines would jump. */
function isOpenByDefault({ state, toolKind }: EntryOf<'tool'>): boolean {
  return state === 'failed' || (state === 'running' && !isLookup(toolKind));
}

function hasNoDetails({ input, error, decision, locations = [] }: EntryOf<'tool'>): boolean {
  return input === undefined && error === undefined && decision === undefined && locations.length === 0;
}

interface ToolHeadProps {
  readonly entry: EntryOf<'tool'>;
  readonly childCount: number;
  /** Whether the user has asked to stop it. */
  readonly isStopping: boolean;
}

function ToolHead({ entry, childCount, isStopping: isAskedToStop }: ToolHeadProps) {
  const { folders = [] } = useTranscriptContext().options;
  const { state, toolKind, title, durationMs, startedAt } = entry;
  const Picture = toolIcons[toolKind];
  const diffs = entry.parts.filter((part) => part.type === 'diff');
  const isRunning = state === 'running';
  const trouble = toolFailureText(entry);
  const isStopping = isAskedToStop && entry.canStop === true;
  const isPlain = !isStopping && (isRunning || (state === 'done' && trouble === undefined));
  const stateText = isStopping ? 'Stopping…' : (trouble ?? toolStateLabels[state]);
  return (
    <>
      <span class="tool-icon">{isRunning ? <span class="spinner" /> : <Picture />}</span>
      <span class="title one-line" title={showHiddenCharacters(title)}>
        <bdi>
          <UntrustedText text={shortenPathsInText(title, folders)} />
        </bdi>
      </span>
      {diffs.length > 0 && <ChangeCounts changes={diffs} />}
      {isPlain ? (
        <span class="visually-hidden">{stateText}</span>
      ) : (
        <span class="state one-line" title={showHiddenCharacters(stateText)}>
          {state === 'waiting' && <span class="dot" role="img" aria-label={stateText} />}
          <span>
            <UntrustedText text={stateText} />
          </span>
        </span>
      )}
      {isRunning && startedAt !== undefined && <ElapsedTime since={startedAt} />}
      {!isRunning && durationMs !== undefined && <span class="time">{formatDuration(durationMs)}</span>}
      {childCount > 0 && <span class="quiet step-count">{formatCountWithNoun(childCount, 'step')}</span>}
    </>
  );
}

function ToolBody(steps: SubagentStepsProps) {
  const { entry } = steps;
  const named = useNamedDiff(entry);
  return (
    <div class="tool-body">
      <ToolLocations entry={entry} />
      {entry.input !== undefined && <ToolInput json={entry.input} isOpen={entry.parts.length === 0} />}
      {entry.parts.map(
        (part, index) => !isReport(part) && <PartView key={index} part={part} index={index} isNamed={part === named} />,
      )}
      {entry.subthread === undefined ? <SubagentSteps {...steps} /> : <SubthreadDisclosure {...steps} />}
      {entry.parts.map((part, index) => isReport(part) && <PartView key={index} part={part} index={index} />)}
      {entry.error !== undefined && (
        <pre class="tool-error">
          <UntrustedText text={entry.error} />
        </pre>
      )}
      {entry.decision !== undefined && (
        <p class="decision">
          Decision: <UntrustedText text={entry.decision} />
        </p>
      )}
      <ShowAllTextsButton entry={entry} shown={[entry.title, entry.input, entry.error, entry.decision]} />
    </div>
  );
}

/** The report of a subagent comes after its steps. */
function isReport(part: Part): boolean {
  return part.type === 'text' && part.role === 'report';
}

/** The only diff of a call whose line names its file, and therefore also counts its lines. */
function useNamedDiff({ title, parts }: EntryOf<'tool'>): Part | undefined {
  const { folders = [] } = useTranscriptContext().options;
  const [diff, ...others] = parts.filter((part) => part.type === 'diff');
  const isNamed = diff && others.length === 0 && isPathInText(title, diff.path, folders);
  return isNamed ? diff : undefined;
}

function ToolLocations({ entry: { locations = [], parts } }: { entry: EntryOf<'tool'> }) {
  const named = new Set(parts.flatMap((part) => (part.type === 'diff' || part.type === 'file' ? part.path : [])));
  const others = locations.filter(({ path }) => !named.has(path));
  if (others.length === 0) return null;
  return (
    <ul class="locations" aria-label="Files">
      {others.map(({ path, line }, index) => (
        <li key={index}>
          <PathButton path={path} line={line} />
        </li>
      ))}
    </ul>
  );
}

function ToolInput({ json, isOpen }: { json: string; isOpen: boolean }) {
  return (
    <Disclosure class="input" isOpen={isOpen} summary="Input">
      <pre class="boxed" dir="ltr" tabIndex={0}>
        <UntrustedText text={json} />
      </pre>
    </Disclosure>
  );
}
