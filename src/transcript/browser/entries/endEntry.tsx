import { IconButton } from '../../../webview/browser/iconButton';
import {
  DiffFilesIcon,
  ErrorIcon,
  InfoIcon,
  RevertIcon,
  ShieldIcon,
  StopIcon,
  WarningIcon,
  type Icon,
} from '../../../webview/browser/icons';
import type { ChangeTotals, EntryOf, Failure, FileChange, Usage } from '../../common/entries';
import {
  canUndo,
  changeLetterAndWord,
  changeNotes,
  shortFormerPath,
  shouldShowLineCounts,
  totalsOf,
} from '../../common/shownChanges';
import { endWords, outcomeLabels } from '../../common/stateLabels';
import { ChangeCounts } from '../parts/changeCounts';
import { Disclosure } from '../parts/disclosure';
import { formatCountWithNoun, formatCost, formatCount, formatDuration, formatTokens } from '../parts/format';
import { PathButton } from '../parts/pathButton';
import { ShowAllTextsButton } from '../parts/showAll';
import { EntryDetails } from './textEntries';
import { useShortenPath, useTranscriptContext } from '../transcriptContext';
import { showHiddenCharacters } from '../../../base/common/text/hiddenCharacters';
import { UntrustedText } from '../parts/untrustedText';

type End = EntryOf<'end'>;

const outcomeIcons: Record<End['outcome'], Icon> = {
  completed: WarningIcon,
  cancelled: StopIcon,
  interrupted: WarningIcon,
  failed: ErrorIcon,
  refused: ShieldIcon,
  limit: InfoIcon,
};

export function EndEntry({ entry }: { entry: EntryOf<'end'> }) {
  const { outcome, text, details, failure, usage, durationMs, changes = [], changeTotals, turn } = entry;
  return (
    <>
      {(outcome !== 'completed' || failure) && <TurnOutcome entry={entry} />}
      <ShowAllTextsButton entry={entry} shown={[text, details]} />
      {changes.length > 0 && <TurnChanges changes={changes} totals={changeTotals} turn={turn} />}
      <TurnUsage usage={usage} durationMs={durationMs} />
    </>
  );
}

function TurnOutcome({ entry }: { entry: End }) {
  const { outcome, details, failure } = entry;
  const text = endWords(entry);
  const Picture = outcomeIcons[outcome];
  const { continueTurn } = useTranscriptContext().actions;
  const isCutOff = outcome === 'interrupted' || outcome === 'limit';
  return (
    <div class={`outcome outcome-${outcome} ${failure ? 'is-failure' : ''}`}>
      <Picture />
      <div class="notice-body">
        <p dir="auto">
          {(!failure || text === undefined) && <strong>{outcomeLabels[outcome]}</strong>}
          {text !== undefined && <UntrustedText text={failure ? text : ` ${text}`} />}
        </p>
        {failure ? (
          <NextSteps entry={entry} failure={failure} />
        ) : (
          continueTurn && isCutOff && <ContinueButton onClick={continueTurn} />
        )}
        {details !== undefined && <EntryDetails text={details} />}
      </div>
    </div>
  );
}

function ContinueButton({ onClick }: { onClick: () => void }) {
  return (
    <button type="button" class="button continue-turn" onClick={onClick}>
      Continue
    </button>
  );
}

interface Step {
  readonly label: string;
  /** Undefined if it is not offered. */
  readonly run: (() => void) | undefined;
}

type StepName = 'continue' | 'signIn' | 'newSession' | 'retry' | 'otherAgent' | 'showLog';

/** What helps after most failures, the most helpful first. */
const usualSteps: readonly StepName[] = ['retry', 'otherAgent', 'showLog'];

/** What helps after the other failures. */
const stepsByKind: Partial<Record<Failure['kind'], readonly StepName[]>> = {
  usageLimit: ['otherAgent', 'retry'],
  contextFull: ['newSession', 'otherAgent'],
  signIn: ['signIn', ...usualSteps],
  refused: ['retry', 'otherAgent'],
  cutOff: ['continue', 'retry'],
};

/** Buttons for what can be done about it. Shown only at the end of the newest turn. */
function NextSteps({ entry: { id }, failure: { canRetry, isPast, kind } }: { entry: End; failure: Failure }) {
  const { afterFailure, continueTurn } = useTranscriptContext().actions;
  if (!afterFailure || (isPast === true && kind !== 'cutOff')) return null;
  const { continueWith, retry, showLog, signIn } = afterFailure;
  const steps: Record<StepName, Step> = {
    continue: { label: 'Continue', run: continueTurn },
    signIn: { label: 'Sign In…', run: signIn },
    newSession: { label: 'Continue in New Session', run: () => continueWith(true) },
    retry: {
      label: kind === 'crash' ? 'Restart and Retry' : 'Retry',
      run: canRetry === true ? () => retry(id) : undefined,
    },
    otherAgent: { label: 'Continue with Another Agent', run: () => continueWith(false) },
    showLog: { label: 'Show Log', run: showLog },
  };
  const offered = (stepsByKind[kind] ?? usualSteps).map((name) => steps[name]).filter(({ run }) => run);
  return (
    <div class="next-steps">
      {offered.map(({ label, run }, index) => (
        <button key={label} type="button" class={index === 0 ? 'button' : 'link-button'} onClick={run}>
          {label}
        </button>
      ))}
    </div>
  );
}

