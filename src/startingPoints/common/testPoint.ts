import * as z from 'zod/mini';
import { parseJson } from '../../base/common/parseJson';
import { clip } from '../../base/common/text/clip';
import { excerptOf } from './excerpt';
import type { StartingPoint } from './startingPoint';

/** A failed test, or a group of tests of which some have failed. */
interface FailedTest {
  /** Labels of the groups and of the test, outermost first. */
  readonly names: readonly string[];
  /** Where the test is, if that is known. */
  readonly place?: TestPlace | undefined;
  readonly messages: readonly FailureMessage[];
  /** What VS Code tells of failures that have no message here; see `failuresOf`. */
  readonly report: string;
}

/** A place in a file that agents may read. `line` is 0-based, `path` absolute. */
export interface TestPlace {
  readonly path: string;
  readonly line: number;
  /** The text of the file with unsaved changes. */
  readonly text: string;
}

export interface FailureMessage {
  readonly message: string;
  readonly expected?: string | undefined;
  readonly actual?: string | undefined;
  /** `path:line` of the failure and of the calls that led to it, as far as agents may read these files. */
  readonly places: readonly string[];
}

const maxTextUnits = 16_000;
const maxPlaces = 50;
const maxExcerptUnits = 16 * 1024;

/** Asks the agent to fix what a test has found. */
export function testPoint({ names, place, messages, report }: FailedTest): StartingPoint {
  const name = names.join(' > ');
  const source = place
    ? ['', `Lines of ${place.path}:`, excerptOf(place.text, [{ first: place.line, last: place.line }], maxExcerptUnits)]
    : [];
  const text = [
    `Failed test: ${name}`,
    ...(place ? [`${place.path}:${place.line + 1}`] : []),
    ...messages.flatMap(messageLines),
    ...(report === '' ? [] : ['', clip(report, maxTextUnits)]),
    ...source,
  ].join('\n');
  return {
    prompt: `The test “${name}” fails. Find out why, and fix it.`,
    texts: [{ title: `Failed test: ${names.at(-1) ?? name}`, text }],
  };
}

function messageLines({ message, expected, actual, places }: FailureMessage): string[] {
  const block = (title: string, text: string | undefined): string[] =>
    text === undefined ? [] : [title, clip(text, maxTextUnits)];
  return [
    '',
    clip(message, maxTextUnits),
    ...block('Expected:', expected),
    ...block('Actual:', actual),
    ...places.slice(0, maxPlaces).map((place) => `  at ${place}`),
  ];
}

const failure = /^<testFailure name=("(?:[^"\\]|\\.)*") path=("(?:[^"\\]|\\.)*")>$/;

/** Returns the parts of VS Code's report of the last run that are about a test, or about tests in its group. */
export function failuresOf(names: readonly string[], report: string): string {
  const kept: string[] = [];
  let isKept = false;
  for (const line of report.split('\n')) {
    const [, name, path] = failure.exec(line) ?? [];
    if (name !== undefined && path !== undefined) {
      const all = [...textOf(path).split(' > '), textOf(name)].join(' > ');
      isKept = ` > ${all} > `.includes(` > ${names.join(' > ')} > `);
    }
    if (isKept) kept.push(line);
    if (line.trim() === '</testFailure>') isKept = false;
  }
  return kept.join('\n');
}

function textOf(json: string): string {
  return z.safeParse(z.string(), parseJson(json)).data ?? json;
}
