import { oneLine } from '../../base/common/text/oneLine';
import { parseAnsi } from '../../base/common/terminal/ansi';
import { clip } from '../../base/common/text/clip';
import type { StartingPoint } from './startingPoint';

/** A command in a terminal that has failed. */
export interface FailedCommand {
  readonly commandLine: string;
  readonly exitCode: number;
  /** Absolute path of the folder in which it ran, if the shell tells it. */
  readonly folder: string | undefined;
  /** As the program has written it, with control sequences. */
  readonly output: string;
  /** Whether `output` is only the end of it. */
  readonly isCut: boolean;
}

const maxSelectionUnits = 64 * 1024;
const maxTitleUnits = 60;
/** The exit code of a program that the user has stopped with Ctrl+C. */
const interruptedCode = 130;

export function isFailure(exitCode: number | undefined): exitCode is number {
  return exitCode !== undefined && exitCode !== 0 && exitCode !== interruptedCode;
}

/** Asks the agent why a command has failed. */
export function commandPoint({ commandLine, exitCode, folder, output, isCut }: FailedCommand): StartingPoint {
  const shown = terminalText(output);
  const text = [
    `Command: ${commandLine}`,
    ...(folder === undefined ? [] : [`Folder: ${folder}`]),
    `Exit code: ${exitCode}`,
    ...(shown === ''
      ? ['VS Code has reported no output of it.']
      : [isCut ? 'The end of its output:' : 'Output:', shown]),
  ].join('\n');
  return {
    prompt: 'This command has failed. Find out why, and say how to fix it.',
    texts: [{ title: `Failed command: ${clip(oneLine(commandLine), maxTitleUnits)}`, text }],
  };
}

/** Asks the agent about a text that is selected in a terminal. */
export function selectionPoint(selected: string, folder: string | undefined): StartingPoint {
  const text = [...(folder === undefined ? [] : [`Folder: ${folder}`, '']), clip(selected, maxSelectionUnits)].join(
    '\n',
  );
  return { prompt: 'Explain this output of my terminal.', texts: [{ title: 'Selection in the terminal', text }] };
}

/** Returns what a terminal shows for the output, without colors and spaces at the ends of lines. */
function terminalText(output: string): string {
  const lines = parseAnsi(output)
    .map(({ text }) => text)
    .join('')
    .split('\n');
  return lines
    .map((line) => line.trimEnd())
    .join('\n')
    .trim();
}
