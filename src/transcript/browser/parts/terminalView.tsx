import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { IconButton } from '../../../webview/browser/iconButton';
import { CopyIcon } from '../../../webview/browser/icons';
import type { Entry, Part } from '../../common/entries';
import { renderAnsi } from './ansiView';
import { formatCountWithNoun, formatTextSize } from './format';
import { ShowAllButton, useCopyFull } from './showAll';
import { useTranscriptContext } from '../transcriptContext';
import { showHiddenCharacters } from '../../../base/common/text/hiddenCharacters';
import { UntrustedText } from './untrustedText';

const maxFoldedLines = 12;

type TerminalPart = Extract<Part, { type: 'terminal' }>;

interface TerminalProps {
  readonly part: TerminalPart;
  readonly index: number;
}

/** Shows a command and the end of its output, which usually contains the result. */
export function TerminalView({ part, index }: TerminalProps) {
  const { actions } = useTranscriptContext();
  const [isWhole, setWhole] = useState(false);
  const { command, output, omitted = 0 } = part;
  const { tail, lineCount } = lastLines(output, isWhole ? Infinity : maxFoldedLines);
  const isCut = omitted > 0;
  const copy = useCopyFull(omitted);
  const outputIn = (whole: Entry): string | undefined => {
    const found = whole.kind === 'tool' ? whole.parts[index] : undefined;
    return found?.type === 'terminal' ? found.output : undefined;
  };
  const exit = exitText(part);
  return (
    <div class="terminal">
      <div class="terminal-head">
        <code class="command" dir="ltr">
          <UntrustedText text={command ?? 'Output'} />
        </code>
        <IconButton
          label={command === undefined ? 'Copy Output' : 'Copy Command'}
          icon={CopyIcon}
          onClick={() => (command === undefined ? copy(output, outputIn) : actions.copy(command))}
        />
      </div>
      {(isCut || (!isWhole && lineCount > maxFoldedLines)) && (
        <ShowAllButton
          amount={isCut ? formatTextSize(output.length + omitted) : formatCountWithNoun(lineCount, 'line')}
          isTruncated={isCut}
          onShow={() => setWhole(true)}
        />
      )}
      {output !== '' && <AnsiOutput text={tail} />}
      {exit !== undefined && <p class={exit.isSuccess ? 'exit' : 'exit exit-bad'}>{exit.text}</p>}
    </div>
  );
}

function AnsiOutput({ text }: { text: string }) {
  const element = useRef<HTMLPreElement>(null);
  useLayoutEffect(() => {
    if (element.current) renderAnsi(element.current, text);
  }, [text]);
  return <pre class="terminal-output ansi" dir="ltr" tabIndex={0} ref={element} />;
}

function exitText({ exitCode, signal }: TerminalPart): { isSuccess: boolean; text: string } | undefined {
  if (signal !== undefined) return { isSuccess: false, text: showHiddenCharacters(`Ended by ${signal}`) };
  if (exitCode === undefined) return undefined;
  if (exitCode === null) return { isSuccess: false, text: 'Ended by a signal' };
  return { isSuccess: exitCode === 0, text: `Exit code ${exitCode}` };
}

const colorSequence = /\x1b\[[\d;:]*m/g;

/** Returns the last lines of output. They start with the ANSI colors that are in effect at that point. */
function lastLines(output: string, count: number): { tail: string; lineCount: number } {
  const text = output.replace(/(\r?\n)+$/, '');
  const lines = text.split('\n');
  if (lines.length <= count) return { tail: text, lineCount: lines.length };
  const tail = lines.slice(-count).join('\n');
  const before = text.slice(0, text.length - tail.length);
  return { tail: (before.match(colorSequence) ?? []).slice(-20).join('') + tail, lineCount: lines.length };
}
