import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { IconButton } from '../../../webview/browser/iconButton';
import { DiffIcon } from '../../../webview/browser/icons';
import type { DiffHunk, DiffLine, DiffPart } from '../../common/entries';
import { ChangeCounts } from './changeCounts';
import { formatCountWithNoun, formatTextSize } from './format';
import { PathButton } from './pathButton';
import { ShowAllButton } from './showAll';
import { useDrawnEntry, useShortenPath, useTranscriptContext } from '../transcriptContext';
import { showHiddenCharacters } from '../../../base/common/text/hiddenCharacters';
import { UntrustedText } from './untrustedText';

const maxFoldedLines = 30;
const lineMarks: Record<DiffLine['kind'], string> = { context: ' ', add: '+', remove: '−' };
const lineElements = { context: Fragment, add: 'ins', remove: 'del' } as const;
const changeLabels: Record<DiffPart['change'], string> = { created: 'new', modified: '', deleted: 'deleted' };

/** Maximum number of removed lines that are shown before the lines that replace them. */
const maxRemovedLines = 6;
/** How many of them are still shown if there are more. */
const keptRemovedLines = 4;

interface DiffViewRow {
  readonly kind: DiffLine['kind'] | 'gap';
  readonly oldLine?: number;
  readonly newLine?: number;
  readonly text: string;
  readonly marks?: DiffLine['marks'];
}

interface DiffViewProps {
  readonly part: DiffPart;
  readonly index: number;
  /** Whether there is so little space that removed lines are folded until what replaces them is in sight. */
  readonly isCompact?: boolean;
  /** Whether the file and the facts about its change are shown elsewhere. */
  readonly isHeadless?: boolean;
  /** Whether the line of the call says which file it is and how many lines change. The head does not repeat that. */
  readonly isNamed?: boolean;
}

export function DiffView({ part, index, isCompact = false, isHeadless = false, isNamed = false }: DiffViewProps) {
  const { actions } = useTranscriptContext();
  const short = useShortenPath();
  const { id, isShownWhole } = useDrawnEntry();
  const [isWhole, setWhole] = useState(isShownWhole);
  const [isUnfolded, setUnfolded] = useState(!isCompact);
  const { path, hunks, omitted = 0 } = part;
  const { openDiff } = actions;
  const line = hunks.find(({ newStart }) => newStart > 1)?.newStart;
  const allRows = hunks.flatMap(toRows);
  const rows = isUnfolded ? allRows : foldRemoved(allRows);
  const shown = isWhole ? rows : rows.slice(0, maxFoldedLines);
  return (
    <div class="diff">
      {!isHeadless && (
        <div class="part-head">
          <PathButton
            path={path}
            line={line}
            label={isNamed ? (line === undefined ? 'Open File' : `Line ${line}`) : undefined}
          />
          <DiffFacts part={part} isCounted={!isNamed} onOpen={openDiff && (() => openDiff(id, index))} />
        </div>
      )}
      {shown.length > 0 && (
        <div
          class="diff-scroll"
          tabIndex={0}
          role="group"
          aria-label={showHiddenCharacters(`Changes in ${short(path)}`)}
        >
          <table class="diff-lines" dir="ltr">
            <tbody>
              {shown.map((row, at) => (
                <DiffRow key={at} row={row} onUnfold={() => setUnfolded(true)} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {(omitted > 0 || shown.length < rows.length) && (
        <ShowAllButton
          amount={
            omitted > 0 ? formatTextSize(countUnits(allRows) + omitted) : formatCountWithNoun(rows.length, 'line')
          }
          isTruncated={omitted > 0}
          onShow={() => setWhole(true)}
        />
      )}
    </div>
  );
}

interface DiffFactsProps {
  readonly part: DiffPart;
  readonly isCounted?: boolean;
  readonly onOpen: (() => void) | undefined;
}

/** How much of a file changes, and the way to its diff editor. */
export function DiffFacts({ part, isCounted = true, onOpen }: DiffFactsProps) {
  return (
    <span class="diff-facts">
      {changeLabels[part.change] !== '' && <span class="quiet">{changeLabels[part.change]}</span>}
      {part.isSpaceOnly && <span class="quiet one-line">only white space</span>}
      {isCounted && <ChangeCounts changes={[part]} />}
      {onOpen && <IconButton label="Open Diff Editor" icon={DiffIcon} onClick={onOpen} />}
    </span>
  );
}

function DiffRow({
  row: { kind, oldLine, newLine, marks, text },
  onUnfold,
}: {
  row: DiffViewRow;
  onUnfold: () => void;
}) {
  if (kind === 'gap') {
    return (
      <tr class="diff-gap">
        <td colSpan={3}>
          {text === '' ? (
            '⋯'
          ) : (
            <button type="button" class="text-button" onClick={onUnfold}>
              {text}
            </button>
          )}
        </td>
      </tr>
    );
  }
  const Text = lineElements[kind];
  return (
    <tr class={`diff-${kind}`}>
      <td class="line-number">{oldLine}</td>
      <td class="line-number">{newLine}</td>
      <td class="diff-text">
        <span class="mark">{lineMarks[kind]}</span>
        <Text>
          <MarkedText text={text} marks={marks} />
        </Text>
      </td>
    </tr>
  );
}

function MarkedText({ text, marks = [] }: Pick<DiffViewRow, 'text' | 'marks'>) {
  let end = 0;
  return (
    <>
      {marks.map(([from, to]) => {
        const before = text.slice(end, from);
        end = to;
        return (
          <Fragment key={from}>
            <UntrustedText text={before} />
            <span class="changed">
              <UntrustedText text={text.slice(from, to)} />
            </span>
          </Fragment>
        );
      })}
      <UntrustedText text={text.slice(end)} />
    </>
  );
}

/** Folds long runs of removed lines that others replace. The row in their place tells how many. */
function foldRemoved(rows: readonly DiffViewRow[]): DiffViewRow[] {
  const folded: DiffViewRow[] = [];
  for (let start = 0, end = 0; start < rows.length; start = end) {
    while (rows[end]?.kind === 'remove') end++;
    if (end - start > maxRemovedLines && rows[end]?.kind === 'add') {
      const text = formatCountWithNoun(end - start - keptRemovedLines, 'more removed line');
      folded.push(...rows.slice(start, start + keptRemovedLines), { kind: 'gap', text });
    } else {
      if (end === start) end++;
      folded.push(...rows.slice(start, end));
    }
  }
  return folded;
}

function toRows({ oldStart, newStart, lines }: DiffHunk, index: number): DiffViewRow[] {
  let oldLine = oldStart;
  let newLine = newStart;
  const rows = lines.map(({ kind, ...line }): DiffViewRow => {
    if (kind === 'add') return { kind, newLine: newLine++, ...line };
    if (kind === 'remove') return { kind, oldLine: oldLine++, ...line };
    return { kind, oldLine: oldLine++, newLine: newLine++, ...line };
  });
  return index === 0 ? rows : [{ kind: 'gap', text: '' }, ...rows];
}

function countUnits(rows: readonly DiffViewRow[]): number {
  return rows.reduce((sum, { text }) => sum + text.length + 1, 0);
}
