import { ChevronRightIcon } from '../../../webview/browser/icons';
import { describeRun } from '../list/runs';
import { formatDuration } from '../parts/format';
import { useEntry, useTranscriptContext } from '../transcriptContext';

interface RunLineProps {
  readonly ids: readonly string[];
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** The line of a run, which opens and closes it. */
export function RunLine({ ids, isOpen, onToggle }: RunLineProps) {
  const { model } = useTranscriptContext();
  // The result of the last call may come after it is done.
  useEntry(ids.at(-1) ?? '');
  const { text, durationMs } = describeRun(ids.flatMap((id) => model.get(id) ?? []));
  return (
    <button type="button" class="run" aria-expanded={isOpen} onClick={onToggle}>
      <ChevronRightIcon />
      <span class="title one-line" title={text}>
        {text}
      </span>
      {durationMs > 0 && <span class="time">{formatDuration(durationMs)}</span>}
    </button>
  );
}
