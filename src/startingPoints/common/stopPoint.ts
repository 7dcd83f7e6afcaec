import { oneLine } from '../../base/common/text/oneLine';
import { clip } from '../../base/common/text/clip';
import { excerptOf } from './excerpt';
import type { StartingPoint } from './startingPoint';

/** What the debugger knows of a program that has stopped. */
export interface ProgramStop {
  /** Undefined if the program has not stopped at an exception. */
  readonly exception?: { readonly title: string; readonly description: string } | undefined;
  /** The calls, innermost first. */
  readonly frames: readonly StopFrame[];
  /** The frame whose variables are given. */
  readonly shown?: ShownFrame | undefined;
}

interface StopFrame {
  readonly name: string;
  /** `path:line`, if agents may read the file. */
  readonly place: string | undefined;
}

interface ShownFrame extends StopFrame {
  /** Absolute path of the file. */
  readonly path: string;
  /** 0-based. */
  readonly line: number;
  /** The text of the file with unsaved changes. */
  readonly text: string;
  readonly scopes: readonly { readonly name: string; readonly variables: readonly Variable[] }[];
}

interface Variable {
  readonly name: string;
  readonly value: string;
}

const maxTitleUnits = 60;
const maxDescriptionUnits = 8_000;
const maxValueUnits = 500;
const maxVariablesUnits = 16_000;
const maxExcerptUnits = 16 * 1024;

/**
 * Asks the agent why a program has stopped. The variables are a text of their own, so that the user can read them, and take
 * them out of the prompt.
 */
export function stopPoint({ exception, frames, shown }: ProgramStop): StartingPoint {
  const reason = exception
    ? [
        `Exception: ${exception.title}`,
        ...(exception.description === '' ? [] : [clip(exception.description, maxDescriptionUnits)]),
      ]
    : ['The program has stopped here without an exception.'];
  const stack = frames.map(({ name, place }) => `  at ${name}${place === undefined ? '' : ` (${place})`}`);
  const source = shown
    ? ['', `Lines of ${shown.path}:`, excerptOf(shown.text, [{ first: shown.line, last: shown.line }], maxExcerptUnits)]
    : [];
  const title = exception
    ? `Exception: ${clip(oneLine(exception.title), maxTitleUnits)}`
    : 'Where the program has stopped';
  const variables = shown ? variablesText(shown) : '';
  return {
    prompt: exception
      ? 'The program has stopped at this exception. Explain why it is thrown, and how to fix it.'
      : 'The program has stopped here in the debugger. Explain what it does, and what is wrong.',
    texts: [
      { title, text: [...reason, '', 'Stack:', ...stack, ...source].join('\n') },
      ...(shown && variables !== '' ? [{ title: `Variables of ${shown.name}`, text: variables }] : []),
    ],
  };
}

function variablesText({ scopes }: ShownFrame): string {
  const lines = scopes
    .filter(({ variables }) => variables.length > 0)
    .flatMap(({ name, variables }) => [
      `${name}:`,
      ...variables.map((variable) => `  ${variable.name} = ${clip(variable.value, maxValueUnits)}`),
    ]);
  return clip(lines.join('\n'), maxVariablesUnits);
}