interface TurnChangesProps {
  readonly changes: readonly FileChange[];
  readonly totals: ChangeTotals | undefined;
  readonly turn: number;
}

/** What a turn has changed, as one line that opens to its files. */
function TurnChanges({ changes, totals = totalsOf(changes), turn }: TurnChangesProps) {
  const { actions, options } = useTranscriptContext();
  const { revert, reviewChanges } = actions;
  const undoable = changes.filter(canUndo);
  const isWaiting = undoable.length > 0 && undoable.every(({ path }) => options.waitingPaths?.has(path));
  const more = totals.files - changes.length;
  // What is undone of several files is chosen in the list, where the user sees them.
  const onlyUndoable = totals.files === 1 ? changes.find(canUndo) : undefined;
  return (
    <div class={`turn-changes ${isWaiting ? 'is-waiting' : ''}`} role="group" aria-label="Changed files">
      <Disclosure
        class="turn-files"
        summary={
          <>
            <span class="one-line">{`${formatCountWithNoun(totals.files, 'file')} changed`}</span>
            <ChangeCounts changes={[totals]} />
          </>
        }
      >
        <ul>
          {changes.map((change) => (
            <ChangeRow key={change.path} change={change} turn={turn} />
          ))}
        </ul>
        {more > 0 && (
          <button type="button" class="text-button more-changes" onClick={reviewChanges && (() => reviewChanges(turn))}>
            {`… and ${formatCountWithNoun(more, 'more file')}`}
          </button>
        )}
      </Disclosure>
      <span class="turn-actions">
        {reviewChanges && (
          <IconButton label="Review Changes from This Turn" icon={DiffFilesIcon} onClick={() => reviewChanges(turn)} />
        )}
        {revert && onlyUndoable && (
          <IconButton
            label="Undo Changes from This Turn"
            icon={RevertIcon}
            onClick={() => revert(onlyUndoable.path, turn, onlyUndoable.renamedFrom)}
          />
        )}
      </span>
    </div>
  );
}

function ChangeRow({ change: changed, turn }: { change: FileChange; turn: number }) {
  const { path, renamedFrom, added, removed } = changed;
  const { openChange, revert } = useTranscriptContext().actions;
  const short = useShortenPath();
  const { letter, word } = changeLetterAndWord(changed);
  const former = shortFormerPath(changed);
  const notes = changeNotes(changed);
  return (
    <li class={`change change-${word}`}>
      <abbr class="change-letter" title={word}>
        {letter}
      </abbr>
      {former !== undefined && (
        <>
          <span class="quiet one-line renamed-from" title={showHiddenCharacters(former)}>
            <UntrustedText text={short(former)} />
          </span>
          <span class="quiet rename-arrow">→</span>
        </>
      )}
      <PathButton path={path} onClick={openChange && (() => openChange(path, turn, renamedFrom))} />
      {notes.length > 0 && <span class="quiet one-line change-words">{notes.join(', ')}</span>}
      {shouldShowLineCounts(changed) && <ChangeCounts changes={[{ added, removed }]} />}
      {revert && canUndo(changed) && (
        <IconButton
          label={showHiddenCharacters(`Undo Changes from This Turn in ${short(path)}`)}
          icon={RevertIcon}
          onClick={() => revert(path, turn, renamedFrom)}
        />
      )}
    </li>
  );
}

function TurnUsage({ usage, durationMs }: { usage: Usage | undefined; durationMs: number | undefined }) {
  const { input, output, cacheRead, cacheWrite, cost } = usage ?? {};
  const facts = [
    durationMs === undefined ? [] : { text: formatDuration(durationMs), title: 'Turn duration' },
    input === undefined && output === undefined
      ? []
      : {
          text: `${formatTokens((input ?? 0) + (output ?? 0))} tokens`,
          title: [
            ...(input === undefined ? [] : [tokensTooltip(input, 'input', cacheRead, cacheWrite)]),
            ...(output === undefined ? [] : [tokensTooltip(output, 'output')]),
          ].join(', '),
        },
    cost === undefined ? [] : { text: formatCost(cost), title: 'Cost' },
  ].flat();
  if (facts.length === 0) return null;
  return (
    <p class="used">
      {facts.map(({ text, title }) => (
        <span key={title} title={title}>
          {text}
        </span>
      ))}
    </p>
  );
}

function tokensTooltip(count: number, what: string, read?: number, written?: number): string {
  const cached = [
    read === undefined ? [] : `${formatCount(read)} from cache`,
    written === undefined ? [] : `${formatCount(written)} written to cache`,
  ].flat();
  return `${formatCount(count)} ${what} tokens${cached.length > 0 ? ` (${cached.join(', ')})` : ''}`;
}
