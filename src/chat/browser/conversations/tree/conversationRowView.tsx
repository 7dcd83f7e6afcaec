import type { ComponentChildren } from 'preact';
import { fileNameOf } from '../../../../base/common/text/fileNameOf';
import { showHiddenCharacters } from '../../../../base/common/text/hiddenCharacters';
import { ElapsedTime } from '../../../../transcript/browser/parts/elapsed';
import { ChangeCounts } from '../../../../transcript/browser/parts/changeCounts';
import {
  formatCountWithNoun,
  formatDateTime,
  formatRoughCost,
  formatShortAge,
} from '../../../../transcript/browser/parts/format';
import { UntrustedText } from '../../../../transcript/browser/parts/untrustedText';
import { AgentTile } from '../../../../webview/browser/agentTile';
import { IconButton } from '../../../../webview/browser/iconButton';
import {
  BranchIcon,
  CloseIcon,
  ErrorIcon,
  FolderIcon,
  NewWindowIcon,
  PinIcon,
} from '../../../../webview/browser/icons';
import type { ConversationRow } from '../../../common/chatView';
import { describeActivity } from '../../../common/page/workingLine';
import { isArchivedAway } from '../../../common/list/rowState';
import { splitAtMatches } from '../../../common/list/splitAtMatches';
import { RowNeed } from './rowNeed';
import { StateMark, stateWords } from './stateMark';

interface RowViewProps {
  readonly row: ConversationRow;
  /** What was searched for. */
  readonly query: string;
  /** In milliseconds since the epoch, by the host's clock. */
  readonly now: number;
  readonly failure: string | undefined;
  /** Of the buttons in the row. */
  readonly tabIndex: number;
  readonly isDeliberate: () => boolean;
  readonly onDismissFailure: () => void;
}

/** What a row shows: its state, title and age, then what it is about, and what it needs. Its text is also its name for screen readers. */
export function ConversationRowView({ row, query, now, failure, tabIndex, ...handlers }: RowViewProps) {
  const { isPinned, need, snippet, state, title, updatedAt } = row;
  return (
    <>
      <StateMark state={state} />
      <span class="row-title one-line" dir="auto" title={showHiddenCharacters(title)}>
        <Matched text={title} query={query} />
      </span>
      <span class="row-when" title={formatDateTime(updatedAt)}>
        {isPinned && (
          <>
            <PinIcon />
            <span class="visually-hidden">pinned</span>
          </>
        )}
        {state === 'busy' && row.turnStartedAt !== undefined ? (
          <span aria-hidden="true">
            <ElapsedTime since={row.turnStartedAt} />
          </span>
        ) : (
          <span>{formatShortAge(need?.since ?? updatedAt, now)}</span>
        )}
      </span>
      <Facts row={row} now={now} />
      {snippet !== undefined && (
        <span class="row-snippet" dir="auto">
          <Matched text={snippet} query={query} />
        </span>
      )}
      {state === 'waiting' && (
        <RowNeed rowId={row.id} need={need} tabIndex={tabIndex} isDeliberate={handlers.isDeliberate} />
      )}
      {failure !== undefined && (
        <div class="row-failure" role="alert">
          <ErrorIcon />
          <span>
            <UntrustedText text={failure} />
          </span>
          <IconButton label="Dismiss" icon={CloseIcon} tabIndex={tabIndex} onClick={handlers.onDismissFailure} />
        </div>
      )}
    </>
  );
}

function Facts({ row, now }: { row: ConversationRow; now: number }) {
  const { backendId, backendTitle, branch, changes, cost, isInOtherWindow, state } = row;
  const doing = doingOf(row, now);
  const place = placeOf(row);
  const price = cost && formatRoughCost(cost);
  return (
    <span class="row-facts">
      <span class="fact-agent" title={backendTitle}>
        <AgentTile id={backendId} title={backendTitle} />
        <span class="one-line">{backendTitle}</span>
      </span>
      {(state === 'failed' || state === 'interrupted') && (
        <span class="fact-state is-failure">{stateWords[state]}</span>
      )}
      {isArchivedAway(row) && <span class="fact-state">Archived</span>}
      {doing !== undefined && (
        <span class="fact-doing one-line" title={showHiddenCharacters(doing)}>
          <UntrustedText text={doing} />
        </span>
      )}
      {place && <Fact class="fact-place" word="in" icon={<FolderIcon />} text={place.name} tooltip={place.path} />}
      {isInOtherWindow && (
        <span class="fact-window" title="Runs in another window">
          <NewWindowIcon />
          <span class="visually-hidden">in another window</span>
        </span>
      )}
      {branch !== undefined && (
        <Fact class="fact-branch" word="branch" icon={<BranchIcon />} text={branch} tooltip={branch} />
      )}
      {changes && changes.files > 0 && (
        <span class="fact-changes">
          <span class="fact-files">{formatCountWithNoun(changes.files, 'file')}</span>{' '}
          <ChangeCounts changes={[changes]} />
        </span>
      )}
      {price !== undefined && <span class="fact-cost">{price}</span>}
    </span>
  );
}

interface FactProps {
  readonly class: string;
  /** What the icon says. */
  readonly word: string;
  readonly icon: ComponentChildren;
  readonly text: string;
  readonly tooltip: string;
}

function Fact({ class: name, word, icon, text, tooltip }: FactProps) {
  return (
    <span class={name} title={showHiddenCharacters(tooltip)}>
      {icon}
      <span class="visually-hidden">{word}</span>
      <span class="one-line" dir="auto">
        <UntrustedText text={text} />
      </span>
    </span>
  );
}

function Matched({ text, query }: { text: string; query: string }) {
  return (
    <>
      {splitAtMatches(text, query).map((piece, index) =>
        piece.isMatch ? (
          <mark key={index}>
            <UntrustedText text={piece.text} />
          </mark>
        ) : (
          <UntrustedText key={index} text={piece.text} />
        ),
      )}
    </>
  );
}

/** Says what it does, without the time. Undefined if it does nothing. */
function doingOf({ activity, backendTitle, state, turnStartedAt }: ConversationRow, now: number): string | undefined {
  if (state !== 'busy') return undefined;
  if (!activity) return stateWords.busy;
  // How long it is silent is only known where it runs.
  const facts = { activity, agentTitle: backendTitle, firstSeenAt: turnStartedAt ?? now, heardAt: now, now };
  return describeActivity(facts).text;
}

/** The folder of a conversation that does not belong to this window. */
function placeOf({ elsewhere }: ConversationRow): { name: string; path: string } | undefined {
  const { folder, isGone } = elsewhere ?? {};
  if (folder === undefined) return undefined;
  const name = fileNameOf(folder);
  return { name: isGone === true ? `${name} (not found)` : name, path: folder };
}
