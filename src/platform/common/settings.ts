import * as z from 'zod';

/** Both ends included. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

export const defaultPortRange: PortRange = { first: 8000, last: 8100 };

const Port = z.number().int().min(1).max(65535);

const PortRangeSetting = z
  .union([
    z
      .string()
      .regex(/^\s*\d{1,5}\s*-\s*\d{1,5}\s*$/)
      .transform((text) => text.split('-').map(Number)),
    z.array(z.number()),
  ])
  .pipe(z.tuple([Port, Port]))
  .refine(([first, last]) => first <= last)
  .transform(([first, last]): PortRange => ({ first, last }));

/** `"8000-8100"` or `[8000, 8100]`; undefined for anything else. */
export function parsePortRange(value: unknown): PortRange | undefined {
  return PortRangeSetting.safeParse(value).data;
}

/** The values of `backline.exclude` or `backline.protectedFiles`, level by level. Any of them can hold anything. */
interface GlobLevels {
  readonly defaults: unknown;
  readonly user: unknown;
  /** An agent can write these settings, so they are not the user's word: they add globs and do nothing else. */
  readonly workspace: unknown;
}

interface GlobSetting {
  /** Of the globs that match a file the last one decides; one with a `!` before it is an exception. */
  readonly globs: readonly string[];
  /** What the setting holds that did not count as written, for the log. */
  readonly problems: readonly string[];
}

const Table = z.record(z.string(), z.unknown());
const List = z.array(z.unknown());

/**
 * A table of glob → on or off; a list is understood too, where a `!` before a glob means off. Off takes out a glob that
 * was on, and makes an exception of any other. Every entry is read by itself, and what is wrong never takes a glob out: a
 * value that is not a boolean counts as on, and a level that is neither table nor list adds nothing.
 */
export function parseGlobSwitches({ defaults, user, workspace }: GlobLevels): GlobSetting {
  const problems: string[] = [];
  const switches = new Map<string, boolean>();
  for (const { glob, isOn } of entriesOf(defaults, problems)) switches.set(glob, isOn);
  for (const { glob, isOn } of entriesOf(user, problems)) flip(switches, glob, isOn);
  for (const { glob, isOn } of entriesOf(workspace, problems)) {
    if (isOn) flip(switches, glob, true);
    else problems.push(`${JSON.stringify(glob)} stays as it is, as the workspace can only add globs`);
  }
  return { globs: [...switches].map(([glob, isOn]) => (isOn ? glob : `!${glob}`)), problems };
}

interface GlobSwitch {
  /** Without any `!` before it, save that of `!(…)`. */
  readonly glob: string;
  readonly isOn: boolean;
}

function entriesOf(value: unknown, problems: string[]): GlobSwitch[] {
  if (value === undefined) return [];
  const list = List.safeParse(value).data;
  if (list) {
    return list.flatMap((item) => {
      if (typeof item === 'string') return [globSwitch(item, true)];
      problems.push('an entry of the list is not text and adds nothing');
      return [];
    });
  }
  const table = Table.safeParse(value).data;
  if (!table) problems.push('a value that is not a table of globs adds nothing');
  return Object.entries(table ?? {}).map(([glob, isOn]) => {
    if (typeof isOn === 'boolean') return globSwitch(glob, isOn);
    problems.push(`the value of ${JSON.stringify(glob)} is neither true nor false and counts as true`);
    return globSwitch(glob, true);
  });
}

function globSwitch(text: string, isOn: boolean): GlobSwitch {
  return /^!(?!\()/.test(text) ? globSwitch(text.slice(1), !isOn) : { glob: text, isOn };
}

/** A later entry counts after those before it; one that repeats what holds already changes nothing. */
function flip(switches: Map<string, boolean>, glob: string, isOn: boolean): void {
  const before = switches.get(glob);
  if (before === isOn) return;
  switches.delete(glob);
  if (isOn || before === undefined) switches.set(glob, isOn);
}

export const LensMode = z.enum(['off', 'wholeFile', 'all']).catch('wholeFile');
/** Which context items have a line above the code. */
export type LensMode = z.output<typeof LensMode>;

export const DecorationStyle = z.enum(['none', 'underline', 'gutter']).catch('underline');
/** How the places of context items are marked. */
export type DecorationStyle = z.output<typeof DecorationStyle>;

/** How long a hover waits for providers, in milliseconds. */
export const HoverTimeout = z.number().int().min(50).max(10_000).catch(700);
