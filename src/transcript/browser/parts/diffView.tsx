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
import { showHiddenCharacters } from '../../../base/common/hiddenCharacters';
import { UntrustedText } from './untrustedText';

const maxFoldedLines = 30;
const lineMarks: Record<DiffLine['kind'], string> = { context: ' ', add: '+', remove: '−' };
const lineElements = { context: Fragment, add: 'ins', remove: 'del' } as const;
const changeLabels: Record<DiffPart['change'], string> = { created: 'new', modified: '', deleted: 'deleted' };

interface DiffViewRow {
  readonly kind: DiffLine['kind'] | 'gap';
  readonly oldLine?: number;
  readonly newLine?: number;
  readonly text: string;
}

export function DiffView({ part, index }: { part: DiffPart; index: number }) {
  const { actions } = useTranscriptContext();
  const short = useShortenPath();
  const { id, isShownWhole } = useDrawnEntry();
  const [isWhole, setWhole] = useState(isShownWhole);
  const { path, hunks, change, omitted = 0 } = part;
  const { openDiff } = actions;
  const rows = hunks.flatMap(toRows);
  const shown = isWhole ? rows : rows.slice(0, maxFoldedLines);
  return (
    <div class="diff">
      <div class="part-head">
        <PathButton path={path} line={hunks.find(({ newStart }) => newStart > 1)?.newStart} />
        {changeLabels[change] !== '' && <span class="quiet">{changeLabels[change]}</span>}
        <ChangeCounts changes={[part]} />
        {openDiff && <IconButton label="Open Diff Editor" icon={DiffIcon} onClick={() => openDiff(id, index)} />}
      </div>
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
                <DiffRow key={at} row={row} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {(omitted > 0 || shown.length < rows.length) && (
        <ShowAllButton
          amount={omitted > 0 ? formatTextSize(countUnits(rows) + omitted) : formatCountWithNoun(rows.length, 'line')}
          isTruncated={omitted > 0}
          onShow={() => setWhole(true)}
        />
      )}
    </div>
  );
}

function DiffRow({ row: { kind, oldLine, newLine, text } }: { row: DiffViewRow }) {
  if (kind === 'gap') {
    return (
      <tr class="diff-gap">
        <td colSpan={3}>⋯</td>
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
          <UntrustedText text={text} />
        </Text>
      </td>
    </tr>
  );
}

function toRows({ oldStart, newStart, lines }: DiffHunk, index: number): DiffViewRow[] {
  let oldLine = oldStart;
  let newLine = newStart;
  const rows = lines.map(({ kind, text }): DiffViewRow => {
    if (kind === 'add') return { kind, newLine: newLine++, text };
    if (kind === 'remove') return { kind, oldLine: oldLine++, text };
    return { kind, oldLine: oldLine++, newLine: newLine++, text };
  });
  return index === 0 ? rows : [{ kind: 'gap', text: '' }, ...rows];
}

function countUnits(rows: readonly DiffViewRow[]): number {
  return rows.reduce((sum, { text }) => sum + text.length + 1, 0);
}
