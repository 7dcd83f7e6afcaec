import * as z from 'zod';

/** A range of ports. Both ends are included. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

export const defaultPortRange: PortRange = { first: 8000, last: 8100 };

/**
 * Parses a range. Accepts `"8000-8100"` and `[8000, 8100]`. Undefined for anything else. Without a schema, whose first use
 * takes longer than all else that Amp's lockfile waits for.
 */
export function parsePortRange(value: unknown): PortRange | undefined {
  const [first, last, ...others] = portsOf(value);
  return isPort(first) && isPort(last) && first <= last && others.length === 0 ? { first, last } : undefined;
}

function portsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  const found = typeof value === 'string' ? /^\s*(\d{1,5})\s*-\s*(\d{1,5})\s*$/.exec(value) : undefined;
  return found?.slice(1).map(Number) ?? [];
}

function isPort(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 65_535;
}

/** The unchecked values of `backline.exclude` or `backline.protectedFiles` at all configuration levels. */
interface GlobLevels {
  readonly defaults: unknown;
  readonly user: unknown;
  /** The value in the workspace settings. It can only add globs, because agents can write these settings. */
  readonly workspace: unknown;
}

interface GlobSetting {
  /** The globs. The last matching one wins. A leading `!` makes an exception. */
  readonly globs: readonly string[];
  /** Invalid or ignored values, for the log. */
  readonly problems: readonly string[];
}

const Table = z.record(z.string(), z.unknown());
const List = z.array(z.unknown());

/**
 * Merges the levels. A level is an object that maps globs to booleans, or a list in which a leading `!` means false.
 * False removes a glob of an earlier level; if there is none, it adds an exception. Invalid values never remove a glob:
 * a value that is not a boolean counts as true, and a level of another type is ignored.
 */
export function mergeGlobLevels({ defaults, user, workspace }: GlobLevels): GlobSetting {
  const problems: string[] = [];
  const switches = new Map<string, boolean>();
  for (const { glob, isOn } of parseEntries(defaults, problems)) switches.set(glob, isOn);
  for (const { glob, isOn } of parseEntries(user, problems)) setSwitch(switches, glob, isOn);
  for (const { glob, isOn } of parseEntries(workspace, problems)) {
    if (isOn) setSwitch(switches, glob, true);
    else problems.push(`${JSON.stringify(glob)} cannot be turned off by the workspace, which can only add globs`);
  }
  return { globs: [...switches].map(([glob, isOn]) => (isOn ? glob : `!${glob}`)), problems };
}

interface GlobSwitch {
  /** The glob without the leading `!` of an exception. The `!` of a group `!(…)` stays. */
  readonly glob: string;
  readonly isOn: boolean;
}

function parseEntries(value: unknown, problems: string[]): GlobSwitch[] {
  if (value === undefined) return [];
  const list = List.safeParse(value).data;
  if (list) {
    return list.flatMap((item) => {
      if (typeof item === 'string') return [parseGlobSwitch(item, true)];
      problems.push('a list entry is not a string and is ignored');
      return [];
    });
  }
  const table = Table.safeParse(value).data;
  if (!table) problems.push('a value is not an object of globs and is ignored');
  return Object.entries(table ?? {}).map(([glob, isOn]) => {
    if (typeof isOn === 'boolean') return parseGlobSwitch(glob, isOn);
    problems.push(`the value of ${JSON.stringify(glob)} is not a boolean and is treated as true`);
    return parseGlobSwitch(glob, true);
  });
}

function parseGlobSwitch(text: string, isOn: boolean): GlobSwitch {
  return /^!(?!\()/.test(text) ? parseGlobSwitch(text.slice(1), !isOn) : { glob: text, isOn };
}

/** Changes an entry. The entry moves to the end, so that it takes precedence. */
function setSwitch(switches: Map<string, boolean>, glob: string, isOn: boolean): void {
  const before = switches.get(glob);
  if (before === isOn) return;
  switches.delete(glob);
  if (isOn || before === undefined) switches.set(glob, isOn);
}

export const ContextCodeLensMode = z.enum(['off', 'wholeFile', 'all']).catch('wholeFile');
/** Which context items are shown as CodeLens. */
export type ContextCodeLensMode = z.output<typeof ContextCodeLensMode>;

export const ContextDecorationStyle = z.enum(['none', 'underline', 'gutter']).catch('underline');
/** How code with context items is decorated. */
export type ContextDecorationStyle = z.output<typeof ContextDecorationStyle>;

export const SaveBeforePrompt = z.enum(['ask', 'always', 'never']).catch('ask');
/** Whether unsaved files are saved before a prompt is sent. */
export type SaveBeforePrompt = z.output<typeof SaveBeforePrompt>;

export const EnterDuringTurn = z.enum(['steer', 'queue']).catch('steer');
/** What Enter does with a prompt while a turn runs: it joins the turn if the agent takes it, or it waits for the end. */
export type EnterDuringTurn = z.output<typeof EnterDuringTurn>;

export const ChatAlertLevel = z.enum(['off', 'needsInput', 'all']);
/** Which events in conversations that are not in view cause a notification or a sound. */
export type ChatAlertLevel = z.output<typeof ChatAlertLevel>;

/** How long a hover waits for providers, in milliseconds. */
export const ContextHoverTimeoutMs = z.number().int().min(50).max(10_000).catch(700);
